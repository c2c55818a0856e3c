import { and, desc, eq, isNull, or, sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { statement, text } from '../database/statement.ts'
import { customers } from '../database/tables/customers.ts'
import { messages } from '../database/tables/messages.ts'
import { type HeldBecause, scheduledMessages } from '../database/tables/scheduled-messages.ts'
import { mentions } from '../database/tables/threads.ts'
import { PLACES, type TicketStatus, tickets } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { newestEvent } from '../events/events.ts'
import { listViews } from '../saved-views/saved-views.ts'
import { isHeldForMe, isScheduledForMe, isSuggested } from '../search/conditions.ts'
import { type Count, countMatches, MAX_COUNTED, readCount } from '../search/count-tickets.ts'
import { type Filter, PERSONAL } from '../search/filters.ts'
import { readSearch, type Search } from '../search/read-search.ts'
import { countOpenTags, countTickets, readCounters } from '../tickets/counters.ts'

const INBOX = [PLACES.inbox]
/** What an agent has to do with is listed while it is snoozed, too. */
const isAwakeOrSnoozed = sql`${tickets.place} in (${sql.raw(`${PLACES.inbox}, ${PLACES.snoozed}`)})`

/** Tags of open tickets with a number in the rail, which shows fewer. */
const MAX_TAGS = 200

/** The numbers in the rail: from counters, except failed sends, held replies, suggestions and saved views, counted up to a limit. */
export async function readCounts(deps: Deps, countViews: ViewCounter, orgId: string, me: string) {
  const { read } = deps.database
  const { saved, askAgainMs } = await countViews(deps, orgId, me)
  const all = await readCounters(read, orgId)
  const withStatus = (status: TicketStatus) =>
    sumOf(all.filter((counter) => counter.status === status && counter.place === PLACES.inbox))
  const [failed] = await failedTickets(read, { orgId })
  const held = await readHeld(read, orgId, me)
  const [mentioned] = await unseenMentions(read, { orgId, me })
  const [scheduled] = await scheduledTickets(read, { orgId, me })
  const [suggested] = await suggestedTickets(read, { orgId })
  return {
    views: {
      mine: await countTickets(read, orgId, { status: 'open', assignedTo: me, places: INBOX }),
      unassigned: await countTickets(read, orgId, { status: 'open', assignedTo: '', places: INBOX }),
      open: withStatus('open'),
      pending: withStatus('pending'),
      resolved: withStatus('resolved'),
      failed: failed?.total ?? 0,
      held: held.tickets,
      mentions: mentioned?.total ?? 0,
      scheduled: scheduled?.total ?? 0,
      suggested: suggested?.total ?? 0,
      snoozed: sumOf(all.filter(({ place }) => place === PLACES.snoozed)),
      spam: sumOf(all.filter(({ place }) => place === PLACES.spam)),
    },
    tags: (await countOpenTags(deps.database, orgId, MAX_TAGS)).map(({ tag, open }) => ({
      tag,
      count: open,
    })),
    saved,
    heldReplies: held.mine,
    ...(askAgainMs === undefined ? {} : { askAgainMs }),
  }
}

function sumOf(counters: { count: number }[]): number {
  return counters.reduce((sum, { count }) => sum + count, 0)
}

/** The partial index is used only for a query with exactly its condition. */
const failedTickets = statement('inbox_failed', { orgId: text }, (read: Reader, p) => {
  const failed = read
    .selectDistinct({ ticketId: messages.ticketId })
    .from(messages)
    .where(and(eq(messages.orgId, p.orgId), sql`sending in ('failed', 'bounced')`))
    .limit(MAX_COUNTED)
    .as('failed')
  return read
    .select({ total: sql<number>`cast(count(*) as integer)` })
    .from(failed)
    .innerJoin(tickets, eq(tickets.id, failed.ticketId))
    .where(isAwakeOrSnoozed)
})

/** The tickets with a mention of the agent that they haven't seen. */
const unseenMentions = statement('inbox_mentions', { orgId: text, me: text }, (read: Reader, p) =>
  read
    .select({ total: sql<number>`cast(count(distinct ${mentions.ticketId}) as integer)` })
    .from(mentions)
    .innerJoin(tickets, eq(tickets.id, mentions.ticketId))
    .where(
      and(eq(mentions.orgId, p.orgId), eq(mentions.agentId, p.me), sql`seen_at is null`, isAwakeOrSnoozed),
    ),
)

/** The tickets with a reply for later, and the agent's new tickets that aren't open yet. */
const scheduledTickets = statement('inbox_scheduled', { orgId: text, me: text }, (read: Reader) => {
  const scheduled = read
    .selectDistinct({
      id: sql<string>`coalesce(${scheduledMessages.ticketId}, ${scheduledMessages.id})`.as('scheduled_id'),
    })
    .from(scheduledMessages)
    .where(
      and(
        eq(scheduledMessages.orgId, text.bind('orgId')),
        isScheduledForMe,
        sql`(ticket_id is not null or ${scheduledMessages.agentId} = ${text.bind('me')})`,
      ),
    )
    .limit(MAX_COUNTED)
    .as('scheduled')
  return read
    .select({ total: sql<number>`cast(count(*) as integer)` })
    .from(scheduled)
    .leftJoin(tickets, eq(tickets.id, scheduled.id))
    .where(or(isNull(tickets.id), isAwakeOrSnoozed))
})

/** The tickets that *Suggested* lists. */
const suggestedTickets = statement('inbox_suggested', { orgId: text }, (read: Reader, p) => {
  const suggested = read
    .select({ id: tickets.id })
    .from(tickets)
    .where(and(eq(tickets.orgId, p.orgId), isSuggested, isAwakeOrSnoozed))
    .limit(MAX_COUNTED)
    .as('suggested')
  return read.select({ total: sql<number>`cast(count(*) as integer)` }).from(suggested)
})

/** Counts that take less are not kept; others are kept for a multiple of what they took. */
const CHEAP_MS = 5
const KEEP_FACTOR = 100
const MAX_KEEP_MS = 5_000
const MAX_CACHED = 2_000

interface ViewCounts {
  saved: { id: string; count: number; isAtLeast?: true }[]
  /** The counts may be out of date; after this many milliseconds they are counted again. */
  askAgainMs?: number
}
type ViewCounter = (deps: Deps, orgId: string, me: string, zone?: string) => Promise<ViewCounts>

interface CachedCount extends Count {
  /** The newest event when the counting began. */
  event: number
  keepUntil: number
}

interface CountRequest {
  orgId: string
  me: string
  search: Search
  newestEvent: number
}

/**
 * Counts saved views for any number of pages. Everyone who asks for the same query gets the same count, an organization
 * counts one query at a time, and an expensive count is kept for some seconds, or until something happens in the
 * organization. Dates are in the time zone of the page.
 */
export function createViewCounter(): ViewCounter {
  const cached = new Map<string, CachedCount>()
  const running = new Map<string, Promise<CachedCount>>()
  const queues = new Map<string, Promise<unknown>>()

  function start(deps: Deps, key: string, request: CountRequest): Promise<CachedCount> {
    const previous = queues.get(request.orgId)
    const counting = countAfter(previous, deps, request).then((count) => {
      cached.delete(key)
      cached.set(key, count)
      const [oldest] = cached.keys()
      if (cached.size > MAX_CACHED && oldest !== undefined) cached.delete(oldest)
      return count
    })
    const settled = counting
      .catch(() => {})
      .then(() => {
        running.delete(key)
        if (queues.get(request.orgId) === settled) queues.delete(request.orgId)
      })
    queues.set(request.orgId, settled)
    running.set(key, counting)
    return counting
  }

  async function countOf(deps: Deps, request: CountRequest): Promise<Count & { staleUntil?: number }> {
    const exact = await readCount(deps.database.read, request.orgId, request.search)
    if (exact) return exact
    const key = keyOf(request)
    const known = cached.get(key)
    const isCurrent = (count: CachedCount) =>
      count.event === request.newestEvent && dependsOnEventsOnly(request.search)
    const isUsable = known && (isCurrent(known) || deps.clock.monotonic() < known.keepUntil)
    const shared = isUsable ? known : running.get(key)
    // Without a pause in between, or several that ask at the same moment would each count.
    if (!shared) return start(deps, key, request)
    const count = await shared
    return isCurrent(count) ? count : { ...count, staleUntil: count.keepUntil }
  }

  return async (deps, orgId, me, zone) => {
    const { read } = deps.database
    const newest = await newestEvent(read, orgId)
    const counts: ViewCounts = { saved: [] }
    let staleUntil = Number.POSITIVE_INFINITY
    for (const { id, query } of await listViews(read, { orgId, agentId: me })) {
      const search = await validSearch(readSearch(read, { orgId, me, text: query, zone }))
      if (!search) continue
      const { count, isAtLeast, ...age } = await countOf(deps, { orgId, me, search, newestEvent: newest })
      counts.saved.push({ id, count, ...(isAtLeast ? { isAtLeast } : {}) })
      staleUntil = Math.min(staleUntil, age.staleUntil ?? staleUntil)
    }
    if (staleUntil === Number.POSITIVE_INFINITY) return counts
    return { ...counts, askAgainMs: Math.ceil(Math.max(1, staleUntil - deps.clock.monotonic())) }
  }
}

/** Waits for the organization's counts that began before. */
async function countAfter(
  previous: Promise<unknown> | undefined,
  deps: Deps,
  { orgId, me, search, newestEvent }: CountRequest,
): Promise<CachedCount> {
  await previous
  const startedAt = deps.clock.monotonic()
  const count = await countMatches(deps, orgId, me, search)
  const endedAt = deps.clock.monotonic()
  const cost = endedAt - startedAt
  const keep = cost < CHEAP_MS ? 0 : Math.min(cost * KEEP_FACTOR, MAX_KEEP_MS)
  return { ...count, event: newestEvent, keepUntil: endedAt + keep }
}

/** Filters by what can change without an event. */
const SILENT: Filter['kind'][] = ['unread', 'draft', 'failed', 'followed']

/** The same for every agent, unless the count depends on what the agent has read or drafted. */
function keyOf({ orgId, me, search: { filters, indexQuery, ticketReference } }: CountRequest): string {
  const isPersonal = filters.some(({ kind }) => PERSONAL.includes(kind))
  return JSON.stringify([orgId, isPersonal ? me : '', filters, indexQuery, ticketReference])
}

/** Whether the count changes only with an event, and not with reading, drafting or indexing. */
function dependsOnEventsOnly({ filters, indexQuery }: Search): boolean {
  return !indexQuery && !filters.some(({ kind }) => SILENT.includes(kind))
}

/** A view may name an agent who has been renamed since. */
async function validSearch(search: Promise<Search>): Promise<Search | undefined> {
  try {
    return await search
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** The most notices that are shown. The list has the rest. */
const MAX_NAMED = 20

interface HeldReply {
  id: string
  ticketId: string
  /** Name of the customer. */
  customer: string
  /** The agent who answered first; empty when unknown. */
  answeredBy: string
  because: HeldBecause
}

/** Someone wrote first. */
const OVERTAKEN: HeldBecause[] = ['answered', 'customer_wrote']

/** Counts tickets with a held reply that the agent can decide on, and lists the agent's newest ones. */
async function readHeld(
  read: Reader,
  orgId: string,
  me: string,
): Promise<{ tickets: number; mine: HeldReply[] }> {
  const replies = await heldReplies(read, { orgId, me })
  const overtaken = replies.filter(
    ({ agentId, heldBecause }) => agentId === me && OVERTAKEN.includes(heldBecause ?? 'answered'),
  )
  return {
    tickets: new Set(replies.map(({ ticketId }) => ticketId)).size,
    mine: overtaken.slice(0, MAX_NAMED).map(({ id, ticketId, customer, answeredBy, heldBecause }) => ({
      id,
      ticketId,
      customer,
      answeredBy: answeredBy ?? '',
      because: heldBecause ?? 'answered',
    })),
  }
}

/** The agent who answered first after what the author had seen. */
const answeredBy = sql<string | null>`(select said.agent_name from messages said
  where said.org_id = ${text.bind('orgId')} and said.ticket_id = ${scheduledMessages.ticketId} and said.role = 'agent' and not said.is_automatic
  and coalesce(said.agent_id, '') <> ${scheduledMessages.agentId}
  and (said.created_at, said.id) > (${scheduledMessages.seenAt}, ${scheduledMessages.seenMessageId})
  order by said.created_at, said.id limit 1)`

const heldReplies = statement('inbox_held', { orgId: text, me: text }, (read: Reader) =>
  read
    .select({
      id: scheduledMessages.id,
      ticketId: tickets.id,
      agentId: scheduledMessages.agentId,
      heldBecause: scheduledMessages.heldBecause,
      customer: customers.name,
      answeredBy,
    })
    .from(scheduledMessages)
    .innerJoin(tickets, eq(tickets.id, scheduledMessages.ticketId))
    .innerJoin(customers, eq(customers.id, tickets.customerId))
    .where(and(eq(scheduledMessages.orgId, text.bind('orgId')), isHeldForMe, isAwakeOrSnoozed))
    .orderBy(desc(scheduledMessages.createdAt), desc(scheduledMessages.id))
    .limit(MAX_COUNTED),
)
