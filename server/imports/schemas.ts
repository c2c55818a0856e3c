import { t } from 'elysia'
import { attachmentIds } from '../attachments/schemas.ts'
import { externalId, newMetadata } from '../requests/metadata.ts'
import { described, oneOf } from '../requests/schemas.ts'
import { text } from '../text/text.ts'
import { format, status, subject, tags, textOrFiles, time } from '../tickets/schemas.ts'

/** In one request. */
export const MAX_TICKETS = 100
/** In one ticket, which is stored in one unit that others wait for: some 20 ms. */
const MAX_MESSAGES = 500

const strict = { additionalProperties: false }

const EXAMPLE = {
  externalId: 'ticket-1042',
  subject: 'Missing invoice',
  status: 'resolved',
  channel: 'email',
  customer: { name: 'Ana Pires', email: 'ana@example.com' },
  createdAt: '2024-03-01T09:30:00.000Z',
  tags: ['billing'],
  messages: [
    {
      externalId: 'message-1',
      role: 'customer',
      text: 'My invoice is missing.',
      createdAt: '2024-03-01T09:30:00.000Z',
    },
    {
      externalId: 'message-2',
      role: 'agent',
      text: 'Here it is.',
      author: { name: 'Ben', email: 'ben@acme.example' },
      createdAt: '2024-03-01T10:05:00.000Z',
    },
  ],
}

const author = t.Object(
  {
    name: t.Optional(text({ maxLength: 255, description: 'Shown with the message.', examples: ['Ben'] })),
    email: t.Optional(
      t.String({
        maxLength: 320,
        description: 'An agent with this address becomes the author of an answer or a note.',
        examples: ['ben@acme.example'],
      }),
    ),
  },
  { $id: 'ImportAuthor', ...strict, examples: [{ name: 'Ben', email: 'ben@acme.example' }] },
)

const message = t.Object(
  {
    externalId: t.Optional(described(externalId, 'Its id in the other system.')),
    role: oneOf(
      ['customer', 'agent', 'note'],
      '`note`: an internal note, which only agents see.',
      'ImportRole',
    ),
    text: textOrFiles,
    format: t.Optional(described(format, '`plain` by default.')),
    createdAt: time('When it was written. Not before the message above it.'),
    author: t.Optional(
      described(author, 'Who wrote it. By default the customer, or the name of your key for agents.'),
    ),
    attachments: attachmentIds,
  },
  { $id: 'ImportMessage', ...strict, examples: EXAMPLE.messages },
)

export const importedTicket = t.Object(
  {
    externalId: described(externalId, 'Its id in the other system. A ticket is imported once.'),
    subject,
    status,
    channel: oneOf(['api', 'email'], '`email`: later answers go to the customer by email.', 'ImportChannel'),
    customer: t.Object(
      {
        name: t.Optional(
          text({
            maxLength: 255,
            description: 'Of a new customer. The name of a known one stays.',
            examples: ['Ana Pires'],
          }),
        ),
        email: t.String({
          format: 'email',
          maxLength: 254,
          description: 'Identifies the customer. Case doesn’t matter.',
          examples: ['ana@example.com'],
        }),
      },
      { $id: 'ImportCustomer', ...strict, examples: [EXAMPLE.customer] },
    ),
    createdAt: time('When it was opened.'),
    assignedTo: t.Optional(
      t.Union([t.String({ maxLength: 320 }), t.Null()], {
        description: 'Id or email address of an agent who isn’t disabled.',
        examples: ['ben@acme.example'],
      }),
    ),
    tags: t.Optional(tags),
    metadata: t.Optional(newMetadata),
    messages: t.Array(message, {
      minItems: 1,
      maxItems: MAX_MESSAGES,
      description: 'All messages and notes, oldest first.',
    }),
  },
  { $id: 'ImportTicket', ...strict, examples: [EXAMPLE] },
)
export type ImportedTicket = typeof importedTicket.static

/** Read by the route itself, ticket by ticket. */
export const importBody = t.Object(
  { tickets: t.Array(importedTicket, { maxItems: MAX_TICKETS }) },
  { $id: 'Import', ...strict, examples: [{ tickets: [EXAMPLE] }] },
)

const problem = t.Object(
  {
    type: t.String({ examples: ['about:blank'] }),
    title: t.String({ examples: ['Bad Request'] }),
    status: t.Integer({ examples: [400] }),
    detail: t.String({ examples: ['/messages/1/createdAt: Must not be before the message above it.'] }),
    code: t.String({ examples: ['invalid_request'] }),
    errors: t.Optional(
      t.Array(
        t.Object({
          pointer: t.Optional(t.String({ description: 'Within the ticket.' })),
          code: t.String(),
          detail: t.String(),
        }),
      ),
    ),
  },
  { $id: 'ImportProblem', description: 'Why a ticket wasn’t imported (RFC 9457).' },
)

export const importResult = t.Object(
  {
    data: t.Array(
      t.Object(
        {
          externalId: t.Optional(
            t.String({
              description: 'As you sent it. Absent if it wasn’t a text.',
              examples: ['ticket-1042'],
            }),
          ),
          id: t.Optional(
            t.String({
              description: 'Ticket id. Absent if it was refused.',
              examples: ['tkt_01jq8z5w8wf6r9f5v0h3q1x2yz'],
            }),
          ),
          state: oneOf(
            ['created', 'exists', 'refused'],
            '`exists`: there is a ticket with this external id already, and nothing changed.',
            'ImportState',
          ),
          problem: t.Optional(problem),
        },
        { $id: 'ImportedTicket' },
      ),
      { description: 'A result for each ticket, in order.' },
    ),
  },
  { $id: 'ImportResult' },
)
