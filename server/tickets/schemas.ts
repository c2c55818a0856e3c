import { t } from 'elysia'
import { attachmentIds, attachmentList } from '../attachments/schemas.ts'
import { CHANNELS, SENT_BY } from '../channels/kinds.ts'
import { MESSAGE_FORMATS, MESSAGE_ROLES } from '../database/tables/messages.ts'
import { TICKET_STATUSES } from '../database/tables/tickets.ts'
import {
  externalId,
  externalIdChange,
  metadataChange,
  newMetadata,
  storedMetadata,
} from '../requests/metadata.ts'
import { described, oneOf } from '../requests/schemas.ts'
import { text } from '../text/text.ts'
import { TICKET_SORTS } from './list-ranges.ts'
import { MESSAGE_SORTS } from './message-pages.ts'
import { MAX_MESSAGE_LENGTH } from './messages.ts'
import { MAX_TAGS } from './update-ticket.ts'

// Section 2 and 4 of the specification; limits where it leaves them open are ours.

const MAX_EMAIL_LENGTH = 254

const id = (example: string, description: string) => t.String({ description, examples: [example] })
export const time = (description: string) =>
  t.String({ format: 'date-time', description, examples: ['2026-03-01T09:30:00.000Z'] })

export const status = oneOf(TICKET_STATUSES, 'A new ticket is `open`.', 'TicketStatus')
export const channel = oneOf(CHANNELS, 'How the customer got in touch.', 'Channel')
export const tags = t.Array(text({ maxLength: 64 }), {
  maxItems: MAX_TAGS,
  description: 'Trimmed, without duplicates. Case is kept.',
  examples: [['billing', 'vip']],
})
export const subject = text({ maxLength: 255, examples: ['Missing invoice'] })
const messageText = text({
  maxLength: MAX_MESSAGE_LENGTH,
  description: 'Message text.',
  examples: ['My invoice is missing.'],
})

export const textOrFiles = text({
  minLength: 0,
  maxLength: MAX_MESSAGE_LENGTH,
  description: 'Message text. Can be blank if there are attachments.',
  examples: ['It is attached.'],
})

export const format = oneOf(
  MESSAGE_FORMATS,
  '`markdown`: bold, italic, links, lists, quotes and code, as agents write them. `plain`: shown as it is.',
  'MessageFormat',
)

const messageRole = oneOf(MESSAGE_ROLES, 'Who wrote it.', 'MessageRole')

export const ticketId = t.Object({ id: id('tkt_01jq8z5w8wf6r9f5v0h3q1x2yz', 'Ticket id.') })

export const newTicket = t.Object(
  {
    channel: t.Optional(t.Literal('api', { description: 'Always `api`.' })),
    subject,
    customer: t.Object(
      {
        name: t.Optional(
          text({
            maxLength: 255,
            description: 'Defaults to the part of the email address before the `@`.',
            examples: ['Ana Pires'],
          }),
        ),
        email: t.String({
          format: 'email',
          maxLength: MAX_EMAIL_LENGTH,
          description: 'Identifies the customer. Case doesn’t matter.',
          examples: ['ana@example.com'],
        }),
      },
      { $id: 'NewCustomer', additionalProperties: false },
    ),
    message: { ...messageText, description: 'The customer’s first message.' },
    attachments: attachmentIds,
    tags: t.Optional(tags),
    externalId: t.Optional(externalId),
    metadata: t.Optional(newMetadata),
  },
  {
    $id: 'NewTicket',
    additionalProperties: false,
    examples: [
      {
        subject: 'Missing invoice',
        customer: { name: 'Ana Pires', email: 'ana@example.com' },
        message: 'My invoice is missing.',
        tags: ['billing', 'vip'],
      },
    ],
  },
)

