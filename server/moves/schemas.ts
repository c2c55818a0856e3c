import { t } from 'elysia'
import { MOVE_KINDS } from '../database/tables/moves.ts'
import { oneOf } from '../requests/schemas.ts'
import { status, subject, time } from '../tickets/schemas.ts'

const TICKET = 'tkt_01jq8z5w8wf6r9f5v0h3q1x2yz'
const CUSTOMER = 'usr_01jq8z5w8wf6r9f5v0h3q1x2yz'
/** As many as a page of messages has, five times. */
const MAX_MESSAGES = 500

const strict = { additionalProperties: false }
const id = (example: string, description: string) => t.String({ description, examples: [example] })

export const moveId = t.Object({ id: id('mov_01jq8z5w8wf6r9f5v0h3q1x2yz', 'Id of a merge or split.') })

export const merge = t.Object(
  {
    from: id(
      TICKET,
      'The ticket whose messages move. It is resolved, and leads to the other ticket from then on.',
    ),
  },
  { $id: 'Merge', ...strict, examples: [{ from: TICKET }] },
)

export const customerId = t.Object({ id: id(CUSTOMER, 'Customer id.') })

export const mergeCustomer = t.Object(
  { from: id(CUSTOMER, 'The customer whose tickets, addresses and identities move.') },
  { $id: 'CustomerMerge', ...strict, examples: [{ from: CUSTOMER }] },
)

export const split = t.Object(
  {
    messages: t.Array(id('msg_01jq8z5w8wf6r9f5v0h3q1x2yz', 'Message id.'), {
      minItems: 1,
      maxItems: MAX_MESSAGES,
      description: 'The messages that move. At least one must stay.',
    }),
    subject,
  },
  {
    $id: 'Split',
    ...strict,
    examples: [{ messages: ['msg_01jq8z5w8wf6r9f5v0h3q1x2yz'], subject: 'Another question' }],
  },
)

/** The same on a page: one message, or all from one on with the notes after it. */
export const splitOnPage = t.Object(
  {
    message: t.String({ maxLength: 64 }),
    andLater: t.Boolean(),
    subject,
  },
  strict,
)

export const move = t.Object(
  {
    id: id('mov_01jq8z5w8wf6r9f5v0h3q1x2yz', 'For undoing it.'),
    kind: oneOf(MOVE_KINDS, 'What moved.', 'MoveKind'),
    from: id(TICKET, 'Where the messages were.'),
    into: id(TICKET, 'Where they are now. For a split, the new ticket.'),
    createdAt: time('When they moved.'),
    undoneAt: t.Optional(time('When they moved back. Absent until then.')),
  },
  { $id: 'Move', description: 'A merge of tickets or customers, or a split.' },
)

/** What a merge would do, for the page that asks. */
export const mergePreview = t.Object({
  /** Why it isn't possible, in sentences. */
  reason: t.Optional(t.String()),
  messages: t.Integer(),
  notes: t.Integer(),
  /** Replies that wait to be sent. */
  waiting: t.Integer(),
  /** The other customer, who becomes a participant. */
  participant: t.Optional(t.String()),
  /** A chat continues by email. */
  continuesByEmail: t.Boolean(),
  /** Answers go to an integration, and by email to no one. */
  leavesEmail: t.Boolean(),
  /** Of the ticket that stays. */
  status,
  /** The ticket that stays is snoozed, and comes back. */
  endsSnooze: t.Boolean(),
  /** Of the ticket that stays, as it is now. */
  snoozedUntil: t.Optional(t.String()),
})
