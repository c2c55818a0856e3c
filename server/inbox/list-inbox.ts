import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import type { ExpensiveRead } from '../database/expensive-reads.ts'
import { NAMED_IN_QUERY, statement, text } from '../database/statement.ts'
import { attachments } from '../database/tables/attachments.ts'
import { customers } from '../database/tables/customers.ts'
import { type MessageFormat, type MessageRole, messages } from '../database/tables/messages.ts'
import { readMarks } from '../database/tables/threads.ts'
import { tickets } from '../database/tables/tickets.ts'
import { snoozes } from '../database/tables/timers.ts'
import { visitors, widgetConversations } from '../database/tables/widgets.ts'
import type { Deps } from '../deps.ts'
import { plainTextOf, withoutImageMarks } from '../formatting/plain-text.ts'
import type { OwnOrder } from '../search/choose-index.ts'
import {
  hasDraft,
  hasFailedSend,
  hasHeldReply,
  hasScheduledReply,
  isOneOf,
  newestMessageId,
  ownReadMark,
  unindexedOrganization,
} from '../search/conditions.ts'
import { readSearch, type Search } from '../search/read-search.ts'
import { searchPage } from '../search/search-page.ts'
import { withExcerpts } from '../search/ticket-excerpts.ts'
import { isBlank } from '../text/text.ts'
import { TICKET_SORTS, type TicketSort } from '../tickets/list-ranges.ts'
import { type TicketWithCustomer, ticketWithCustomer } from '../tickets/queries.ts'
import { type Snooze, type SnoozeNote, snoozeNoteOf } from '../tickets/snooze/snooze.ts'
import { addLongWaits } from './long-waits.ts'
import { addMentions, type RowMention } from './row-mentions.ts'

export const MAX_ROWS = 100
/** Those of the inbox alone need their filter; without it, they are the order of the last message. */
export const INBOX_SORTS = [...TICKET_SORTS, 'mention_desc', 'wake'] as const
type InboxSort = (typeof INBOX_SORTS)[number]
const OWN_ORDERS: Partial<Record<InboxSort, OwnOrder>> = { mention_desc: 'mentioned', wake: 'snoozed' }
const DEFAULT_ROWS = 50
/** Much of a message is quoted mail or one long line: a preview needs only its beginning. */
const PREVIEW_SOURCE_LENGTH = 800
/** Before the text of a message that the customer doesn't see anymore. */
const TAKEN_BACK = 'Taken back: '

/** A ticket as one agent sees it in the list. */
export interface InboxRow extends TicketWithCustomer {
  /** The beginning of the newest message, without marks. Without a text, what it has instead. */
  newest: { id: string; text: string; role: MessageRole; createdAt: number } | undefined
  isUnread: boolean
  hasDraft: boolean
  hasFailedSend: boolean
  /** The agent's own held reply, or one of a disabled agent. */
  hasHeldReply: boolean
  /** The agent's own reply that is sent later, or one of an API key or a disabled agent. */
  hasScheduledReply: boolean
  /** Of a ticket that is snoozed, or back without a message or a solution since. */
  snooze?: SnoozeNote
  /** The page of a website that its visitor was on last. */
  pageUrl: string | null
  pageTitle: string | null
  /** In which the ticket was opened. */
  widgetId: string | null
  /** When the customer, who waits for an answer, will have waited for long. */
  longWaitAt?: number
  /** Text around a search word. */
  excerpt?: string
  /** In a list of mentions. */
  mention?: RowMention
}

interface InboxRequest {
  /** Id of the agent who asks. */
  me: string
  /** As server/search/query-language.ts reads it. Empty finds everything but spam. */
  q?: string
  /** The time zone of the dates in the query; UTC by default. */
  zone?: string
  sort?: InboxSort
  cursor?: string
  limit?: number
  expensive: ExpensiveRead
}

interface InboxPage {
  rows: InboxRow[]
  nextCursor: string | undefined
  /** The search reached its limit of examined tickets. The next page continues where it stopped, if it can. */
  isTooBroad: boolean
  terms: string[]
}