export const ticketChange = t.Object(
  {
    status: t.Optional(status),
    assignedTo: t.Optional(
      t.Union([t.String({ maxLength: MAX_EMAIL_LENGTH }), t.Null()], {
        description: 'Agent id, or the agent’s email address. `null` or an empty string unassigns.',
        examples: ['agt_01jq8z5w8wf6r9f5v0h3q1x2yz'],
      }),
    ),
    tags: t.Optional({ ...tags, description: 'Replaces all tags.' }),
    addTags: t.Optional(described(tags, 'Tags to add. Not beside `tags`.')),
    removeTags: t.Optional(described(tags, 'Tags to remove. Not beside `tags`.')),
    subject: t.Optional(subject),
    spam: t.Optional(
      t.Boolean({ description: 'Marks it as spam, or takes it back to the inbox.', examples: [false] }),
    ),
    externalId: t.Optional(externalIdChange),
    metadata: t.Optional(metadataChange),
  },
  {
    $id: 'TicketChange',
    additionalProperties: false,
    description: 'Fields you leave out don’t change.',
    examples: [{ status: 'pending', assignedTo: null, tags: ['billing'] }],
  },
)

/** A time in the future, at most a year away. */
const snoozeTime = t.String({ format: 'date-time', maxLength: 64 })
const why = t.String({ maxLength: 200 })

export const actions = t.Object(
  {
    status: t.Optional(status),
    assignedTo: t.Optional(
      t.Union([t.String({ maxLength: 64 }), t.Null()], {
        description: 'Agent id. `null` or an empty string unassigns.',
        examples: ['agt_01jq8z5w8wf6r9f5v0h3q1x2yz'],
      }),
    ),
    addTags: t.Optional(described(tags, 'Tags to add.')),
    removeTags: t.Optional(described(tags, 'Tags to remove.')),
    snoozedUntil: t.Optional(
      t.Union([snoozeTime, t.Null()], {
        description: 'Snoozes the ticket until then, at most a year away. `null` ends a snooze.',
      }),
    ),
    why: t.Optional(described(why, 'Why it is snoozed.')),
  },
  {
    $id: 'Actions',
    additionalProperties: false,
    description: 'What is done to a ticket. Fields you leave out don’t change.',
    examples: [{ status: 'resolved', addTags: ['refund'] }],
  },
)

export const newMessage = t.Object(
  {
    text: { ...messageText, examples: ['It is attached.'] },
    attachments: attachmentIds,
    format: t.Optional(described(format, '`plain` by default.')),
    role: t.Optional(
      described(
        messageRole,
        '`agent` by default. `customer` adds the customer’s next message, as your own channel received it: only to tickets of the channel `api`, with the scope `tickets:write`.',
      ),
    ),
    status: t.Optional(
      described(
        status,
        'The status that the ticket gets with the message. Needs the scope `tickets:write` too. Not with the role `customer`.',
      ),
    ),
  },
  { $id: 'NewMessage', additionalProperties: false, examples: [{ text: 'It is attached.' }] },
)

// Without `default`: clients that are generated from it would send it with a cursor too.
const page = t.Optional(
  t.Integer({ minimum: 1, description: 'Page number, from 1. Not with a cursor.', examples: [1] }),
)
export const per_page = t.Optional(
  t.Integer({ minimum: 1, default: 25, description: 'Results per page. A value above 100 becomes 100.' }),
)
const cursor = t.Optional(
  t.String({
    maxLength: 512,
    description:
      '`meta.nextCursor` of the previous page. Use it in place of `page`, with the same filters and sort. Empty for the first page.',
    examples: [''],
  }),
)

/** Of a list without page numbers. */
export const nextCursor = t.Optional(
  t.String({
    maxLength: 512,
    description: '`meta.nextCursor` of the previous page, with the same filters. Empty for the first page.',
    examples: [''],
  }),
)
/** Of what belongs to one ticket: without page numbers. */
export const partsQuery = t.Object({ per_page, cursor: nextCursor }, { additionalProperties: false })

/** Half-open. */
const createdWithin = (what: string) => ({
  created_since: t.Optional(time(`Only ${what} created at this time or later.`)),
  created_before: t.Optional(
    t.String({
      format: 'date-time',
      description: `Only ${what} created before this time.`,
      examples: ['2026-04-01T00:00:00.000Z'],
    }),
  ),
})

