import { Elysia, t } from 'elysia'
import { MESSAGE_ROLES } from '../database/tables/messages.ts'
import { HELD_BECAUSE } from '../database/tables/scheduled-messages.ts'
import { PLACES } from '../database/tables/tickets.ts'
import { isoTime } from '../dates.ts'
import { strictQuery } from '../requests/query.ts'
import { oneOf } from '../requests/schemas.ts'
import { oneLine } from '../search/excerpt.ts'
import { MAX_QUERY_LENGTH } from '../search/query-language.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { listedTicket, snoozeNote } from '../tickets/schemas.ts'
import { viewListedTicket, viewSnoozeNote } from '../tickets/views.ts'
import { createViewCounter, readCounts } from './counts.ts'
import { INBOX_SORTS, type InboxRow, listInbox, MAX_ROWS } from './list-inbox.ts'
import type { RowMention } from './row-mentions.ts'

const strict = { additionalProperties: false }
const PREVIEW_LENGTH = 160

/** The time zone of the dates in a search; UTC if it is missing. */
const zone = t.Optional(t.String({ minLength: 1, maxLength: 64 }))

const listQuery = t.Object(
  {
    /** Written as server/search/query-language.ts reads it. */
    q: t.Optional(t.String({ maxLength: MAX_QUERY_LENGTH })),
    zone,
    /** Ignored in a search for words or `from:`, which lists the latest message or change first. */
    sort: t.Optional(oneOf(INBOX_SORTS)),
    cursor: t.Optional(t.String({ maxLength: 512 })),
    limit: t.Optional(t.Integer({ minimum: 1, maximum: MAX_ROWS })),
  },
  strict,
)

const row = t.Object({
  ...listedTicket.properties,
  /** The newest message, on one line. */
  preview: t.Object({ text: t.String(), role: oneOf(MESSAGE_ROLES) }),
  /** While a customer waits: when they have waited for an hour of the opening hours, if there are any. */
  longWaitAt: t.Optional(t.String()),
  isUnread: t.Boolean(),
  hasDraft: t.Boolean(),
  hasFailedSend: t.Boolean(),
  /** The agent's own held reply, or one of a disabled agent. */
  hasHeldReply: t.Boolean(),
  /** A program suggests an answer. */
  isSuggested: t.Optional(t.Literal(true)),
  snooze: t.Optional(snoozeNote),
  /** The newest note that mentions the agent, in a list of those. */
  mention: t.Optional(
    t.Object({
      noteId: t.String(),
      text: t.String(),
      agentName: t.String(),
      at: t.String(),
      isSeen: t.Boolean(),
    }),
  ),
  /** The agent's own reply that is sent later, or one of an API key or a disabled agent. */
  hasScheduledReply: t.Boolean(),
  /** The page of the website that the visitor was on last. */
  page: t.Optional(t.Object({ url: t.String(), title: t.String() })),
  isSpam: t.Boolean(),
  version: t.Integer(),
  /** Text around a search word, if one is in a message or a note. */
  excerpt: t.Optional(t.String()),
})

const rowList = t.Object({
  data: t.Array(row),
  nextCursor: t.Optional(t.String()),
  /** The search stopped before it had examined every ticket. Says how to narrow it. `nextCursor` continues it. */
  tooBroad: t.Optional(t.String()),
  /** Words to mark in the rows: lowercase, without accents, and each may begin a longer word. */
  terms: t.Array(t.String()),
})

const TOO_BROAD =
  'Too many tickets to search at once. Use a less common word, or add from:, tag:, or after: to narrow the search.'

const countsQuery = t.Object({ zone }, strict)

const count = t.Integer({ minimum: 0 })
const counts = t.Object({
  views: t.Object({
    mine: count,
    unassigned: count,
    open: count,
    pending: count,
    resolved: count,
    failed: count,
    held: count,
    /** With a mention of the agent that they haven't seen. */
    mentions: count,
    scheduled: count,
    suggested: count,
    snoozed: count,
    spam: count,
  }),
  /** Those with the most open tickets, in order of the tag. */
  tags: t.Array(t.Object({ tag: t.String(), count })),
  /**
   * Up to 1000, and `isAtLeast` if there may be more than were counted. A view whose query is no longer valid is left
   * out.
   */
  saved: t.Array(t.Object({ id: t.String(), count, isAtLeast: t.Optional(t.Literal(true)) })),
  /** The agent's newest replies that were not sent because someone else replied first. */
  heldReplies: t.Array(
    t.Object({
      id: t.String(),
      ticketId: t.String(),
      customer: t.String(),
      /** Empty for an integration. */
      answeredBy: t.String(),
      because: oneOf(HELD_BECAUSE),
    }),
  ),
  /** The counts of saved views may be out of date: ask again after this many milliseconds. */
  askAgainMs: t.Optional(t.Integer({ minimum: 1 })),
})

/** The list of the inbox and the counts beside its views. */
export function inboxRoutes(guard: AgentGuard) {
  const countViews = createViewCounter()
  return new Elysia({ name: 'inbox/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get(
      '/tickets',
      async ({ me: { agentId, orgId }, as, query, request: { signal } }) => {
        const { rows, nextCursor, isTooBroad, terms } = await as.expensiveReads.run(
          { agentId, signal },
          (expensive) => listInbox(as, orgId, { me: agentId, ...query, expensive }),
        )
        return {
          data: rows.map(viewRow),
          ...(nextCursor === undefined ? {} : { nextCursor }),
          ...(isTooBroad ? { tooBroad: TOO_BROAD } : {}),
          terms,
        }
      },
      { transform: strictQuery(listQuery), query: listQuery, response: { 200: rowList } },
    )
    .get(
      '/counts',
      ({ me, as, query: { zone } }) =>
        readCounts(as, (deps, orgId, me) => countViews(deps, orgId, me, zone), me.orgId, me.agentId),
      { transform: strictQuery(countsQuery), query: countsQuery, response: { 200: counts } },
    )
}

/** The ticket as `/v1` lists it, with more that an agent needs before opening it. */
function viewRow(row: InboxRow) {
  const { excerpt } = row
  return {
    ...viewListedTicket(row),
    preview: { text: oneLine(row.newest?.text ?? '', PREVIEW_LENGTH), role: row.newest?.role ?? 'customer' },
    ...(row.longWaitAt !== undefined && { longWaitAt: isoTime(row.longWaitAt) }),
    isUnread: row.isUnread,
    hasDraft: row.hasDraft,
    hasFailedSend: row.hasFailedSend,
    hasHeldReply: row.hasHeldReply,
    ...(row.isSuggested && row.status !== 'resolved' && { isSuggested: true as const }),
    ...(row.snooze && { snooze: viewSnoozeNote(row.snooze) }),
    ...(row.mention && { mention: viewMention(row.mention) }),
    hasScheduledReply: row.hasScheduledReply,
    ...(row.pageUrl ? { page: { url: row.pageUrl, title: row.pageTitle ?? '' } } : {}),
    isSpam: row.place === PLACES.spam,
    version: row.version,
    ...(excerpt === undefined ? {} : { excerpt }),
  }
}

function viewMention({ noteId, text, agentName, createdAt, isSeen }: RowMention) {
  return { noteId, text: oneLine(text, PREVIEW_LENGTH), agentName, at: isoTime(createdAt), isSeen }
}
