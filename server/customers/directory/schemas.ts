import { t } from 'elysia'
import { shownTexts } from '../../requests/metadata.ts'
import { text } from '../../text/text.ts'
import { channel, status, time } from '../../tickets/schemas.ts'
import { MAX_CUSTOMERS } from './list-customers.ts'

const strict = { additionalProperties: false }

export const MAX_LINE_LENGTH = 255
export const MAX_NOTE_LENGTH = 10_000
/** More than an agent can add, because a merge can leave a customer with more. */
export const MAX_EMAILS_SENT = 1_000

const line = t.Optional(text({ minLength: 0, maxLength: MAX_LINE_LENGTH }))
const fields = {
  emails: t.Optional(t.Array(t.String({ maxLength: 320 }), { maxItems: MAX_EMAILS_SENT })),
  company: line,
  phone: line,
  note: t.Optional(text({ minLength: 0, maxLength: MAX_NOTE_LENGTH })),
}
export const newCustomer = t.Object({ name: line, ...fields }, strict)
export const customerChange = t.Object(
  { name: t.Optional(text({ maxLength: MAX_LINE_LENGTH })), ...fields },
  strict,
)

export const customerListQuery = t.Object(
  {
    q: t.Optional(t.String({ maxLength: 200 })),
    cursor: t.Optional(t.String({ maxLength: 64 })),
    limit: t.Optional(t.Integer({ minimum: 1, maximum: MAX_CUSTOMERS })),
  },
  strict,
)
export const pageQuery = t.Object({ cursor: t.Optional(t.String({ maxLength: 64 })) }, strict)

const who = {
  id: t.String(),
  name: t.String(),
  /** The first one is their main address. */
  emails: t.Array(t.String()),
  company: t.String(),
  unverified: t.Optional(t.Literal(true)),
  unverifiedEmail: t.Optional(t.String()),
}

export const customerList = t.Object({
  data: t.Array(
    t.Object({
      ...who,
      tickets: t.Integer(),
      /** There are at least that many. */
      hasMoreTickets: t.Boolean(),
      lastMessageAt: t.Optional(time('Latest message.')),
    }),
  ),
  nextCursor: t.Optional(t.String()),
})

const customerTickets = t.Array(
  t.Object({
    id: t.String(),
    subject: t.String(),
    status,
    isSpam: t.Boolean(),
    channel,
    lastMessageAt: time('Last message.'),
  }),
)
export const customerTicketPage = t.Object({ data: customerTickets, nextCursor: t.Optional(t.String()) })

export const customerDetail = t.Object({
  ...who,
  email: t.Optional(t.String()),
  phone: t.String(),
  note: t.String(),
  shownMetadata: t.Optional(shownTexts),
  createdAt: time('When they first wrote.'),
  /** The newest ones, by last message. */
  tickets: customerTickets,
  totalTickets: t.Integer(),
  /** Merges into this customer that can be undone. */
  merges: t.Array(t.Object({ id: t.String(), name: t.String(), createdAt: time('When they were merged.') })),
})