export const ticketQuery = t.Object(
  {
    status: t.Optional(described(status, 'Only tickets with this status.')),
    channel: t.Optional(described(channel, 'Only tickets of this channel.')),
    assignedTo: t.Optional(
      t.String({
        minLength: 1,
        maxLength: 254,
        description: 'An agent’s id or email address, or `unassigned`.',
        examples: ['unassigned'],
      }),
    ),
    customer: t.Optional(
      t.String({
        minLength: 1,
        maxLength: 254,
        description: 'A customer’s id, or any of their email addresses.',
        examples: ['ana@example.com'],
      }),
    ),
    externalId: t.Optional(
      text({ maxLength: 255, description: 'The ticket’s id in another system.', examples: ['crm-4711'] }),
    ),
    ids: t.Optional(
      t.String({
        minLength: 1,
        maxLength: 4_000,
        description: 'Up to 100 ticket ids, separated by commas. Ids of no ticket are left out.',
        examples: ['tkt_01jq8z5w8wf6r9f5v0h3q1x2yz,tkt_01jq8z5w8wf6r9f5v0h3q1x2z0'],
      }),
    ),
    ...createdWithin('tickets'),
    updated_since: t.Optional(
      time('Only tickets that changed at this time or later. The fastest with `sort=updated_asc`.'),
    ),
    tag: t.Optional(
      t.String({
        minLength: 1,
        maxLength: 64,
        description: 'Only tickets with this tag.',
        examples: ['billing'],
      }),
    ),
    spam: t.Optional(
      t.Boolean({
        description: 'Only spam, or no spam. Without it, a list has both.',
        examples: [false],
      }),
    ),
    page,
    per_page,
    sort: t.Optional(
      oneOf(
        TICKET_SORTS,
        'Sort order; `created_desc` by default. `message_desc`: latest message first. `waiting`: tickets whose customers wait, longest first, then the others. Tickets with the same time are sorted by id.',
        'TicketSort',
      ),
    ),
    cursor,
  },
  { additionalProperties: false },
)

/** All messages of an organization. */
export const allMessagesQuery = t.Object(
  {
    role: t.Optional(described(messageRole, 'Only messages from customers, or only from agents.')),
    ...createdWithin('messages'),
    per_page,
    cursor: nextCursor,
  },
  { additionalProperties: false },
)

export const messageQuery = t.Object(
  {
    page,
    per_page,
    sort: t.Optional(
      oneOf(
        MESSAGE_SORTS,
        'Sort order; `created_asc` by default: oldest first. Messages with the same time are sorted by id.',
        'MessageSort',
      ),
    ),
    cursor,
  },
  { additionalProperties: false },
)

/** What a visitor of the widget typed. */
export const unverified = {
  unverifiedEmail: t.Optional(
    t.String({
      description:
        'The address that a visitor typed into the widget. Anyone can type any address: don’t identify a customer by it.',
      examples: ['bo@example.com'],
    }),
  ),
  unverified: t.Optional(
    t.Literal(true, {
      description: 'A visitor typed the name or the address into the widget, and no one has checked it.',
    }),
  ),
}

const customer = t.Object(
  {
    name: t.String({
      description:
        '“Visitor” and a number for a visitor of the widget who gave no name. A name alone is no proof.',
      examples: ['Ana Pires'],
    }),
    email: t.Optional(
      t.String({
        description: 'Absent for customers of the widget and Telegram whose address isn’t known.',
        examples: ['ana@example.com'],
      }),
    ),
    ...unverified,
    userId: t.Optional(
      id('usr_01jq8z5w8wf6r9f5v0h3q1x2yz', 'Customer id. Only when you get a single ticket.'),
    ),
  },
  { $id: 'Customer', description: 'Who the ticket is from.' },
)
export const eventTicket = t.Object(
  {
    id: id('tkt_01jq8z5w8wf6r9f5v0h3q1x2yz', 'Ticket id.'),
    orgId: id('org_01jq8z5w8wf6r9f5v0h3q1x2yz', 'Your organization’s id.'),
    status,
    channel,
    subject: t.String({ examples: ['Missing invoice'] }),
    createdAt: time('When the ticket was created.'),
    customer,
  },
  { $id: 'EventTicket', description: 'A ticket as `ticket.created` has it.' },
)
const listed = {
  ...eventTicket.properties,
  updatedAt: time(
    'Changes with every update that has an effect, every new message, and every change of a delivery.',
  ),
  assignedTo: t.Optional(id('agt_01jq8z5w8wf6r9f5v0h3q1x2yz', 'Agent id. Absent if unassigned.')),
  tags: t.Array(t.String(), { examples: [['billing', 'vip']] }),
  spam: t.Boolean({ description: 'Whether an agent marked it as spam.', examples: [false] }),
}

