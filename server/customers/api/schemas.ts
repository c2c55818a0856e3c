import { t } from 'elysia'
import { externalId, externalIdChange, metadataChange, storedMetadata } from '../../requests/metadata.ts'
import { described } from '../../requests/schemas.ts'
import { text } from '../../text/text.ts'
import { forwardMeta, nextCursor, per_page, time, unverified } from '../../tickets/schemas.ts'
import { MAX_EMAILS_SENT, MAX_LINE_LENGTH, MAX_NOTE_LENGTH } from '../directory/schemas.ts'

const EXAMPLE = {
  id: 'usr_01jq8z5w8wf6r9f5v0h3q1x2yz',
  name: 'Ana Pires',
  email: 'ana@example.com',
  emails: ['ana@example.com', 'ana@work.example'],
  company: 'Globex',
  externalId: 'user-4711',
  metadata: { plan: 'gold' },
  createdAt: '2026-03-01T09:30:00.000Z',
  updatedAt: '2026-03-01T09:30:00.000Z',
}

const email = t.String({
  format: 'email',
  maxLength: 254,
  description: 'The main address, in place of the one that they have. Not together with `emails`.',
  examples: ['ana@example.com'],
})
const line = (description: string, example: string) =>
  t.Optional(text({ minLength: 0, maxLength: MAX_LINE_LENGTH, description, examples: [example] }))

const fields = {
  name: t.Optional(text({ maxLength: MAX_LINE_LENGTH, description: 'Their name.', examples: ['Ana Pires'] })),
  email: t.Optional(email),
  emails: t.Optional(
    t.Array(t.String({ maxLength: 320 }), {
      maxItems: MAX_EMAILS_SENT,
      description: 'Replaces all addresses. The first one is the main address. At most 20 new ones.',
      examples: [['ana@example.com', 'ana@work.example']],
    }),
  ),
  company: line('Where they work.', 'Globex'),
  phone: line('A phone number, as you write it.', '+351 21 123 4567'),
  note: t.Optional(
    text({
      minLength: 0,
      maxLength: MAX_NOTE_LENGTH,
      description: 'What agents should know of them. Customers never see it.',
      examples: ['Prefers to be called.'],
    }),
  ),
}

export const customerChange = t.Object(
  { ...fields, externalId: t.Optional(externalIdChange), metadata: t.Optional(metadataChange) },
  {
    $id: 'CustomerChange',
    additionalProperties: false,
    description:
      'Fields you leave out don’t change. An empty text removes a company, a phone number or a note.',
    examples: [{ company: 'Globex', metadata: { plan: 'gold' } }],
  },
)

export const customerInput = t.Object(
  { ...fields, metadata: t.Optional(metadataChange) },
  {
    $id: 'CustomerInput',
    additionalProperties: false,
    description: 'Fields you leave out don’t change. A new customer needs a name or an address.',
    examples: [{ name: 'Ana Pires', email: 'ana@example.com', metadata: { plan: 'gold' } }],
  },
)

export const externalCustomer = t.Object({
  externalId: { ...externalId, description: 'The customer’s id in your system.', examples: ['user-4711'] },
})

/** An example for every field: clients are generated from it. */
export const customer = t.Object(
  {
    id: t.String({ description: 'Customer id.', examples: [EXAMPLE.id] }),
    name: t.String({
      description: '“Visitor” and a number for a visitor of the widget who gave no name.',
      examples: ['Ana Pires'],
    }),
    email: t.Optional(
      t.String({
        description:
          'The main address. Absent for customers of the widget and Telegram whose address isn’t known.',
        examples: ['ana@example.com'],
      }),
    ),
    emails: t.Array(t.String(), {
      description: 'All addresses, the main one first.',
      examples: [['ana@example.com', 'ana@work.example']],
    }),
    company: t.Optional(t.String({ examples: ['Globex'] })),
    phone: t.Optional(t.String({ examples: ['+351 21 123 4567'] })),
    note: t.Optional(
      t.String({ description: 'What agents should know of them.', examples: ['Prefers to be called.'] }),
    ),
    ...unverified,
    externalId: t.Optional(described(externalId, 'Their id in your system.')),
    metadata: t.Optional(storedMetadata),
    createdAt: time('When they first wrote or were added.'),
    updatedAt: time('When anything here last changed.'),
  },
  { $id: 'CustomerDetail', description: 'Someone who writes to you.', examples: [EXAMPLE] },
)

export const customerList = t.Object(
  {
    data: t.Array(customer),
    meta: forwardMeta,
  },
  { $id: 'CustomerList' },
)

export const customerQuery = t.Object(
  {
    email: t.Optional(
      t.String({
        minLength: 1,
        maxLength: 320,
        description: 'Only the customer with this address. Case doesn’t matter.',
        examples: ['ana@example.com'],
      }),
    ),
    externalId: t.Optional(
      t.String({
        minLength: 1,
        maxLength: 1_020,
        description: 'Only the customer with this id in your system.',
        examples: ['user-4711'],
      }),
    ),
    q: t.Optional(
      t.String({
        maxLength: 200,
        description:
          'Words or beginnings of words. All must be in the name, the addresses, the company or the phone number.',
        examples: ['ana'],
      }),
    ),
    per_page,
    cursor: nextCursor,
  },
  { additionalProperties: false },
)
