import { and, desc, eq, isNotNull, isNull, lt, or, sql } from 'drizzle-orm'
import type { Reader } from '../../database/database.ts'
import { command, integerParameter, statement, textParameter } from '../../database/statement.ts'
import { organizations } from '../../database/tables/organizations.ts'
import { searchCursors } from '../../database/tables/search.ts'
import { tickets } from '../../database/tables/tickets.ts'
import type { Deps } from '../../deps.ts'
import { type Loop, startLoop } from '../../loop.ts'
import { addOlderDocuments } from './documents.ts'
import { createFollower, type Follower } from './follow-log.ts'
import { createUpkeep, type Erased } from './merge-segments.ts'
import { MOST_TICKETS, readTickets } from './read-tickets.ts'
import { reindexRenamed } from './reindex-customer.ts'

/** Several events of a ticket within this time are one piece of work, and several tickets one commit. */
const LEAST_REST_MS = 25
/** For each millisecond of work so many of rest: requests come first. */
const REST_FACTOR = 5
/** A computer that slept through a turn worked no longer for it. */
const MOST_REST_MS = 500
const NEWEST = Number.MAX_SAFE_INTEGER

/** How far an organization's tickets have been read; without a number nothing was yet. */
interface Progress {
  orgId: string
  lastEvent: number
  eventNumber: number | null
  backAt: number | null
  backId: string | null
  /** A customer whose name has changed, the first of them. */
  renamed: string | null
  erasedEvent: number | null
}

/**
 * Keeps the full-text index behind the log, asynchronously: a change is found some 25 ms later, and no request waits
 * for it. Tickets from before come in from the newest back. How far it is stands in rows, so a restart goes on there.
 */
export function startIndexing(deps: Deps): Loop {
  const followLog = createFollower(deps)
  const keepUp = createUpkeep(deps)
  let nextAt = deps.clock.monotonic()
  return startLoop(deps, 'search_index', async () => {
    const startedAt = deps.clock.monotonic()
    if (startedAt < nextAt) return nextAt - startedAt
    const behind = await organizationsBehind(deps.database.read, {})
    for (const progress of behind) await indexSome(deps, followLog, progress)
    const isUpkeepLeft = await keepUp(behind.some(isBehind), behind.flatMap(erasedIn))
    const endedAt = deps.clock.monotonic()
    const rest = Math.max(LEAST_REST_MS, (endedAt - startedAt) * REST_FACTOR)
    nextAt = endedAt + Math.min(rest, MOST_REST_MS)
    return behind.length > 0 || isUpkeepLeft ? nextAt - endedAt : Number.POSITIVE_INFINITY
  })
}

/** One unit of work for one organization: what changed comes before what is old. */
async function indexSome(deps: Deps, followLog: Follower, progress: Progress): Promise<void> {
  const { orgId, lastEvent, eventNumber, backAt, renamed } = progress
  if (eventNumber === null) return begin(deps, progress)
  if (eventNumber < lastEvent) return followLog(orgId, { cursor: eventNumber, lastEvent })
  if (renamed !== null) return reindexRenamed(deps, orgId, renamed)
  if (backAt !== null) return goBack(deps, progress, backAt)
}

/** Whether there is something to put into the index, or to take out. */
function isBehind({ lastEvent, eventNumber, backAt, renamed }: Progress): boolean {
  return eventNumber === null || eventNumber < lastEvent || backAt !== null || renamed !== null
}

/** As soon as the log has told the index of it: a ticket that was just being read is taken out only then. */
function erasedIn({ orgId, eventNumber, erasedEvent }: Progress): Erased[] {
  if (erasedEvent === null || eventNumber === null || eventNumber < erasedEvent) return []
  return [{ orgId, erasedEvent }]
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

const firstRenamed = sql`(select min(renamed.id) from customers renamed where renamed.org_id = ${organizations.id}
  and renamed.reindex_after is not null)`

const organizationsBehind = statement<Record<string, never>, Progress[], Reader>('search_behind', (read) =>
  read
    .select({
      orgId: organizations.id,
      lastEvent: organizations.lastEvent,
      eventNumber: searchCursors.eventNumber,
      backAt: searchCursors.backAt,
      backId: searchCursors.backId,
      erasedEvent: organizations.erasedEvent,
      renamed: sql<string | null>`${firstRenamed}`,
    })
    .from(organizations)
    .leftJoin(searchCursors, eq(searchCursors.orgId, organizations.id))
    .where(
      or(
        isNull(searchCursors.orgId),
        lt(searchCursors.eventNumber, organizations.lastEvent),
        isNotNull(searchCursors.backAt),
        isNotNull(firstRenamed),
        isNotNull(organizations.erasedEvent),
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

const moveBack = command<{ orgId: string; backAt: number | null; backId: string }>(
  'search_move_back',
  (tx, p) =>
    tx
      .update(searchCursors)
      .set({ backAt: sql`${p.backAt}`, backId: sql`${p.backId}` })
      .where(eq(searchCursors.orgId, p.orgId)),
)