/**
 * One page of the inbox. Throws 400 `invalid_query` for a query that can't be read, and 400 for a cursor of another
 * list. A ticket that gets a message while pages are read moves to the top, so no later page repeats it.
 */
export async function listInbox(
  deps: Deps,
  orgId: string,
  { me, q = '', zone, sort = 'message_desc', cursor, limit = DEFAULT_ROWS, expensive }: InboxRequest,
): Promise<InboxPage> {
  const { read } = deps.database
  const search = await readSearch(read, { orgId, me, text: q, zone })
  const list = Bun.hash.wyhash(JSON.stringify([sort, search])).toString(36)
  const wanted = { orgId, me, search, ...orderOf(sort, search), list, cursor, limit, expensive }
  const { ids, nextCursor, isTooBroad } = await searchPage(deps.database, wanted)
  const rows = await readRows(read, { orgId, me, ids })
  await addLongWaits(read, { orgId, rows })
  if (isOf(search, 'mentioned')) await addMentions(read, { orgId, me, rows })
  return {
    rows: await withExcerpts(read, { orgId, rows, terms: search.terms, expensive }),
    nextCursor,
    isTooBroad,
    terms: search.terms,
  }
}

function orderOf(sort: InboxSort, search: Search): { sort: TicketSort; ownOrder?: OwnOrder } {
  const known = TICKET_SORTS.find((one) => one === sort)
  const own = OWN_ORDERS[sort]
  return {
    sort: known ?? 'message_desc',
    ...(own && isOf(search, own) && !search.indexQuery && { ownOrder: own }),
  }
}

function isOf({ filters }: Search, kind: OwnOrder): boolean {
  return filters.some((filter) => filter.kind === kind && !filter.isNegated)
}

/** The rows of some tickets, in the order of the ids, without those deleted in the meantime. */
async function readRows(
  read: Reader,
  { orgId, me, ids }: { orgId: string; me: string; ids: string[] },
): Promise<InboxRow[]> {
  if (ids.length === 0) return []
  const places = Array.from({ length: MAX_ROWS }, (_, place) => [`id${place}`, ids[place] ?? ''])
  const rows = await rowsById(read, { orgId, me, ...Object.fromEntries(places) })
  const byId = new Map(rows.map((row) => [row.id, row]))
  const found = ids.flatMap((id) => {
    const row = byId.get(id)
    return row ? [inboxRow(row)] : []
  })
  return withDescriptions(read, orgId, found)
}

async function withDescriptions(read: Reader, orgId: string, rows: InboxRow[]): Promise<InboxRow[]> {
  const textless = rows.flatMap(({ newest }) => (newest && isBlank(newest.text) ? [newest.id] : []))
  const descriptions = await describeTextless(read, { orgId, ids: textless })
  return rows.map((row) => {
    const text = row.newest && descriptions.get(row.newest.id)
    return row.newest && text !== undefined ? { ...row, newest: { ...row.newest, text } } : row
  })
}

function inboxRow({
  text,
  format,
  role,
  messageAt,
  messageId,
  takenBackAt,
  readMarkAt,
  readMarkId,
  hasDraft,
  hasFailedSend,
  hasHeldReply,
  hasScheduledReply,
  snooze,
  ...ticket
}: StoredRow): InboxRow {
  const shownSnooze = snoozeNoteOf(ticket, snooze, messageAt ?? 0)
  const isRead =
    readMarkAt !== null &&
    (readMarkAt > (messageAt ?? 0) || (readMarkAt === messageAt && (readMarkId ?? '') >= (messageId ?? '')))
  return {
    ...ticket,
    newest:
      text === null || format === null || role === null || messageId === null
        ? undefined
        : {
            id: messageId,
            text: `${takenBackAt === null ? '' : TAKEN_BACK}${withoutImageMarks(plainTextOf({ text, format }, 'text'))}`,
            role,
            createdAt: messageAt ?? ticket.createdAt,
          },
    isUnread: (role === 'customer' || shownSnooze?.isOver === true) && !isRead,
    ...(shownSnooze && { snooze: shownSnooze }),
    hasDraft: Boolean(hasDraft),
    hasFailedSend: Boolean(hasFailedSend),
    hasHeldReply: Boolean(hasHeldReply),
    hasScheduledReply: Boolean(hasScheduledReply),
  }
}

