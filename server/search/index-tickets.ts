import { and, desc, eq, isNotNull, isNull, lt, or, sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { organizations, searchCursors, tickets } from '../database/schema.ts'
import { command, integerParameter, statement, textParameter } from '../database/statement.ts'
import type { Deps } from '../deps.ts'
import { eventsAfter } from '../events/events.ts'
import { type Loop, startLoop } from '../loop.ts'
import { documentWords } from './document.ts'
import { addOlderDocuments, type Read, replaceDocuments } from './documents.ts'

/** One unit, and so how long everybody else waits: a few milliseconds. */
const MOST_TICKETS = 25
const MOST_WORDS = 5_000
const MOST_EVENTS = 500
/** Several events of a ticket within this time are one piece of work, and several tickets one commit. */
const LEAST_REST_MS = 25
/** For each millisecond of work so many of rest: requests come first. */
const REST_FACTOR = 5
/** A computer that slept through a turn worked no longer for it. */
const MOST_REST_MS = 500
/** How many tickets are read before others get their turn. */
const READ_AT_ONCE = 10
const NEWEST = Number.MAX_SAFE_INTEGER

/** How far an organization's tickets have been read; without a number nothing was yet. */
interface Progress {
  orgId: string
  lastEvent: number
  eventNumber: number | null
  backAt: number | null
  backId: string | null
}

/**
 * Keeps the full-text index behind the log, asynchronously: a change is found some 25 ms later, and no request waits
 * for it. Tickets from before come in from the newest back. How far it is stands in rows, so a restart goes on there.
 */
export function startIndexing(deps: Deps): Loop {
  let nextAt = deps.clock.monotonic()
  return startLoop(deps, 'search_index', async () => {
    const startedAt = deps.clock.monotonic()
    if (startedAt < nextAt) return nextAt - startedAt
    const behind = await organizationsBehind(deps.database.read, {})
    for (const progress of behind) await indexSome(deps, progress)
    const endedAt = deps.clock.monotonic()
    const rest = Math.max(LEAST_REST_MS, (endedAt - startedAt) * REST_FACTOR)
    nextAt = endedAt + Math.min(rest, MOST_REST_MS)
    return behind.length > 0 ? nextAt - endedAt : Number.POSITIVE_INFINITY
  })
}

/** One unit of work for one organization: what changed comes before what is old. */
async function indexSome(deps: Deps, progress: Progress): Promise<void> {
  if (progress.eventNumber === null) return begin(deps, progress)
  if (progress.eventNumber < progress.lastEvent) return followLog(deps, progress, progress.eventNumber)
  if (progress.backAt !== null) return goBack(deps, progress, progress.backAt)
}

/** What happens from now on comes by the log; what is there, from the newest back. */
async function begin(deps: Deps, { orgId, lastEvent }: Progress): Promise<void> {
  await deps.database.write(async (tx) => {
    await tx
      .insert(searchCursors)
      .values({ orgId, eventNumber: lastEvent, backAt: NEWEST })
      .onConflictDoNothing()
  })
}

async function followLog(deps: Deps, { orgId, lastEvent }: Progress, cursor: number): Promise<void> {
  const events = await eventsAfter(deps.database.read, orgId, cursor, MOST_EVENTS)
  const firstOf = new Map<string, number>()
  const lastOf = new Map<string, number>()
  for (const { ticketId, number } of events) {
    if (ticketId === '') continue
    if (!firstOf.has(ticketId)) firstOf.set(ticketId, number)
    lastOf.set(ticketId, number)
  }
  const read = await readTickets(deps, orgId, [...firstOf.keys()])
  // All events before the first one of a ticket that did not fit any more. What the log has forgotten is passed over.
  const next = [...firstOf.values()][read.length]
  const eventNumber = next === undefined ? (events.at(-1)?.number ?? lastEvent) : next - 1
  const order = (one: Read) => lastOf.get(one.ticketId) ?? 0
  await deps.database.write(async (tx) => {
    await moveCursor(tx, { orgId, eventNumber })
    await replaceDocuments(
      tx,
      orgId,
      read.toSorted((one, other) => order(one) - order(other)),
    )
  })
}

async function goBack(deps: Deps, { orgId, backId }: Progress, backAt: number): Promise<void> {
  const place = { orgId, at: backAt, id: backId ?? '' }
  const older = await olderTickets(deps.database.read, { ...place, limit: MOST_TICKETS })
  const ids = older.map(({ id }) => id)
  const read = await readTickets(deps, orgId, ids)
  const last = older[read.length - 1]
  await deps.database.write(async (tx) => {
    await moveBack(tx, { orgId, backAt: last?.at ?? null, backId: last?.id ?? '' })
    await addOlderDocuments(tx, orgId, read)
  })
}

/** As many of the tickets, in their order, as one unit takes; at least one. */
async function readTickets(deps: Deps, orgId: string, ids: string[]): Promise<Read[]> {
  const read: Read[] = []
  let words = 0
  for (const ticketId of ids.slice(0, MOST_TICKETS)) {
    const found = await documentWords(deps.database.read, { orgId, ticketId })
    words += found?.length ?? 0
    if (words > MOST_WORDS && read.length > 0) break
    read.push({ ticketId, words: found })
    if (read.length % READ_AT_ONCE === 0) await othersTurn()
  }
  return read
}

function othersTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

const organizationsBehind = statement<Record<string, never>, Progress[], Reader>('search_behind', (read) =>
  read
    .select({
      orgId: organizations.id,
      lastEvent: organizations.lastEvent,
      eventNumber: searchCursors.eventNumber,
      backAt: searchCursors.backAt,
      backId: searchCursors.backId,
    })
    .from(organizations)
    .leftJoin(searchCursors, eq(searchCursors.orgId, organizations.id))
    .where(
      or(
        isNull(searchCursors.orgId),
        lt(searchCursors.eventNumber, organizations.lastEvent),
        isNotNull(searchCursors.backAt),
      ),
    ),
)

const olderTickets = statement<
  { orgId: string; at: number; id: string; limit: number },
  { id: string; at: number }[],
  Reader
>('search_older_tickets', (read, p) =>
  read
    .select({ id: tickets.id, at: tickets.updatedAt })
    .from(tickets)
    .where(
      and(
        eq(tickets.orgId, textParameter(p.orgId)),
        sql`(${tickets.updatedAt}, ${tickets.id}) < (${integerParameter(p.at)}, ${textParameter(p.id)})`,
      ),
    )
    .orderBy(desc(tickets.updatedAt), desc(tickets.id))
    .limit(p.limit),
)

const moveCursor = command<{ orgId: string; eventNumber: number }>('search_move_cursor', (tx, p) =>
  tx
    .update(searchCursors)
    .set({ eventNumber: sql`${p.eventNumber}` })
    .where(eq(searchCursors.orgId, p.orgId)),
)

const moveBack = command<{ orgId: string; backAt: number | null; backId: string }>(
  'search_move_back',
  (tx, p) =>
    tx
      .update(searchCursors)
      .set({ backAt: sql`${p.backAt}`, backId: sql`${p.backId}` })
      .where(eq(searchCursors.orgId, p.orgId)),
)