/** What the bodies of webhooks don't have: their message says it. */
const read = {
  ...listed,
  customerId: id('usr_01jq8z5w8wf6r9f5v0h3q1x2yz', 'Id of the customer.'),
  lastMessageAt: time(
    'When the last message was sent, or when its snooze ended, if that was later. Automatic replies and notes don’t count.',
  ),
  waitingSince: t.Optional(
    time(
      'The customer’s first message since the last answer. Absent while nobody waits, and when the ticket is resolved.',
    ),
  ),
  mergedInto: t.Optional(
    id(
      'tkt_01jq8z5w8wf6r9f5v0h3q1x2yz',
      'The ticket that it was merged into and that has its messages now. Absent unless it was merged.',
    ),
  ),
  snoozedUntil: t.Optional(time('When a snoozed ticket comes back to the inbox. Absent while it is awake.')),
  externalId: t.Optional(described(externalId, 'Its id in your system. Absent if it has none.')),
  metadata: t.Optional(storedMetadata),
}

/** Who snoozed a ticket, until when and why. */
export const snoozeNote = t.Object({
  by: t.String(),
  why: t.String(),
  until: t.String(),
  /** It is back, and nothing was written since. */
  isOver: t.Boolean(),
})

const EXAMPLE = {
  id: 'tkt_01jq8z5w8wf6r9f5v0h3q1x2yz',
  orgId: 'org_01jq8z5w8wf6r9f5v0h3q1x2yz',
  status: 'open',
  channel: 'api',
  subject: 'Missing invoice',
  createdAt: '2026-03-01T09:30:00.000Z',
  updatedAt: '2026-03-01T09:30:00.000Z',
  lastMessageAt: '2026-03-01T09:30:00.000Z',
  waitingSince: '2026-03-01T09:30:00.000Z',
  customer: { name: 'Ana Pires', email: 'ana@example.com' },
  customerId: 'usr_01jq8z5w8wf6r9f5v0h3q1x2yz',
  tags: ['billing', 'vip'],
  spam: false,
}

const MESSAGE_EXAMPLE = {
  id: 'msg_01jq8z5w8wf6r9f5v0h3q1x2yz',
  role: 'agent',
  text: 'It is attached.',
  format: 'plain',
  agentName: 'Website',
  createdAt: '2026-03-01T09:31:00.000Z',
}

const message = t.Object(
  {
    id: id('msg_01jq8z5w8wf6r9f5v0h3q1x2yz', 'Message id.'),
    role: messageRole,
    text: t.String({ examples: ['My invoice is missing.'] }),
    format,
    agentName: t.Optional(t.String({ description: 'Only on messages from agents.', examples: ['Ben'] })),
    automatic: t.Optional(
      t.Literal(true, {
        description: 'A program wrote it, such as a vacation notice or an automatic reply.',
      }),
    ),
    thirdParty: t.Optional(
      t.Literal(true, {
        description:
          'Between an agent and someone outside, such as a forwarded message and the answer to it. Don’t show it to the customer.',
      }),
    ),
    attachments: attachmentList,
    externalId: t.Optional(described(externalId, 'Its id in the system that it was imported from.')),
    createdAt: time('When it was sent.'),
  },
  {
    $id: 'Message',
    examples: [MESSAGE_EXAMPLE],
  },
)

export const DELIVERY_STATES = [
  'waiting',
  'held',
  'sending',
  'sent',
  'failed',
  'bounced',
  'taken_back',
] as const

const AUTHOR_KINDS = ['customer', 'agent', 'program', 'key', 'system'] as const

/** Who wrote a message, or caused an event. */
export const author = t.Object(
  {
    kind: oneOf(
      AUTHOR_KINDS,
      '`program`: a program as an agent. `key`: an API key without a program. `system`: the server itself.',
      'AuthorKind',
    ),
    id: t.Optional(
      t.String({
        description:
          'Id of the customer, agent, program or key. Absent for the server, and for people who only write by email.',
        examples: ['agt_01jq8z5w8wf6r9f5v0h3q1x2yz'],
      }),
    ),
    name: t.Optional(t.String({ examples: ['Ben'] })),
  },
  { $id: 'Author' },
)