interface StoredRow extends TicketWithCustomer {
  text: string | null
  format: MessageFormat | null
  role: MessageRole | null
  messageAt: number | null
  messageId: string | null
  takenBackAt: number | null
  readMarkAt: number | null
  readMarkId: string | null
  pageUrl: string | null
  pageTitle: string | null
  widgetId: string | null
  /** 0 or 1 on SQLite. */
  hasDraft: unknown
  hasFailedSend: unknown
  hasHeldReply: unknown
  hasScheduledReply: unknown
  snooze: Snooze | null
}

const rowsById = statement('inbox_rows', NAMED_IN_QUERY, (read: Reader) =>
  read
    .select({
      ...ticketWithCustomer,
      text: sql<string | null>`substr(${messages.text}, 1, ${sql.raw(String(PREVIEW_SOURCE_LENGTH))})`,
      format: messages.format,
      role: messages.role,
      messageAt: messages.createdAt,
      messageId: messages.id,
      takenBackAt: messages.takenBackAt,
      readMarkAt: readMarks.messageAt,
      readMarkId: readMarks.messageId,
      pageUrl: visitors.pageUrl,
      pageTitle: visitors.pageTitle,
      widgetId: widgetConversations.widgetId,
      hasDraft: sql<unknown>`${hasDraft}`,
      hasFailedSend: sql<unknown>`${hasFailedSend}`,
      hasHeldReply: sql<unknown>`${hasHeldReply}`,
      hasScheduledReply: sql<unknown>`${hasScheduledReply}`,
      snooze: snoozes,
    })
    .from(tickets)
    .innerJoin(customers, eq(customers.id, tickets.customerId))
    .leftJoin(messages, eq(messages.id, newestMessageId))
    .leftJoin(readMarks, ownReadMark)
    .leftJoin(snoozes, eq(snoozes.ticketId, tickets.id))
    .leftJoin(widgetConversations, eq(widgetConversations.ticketId, tickets.id))
    .leftJoin(visitors, eq(visitors.id, widgetConversations.visitorId))
    .where(
      and(
        isOneOf(
          tickets.id,
          Array.from({ length: MAX_ROWS }, (_, place) => text.bind(`id${place}`)),
        ),
        unindexedOrganization,
      ),
    ),
)

/** The list's text for messages without one, by message id: whom they were forwarded to, or their files. */
async function describeTextless(
  read: Reader,
  { orgId, ids }: { orgId: string; ids: string[] },
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const found = await read
    .select({ id: messages.id, email: messages.email })
    .from(messages)
    .where(and(eq(messages.orgId, orgId), inArray(messages.id, ids)))
  const files = await read
    .select({ ownerId: attachments.ownerId, name: attachments.name })
    .from(attachments)
    .where(and(eq(attachments.orgId, orgId), inArray(attachments.ownerId, ids)))
    .orderBy(asc(attachments.position))
  const namesById = Map.groupBy(files, ({ ownerId }) => ownerId)
  return new Map(
    found.map(({ id, email }) => {
      const names = (namesById.get(id) ?? []).map(({ name }) => name)
      const recipients = email?.forwardOf === undefined ? [] : [...email.to, ...email.cc]
      return [id, forwardedTo(recipients) || filesNamed(names)]
    }),
  )
}

function forwardedTo(recipients: { address: string }[]): string {
  return recipients.length === 0 ? '' : `Forwarded to ${recipients.map(({ address }) => address).join(', ')}`
}

function filesNamed(names: string[]): string {
  if (names.length === 0) return ''
  return `${names.length === 1 ? '1 file' : `${names.length} files`}: ${names.join(', ')}`
}
