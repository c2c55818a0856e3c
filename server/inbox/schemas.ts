import { t } from 'elysia'
import { MESSAGE_ROLES } from '../database/tables/messages.ts'
import { oneOf } from '../requests/choices.ts'
import { text } from '../requests/text.ts'
import { MAX_QUERY_LENGTH } from '../search/query-language.ts'
import { TICKET_SORTS } from '../tickets/list-tickets.ts'
import { listedTicket } from '../tickets/schemas.ts'

const time = t.String({ format: 'date-time' })
const strict = { additionalProperties: false }

export const MOST_ROWS = 100

/** A time zone, in which the days of a search are counted; without one, in UTC. Read only when a day is asked for. */
const zone = t.Optional(t.String({ minLength: 1, maxLength: 64 }))

export const countsQuery = t.Object({ zone }, strict)

export const listQuery = t.Object(
  {
    /** The grammar of server/search/query-language.ts. */
    q: t.Optional(t.String({ maxLength: MAX_QUERY_LENGTH })),
    zone,
    /** Without effect on a search for words or `from:`, which lists what changed last first. */
    sort: t.Optional(oneOf(TICKET_SORTS)),
    cursor: t.Optional(t.String({ maxLength: 512 })),
    limit: t.Optional(t.Integer({ minimum: 1, maximum: MOST_ROWS })),
  },
  strict,
)

export const row = t.Object({
  ...listedTicket.properties,
  /** The newest message, on one line. */
  preview: t.Object({ text: t.String(), role: oneOf(MESSAGE_ROLES) }),
  lastMessageAt: time,
  isUnread: t.Boolean(),
  hasDraft: t.Boolean(),
  hasFailedSend: t.Boolean(),
  /** A reply of mine waits for a decision, or one of somebody who is disabled. */
  hasHeldReply: t.Boolean(),
  isSpam: t.Boolean(),
  version: t.Integer(),
  /** Text around a hit, when the search was for words and they stand in a message or a note. */
  excerpt: t.Optional(t.String()),
})

export const rowList = t.Object({
  data: t.Array(row),
  nextCursor: t.Optional(t.String()),
  /** What to mark in the rows: words in lower case without accents; each also begins longer words. */
  terms: t.Array(t.String()),
})

const count = t.Integer({ minimum: 0 })
export const counts = t.Object({
  views: t.Object({
    mine: count,
    unassigned: count,
    open: count,
    pending: count,
    resolved: count,
    failed: count,
    held: count,
    spam: count,
  }),
  /** Of open tickets, in order of the tag. */
  tags: t.Array(t.Object({ tag: t.String(), count })),
  /**
   * Counted up to 1000, and among a limited number of tickets: there may be more than the least that was found. A view
   * whose query is no longer understood is left out.
   */
  saved: t.Array(t.Object({ id: t.String(), count, isAtLeast: t.Optional(t.Literal(true)) })),
  /** The newest replies of mine that were not sent because somebody else had answered. */
  heldReplies: t.Array(
    t.Object({
      id: t.String(),
      ticketId: t.String(),
      customer: t.String(),
      /** Empty for an integration. */
      answeredBy: t.String(),
    }),
  ),
  /** Something may have changed since the saved views were counted: ask again behind so many milliseconds. */
  askAgainMs: t.Optional(t.Integer({ minimum: 1 })),
})

const viewFields = {
  name: text({ maxLength: 60 }),
  query: t.String({ maxLength: MAX_QUERY_LENGTH }),
  isShared: t.Boolean(),
}
export const newView = t.Object({ ...viewFields, isShared: t.Optional(t.Boolean()) }, strict)
export const viewChange = t.Partial(t.Object(viewFields), strict)
export const view = t.Object({
  id: t.String(),
  name: t.String(),
  query: t.String(),
  isShared: t.Boolean(),
  isMine: t.Boolean(),
})
export const viewList = t.Object({ data: t.Array(view) })