/** A message with its delivery. */
export const outgoingMessage = t.Object(
  {
    ...message.properties,
    delivery: t.Optional(
      t.Object(
        {
          state: oneOf(
            DELIVERY_STATES,
            '`waiting` until `sendAt`, or for its channel. `held` until an agent decides. `sent` when the channel has accepted it; on the API channel, as soon as it is stored. `taken_back` when its author took it back from the chat: the customer no longer sees it.',
            'DeliveryState',
          ),
          by: t.Optional(
            oneOf(
              SENT_BY,
              'What takes it to the customer. `widget`: the visitor’s page shows it. `webhook`: only your integration, which gets `message.sent`. Absent while it is waiting for `sendAt`, or held.',
              'DeliveryBy',
            ),
          ),
          sendAt: t.Optional(time('When it is sent. Only while it is waiting or held.')),
          reason: t.Optional(
            t.String({ description: 'Why it is held or failed.', examples: ['The mailbox is full.'] }),
          ),
        },
        { $id: 'MessageDelivery', description: 'Only on messages of agents.' },
      ),
    ),
  },
  {
    $id: 'OutgoingMessage',
    base: message,
    examples: [
      {
        ...MESSAGE_EXAMPLE,
        delivery: { state: 'waiting', sendAt: '2026-03-02T08:00:00.000Z' },
      },
    ],
  },
)

export const listedTicket = t.Object(read, {
  $id: 'TicketSummary',
  base: eventTicket,
  examples: [{ ...EXAMPLE, assignedTo: 'agt_01jq8z5w8wf6r9f5v0h3q1x2yz' }],
  description: 'A ticket without its messages.',
})

export const ticket = t.Object(
  {
    ...read,
    messages: t.Array(outgoingMessage, { description: 'All messages, oldest first.' }),
  },
  {
    $id: 'Ticket',
    base: listedTicket,
    examples: [
      {
        ...EXAMPLE,
        customer: { ...EXAMPLE.customer, userId: 'usr_01jq8z5w8wf6r9f5v0h3q1x2yz' },
        messages: [
          {
            id: 'msg_01jq8z5w8wf6r9f5v0h3q1x2yz',
            role: 'customer',
            text: 'My invoice is missing.',
            format: 'plain',
            createdAt: '2026-03-01T09:30:00.000Z',
          },
        ],
      },
    ],
  },
)

const pageMeta = t.Object(
  {
    total: t.Integer({ description: 'Results on all pages.', examples: [412] }),
    page: t.Integer({ examples: [1] }),
    perPage: t.Integer({ examples: [25] }),
    nextCursor: t.Optional(
      t.String({
        description: 'Absent on the last page.',
        examples: ['WyJuIiwiMTJhYiIsMTc3MjM1NzQwMDAwMCwidGt0Xy4uLiIsMl0'],
      }),
    ),
  },
  { $id: 'PageMeta' },
)

/** Of a list that is read forward, and not counted. */
export const forwardMeta = t.Object(
  {
    perPage: t.Integer({ examples: [25] }),
    nextCursor: pageMeta.properties.nextCursor,
  },
  { $id: 'ForwardMeta' },
)

export const ticketList = t.Object(
  {
    data: t.Array(listedTicket),
    meta: pageMeta,
  },
  { $id: 'TicketList' },
)

export const messageList = t.Object(
  {
    data: t.Array(outgoingMessage),
    meta: pageMeta,
  },
  { $id: 'MessageList' },
)

export const messageOfTicket = t.Object(
  { ...outgoingMessage.properties, ticketId: id('tkt_01jq8z5w8wf6r9f5v0h3q1x2yz', 'Ticket id.') },
  {
    $id: 'MessageOfTicket',
    base: outgoingMessage,
    examples: [{ ...MESSAGE_EXAMPLE, ticketId: 'tkt_01jq8z5w8wf6r9f5v0h3q1x2yz' }],
  },
)

export const allMessages = t.Object(
  { data: t.Array(messageOfTicket), meta: forwardMeta },
  { $id: 'MessageOfTicketList' },
)

/** The ticket and the message of `message.sent`: section 6 of the specification. */
export const sentTicket = t.Object(listed)
export const sentMessage = t.Object({ ...message.properties, author: described(author, 'Who wrote it.') })
