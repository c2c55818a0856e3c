import { and, eq, isNotNull, isNull, lt, or, sql } from 'drizzle-orm'
import type { Reader } from '../../database/database.ts'
import { matches } from '../../database/matches.ts'
import { PartitionLost, withFence } from '../../database/postgresql/fence.ts'
import { command, integer, NAMED_IN_QUERY, orNull, statement, text } from '../../database/statement.ts'
import { customers } from '../../database/tables/customers.ts'
import { organizations } from '../../database/tables/organizations.ts'
import { searchCursors } from '../../database/tables/search.ts'
import { tickets } from '../../database/tables/tickets.ts'
import type { Deps } from '../../deps.ts'
import { amongText, isAmong, isHeld, startHeldLoop } from '../../jobs/held.ts'
import type { Loop } from '../../loop.ts'
import type { Traffic } from '../../requests/traffic.ts'
import { ALL_TICKETS, rangeParams, rangeShape, selectRanges } from '../../tickets/list-ranges.ts'
import { documentOfCustomer, indexNewCustomers, missingCustomers } from './customer-documents.ts'
import { addOlderDocuments, replaceDocuments, skipUsedBlocks, updateDocuments } from './documents.ts'
import { createFollower, type Follower, MAX_NEXT_EVENTS } from './follow-log.ts'
import { createMerger, type Erasure } from './merge-segments.ts'
import { LARGE_UNIT, readDocuments, SMALL_UNIT, type UnitSize } from './read-documents.ts'

/** Events of a ticket within this time are indexed together, and several tickets in one commit. */
const MIN_REST_MS = 25
/**
 * While there are requests, milliseconds of rest for each millisecond that this thread worked: they come first, and their
 * work counts too.
 */
const REST_FACTOR = 2
const MAX_REST_MS = 500
/** Indexed in one run. */
const MAX_ORGANIZATIONS = 1_000
const NEWEST = Number.MAX_SAFE_INTEGER

/** How far an organization is indexed; without an event number, not at all. */
interface Progress {
  orgId: string
  lastEvent: number
  eventNumber: number | null
  backAt: number | null
  backId: string | null
  /** The first of the customers who are new, or whose tickets are indexed under what they were called before. */
  renamed: string | null
  erasedEvent: number | null
  /** The next events that aren't indexed, as `nextEvents` has them. */
  next: string | null
}

/**
 * Keeps the full-text index up to date from the log: a change can be found about 25 ms later, and no request waits for
 * it. Existing tickets are added from the newest to the oldest, in large units without a rest while the server is idle. The
 * progress is stored, so a restart continues from it.
 */
export function startIndexing(deps: Deps, traffic: Pick<Traffic, 'isIdle'>): Loop {
  const { partitions } = deps.cluster
  const followLog = createFollower(deps)
  const mergeSome = createMerger(deps)
  let nextAt = deps.clock.monotonic()
  let isFirst = true
  return startHeldLoop(deps, 'search_index', [organizations, customers], async (orgIds) => {
    const startedAt = deps.clock.monotonic()
    if (startedAt < nextAt) return nextAt - startedAt
    if (isFirst) await skipUsedBlocks(deps.database)
    isFirst = false
    // Measures processor time, because waiting for the disk doesn't block anything.
    const worked = process.threadCpuUsage()
    const behind = await organizationsBehind(deps.database.read, {
      limit: MAX_ORGANIZATIONS,
      held: partitions.held(),
      among: amongText(orgIds),
    })
    let hasMore = behind.length === MAX_ORGANIZATIONS
    for (const progress of behind) {
      const size = traffic.isIdle() ? LARGE_UNIT : SMALL_UNIT
      const some = () => indexSome(deps, followLog, { ...progress, size })
      hasMore = (await withFence(partitions.fenceOf([progress.orgId]), some).catch(unlessLost)) || hasMore
    }
    const erasures = behind.flatMap(erasureIn)
    const hasMoreToMerge = await mergeSome(behind.some(isBehind), erasures)
    const endedAt = deps.clock.monotonic()
    const { user, system } = process.threadCpuUsage(worked)
    const rest = Math.max(MIN_REST_MS, ((user + system) / 1_000) * REST_FACTOR)
    const isDone = !(hasMore || erasures.length > 0 || hasMoreToMerge)
    // Merging may have to wait for someone who reads the log.
    nextAt = endedAt + (hasMore && traffic.isIdle() ? 0 : Math.min(rest, MAX_REST_MS))
    return isDone ? Number.POSITIVE_INFINITY : nextAt - endedAt
  })
}

/** Another node indexes the organization now. */
function unlessLost(error: unknown): false {
  if (error instanceof PartitionLost) return false
  throw error
}

/** One unit of work for one organization: changes come before older tickets. Returns whether there may be more to do. */
async function indexSome(
  deps: Deps,
  followLog: Follower,
  progress: Progress & { size: UnitSize },
): Promise<boolean> {
  const { orgId, lastEvent, eventNumber, backAt, renamed, erasedEvent, next, size } = progress
  if (eventNumber === null) await begin(deps, progress)
  else if (eventNumber < lastEvent) {
    const indexedTo = await followLog(orgId, { cursor: eventNumber, lastEvent, next, size })
    return indexedTo < lastEvent || renamed !== null || backAt !== null || erasedEvent !== null
  } else if (renamed !== null) {
    const hadNew = await indexNewCustomers(deps, orgId)
    if (!hadNew) await reindexCustomer(deps, progress, renamed)
  } else if (backAt !== null) await addOlderTickets(deps, progress, backAt)
  return true
}

/** Whether there is something to add to the index or to remove from it. */
function isBehind({ lastEvent, eventNumber, backAt, renamed }: Progress): boolean {
  return eventNumber === null || eventNumber < lastEvent || backAt !== null || renamed !== null
}

/** An erasure counts once the log is indexed up to it: a ticket that was being indexed is removed only then. */
function erasureIn({ orgId, eventNumber, erasedEvent }: Progress): Erasure[] {
  if (erasedEvent === null || eventNumber === null || eventNumber < erasedEvent) return []
  return [{ orgId, erasedEvent }]
}

/** Changes from now on come from the log; existing tickets are added from the newest to the oldest. */
async function begin(deps: Deps, { orgId, lastEvent }: Progress): Promise<void> {
  await deps.database.write(undefined, async (tx) => {
    await tx
      .insert(searchCursors)
      .values({ orgId, eventNumber: lastEvent, backAt: NEWEST })
      .onConflictDoNothing()
  })
}

async function addOlderTickets(
  deps: Deps,
  { orgId, backId, size }: Progress & { size: UnitSize },
  backAt: number,
): Promise<void> {
  const start = { at: backAt, id: backId ?? '', limit: size.tickets }
  const older = await olderTickets(deps.database.read, { ...rangeParams(orgId, ALL_TICKETS), ...start })
  const ids = older.map(({ id }) => id)
  const documents = await readDocuments(deps, { orgId, ids, size })
  const last = older[documents.length - 1]
  await deps.database.write(undefined, async (tx) => {
    await moveBack(tx, { orgId, backAt: last?.at ?? null, backId: last?.id ?? '' })
    const found = await missingCustomers(tx, orgId, documents)
    await addOlderDocuments(tx, orgId, [...documents, ...found])
  })
}

/** One unit of work for a changed customer: they, and their next tickets, which keep their place in the index. */
async function reindexCustomer(
  deps: Deps,
  { orgId, size }: { orgId: string; size: UnitSize },
  customerId: string,
): Promise<void> {
  const { read } = deps.database
  const isCustomer = matches(customers, { orgId, id: customerId })
  const [customer] = await read
    .select({ after: customers.reindexAfter, version: customers.version })
    .from(customers)
    .where(and(isCustomer, isNotNull(customers.reindexAfter)))
  if (!customer) return
  // The other conditions are expressions, so that no index but that of the customer's tickets is used.
  const id = sql`(${tickets.id} || '')`
  const next = await read
    .select({ id: tickets.id })
    .from(tickets)
    .where(
      and(
        eq(tickets.customerId, customerId),
        sql`(${tickets.orgId} || '') = ${orgId}`,
        sql`${id} > ${customer.after}`,
      ),
    )
    .orderBy(id)
    .limit(size.tickets)
  const ids = next.map(({ id }) => id)
  const documents = await readDocuments(deps, { orgId, ids, size })
  const own = customer.after === '' ? await documentOfCustomer(read, { orgId, id: customerId }) : undefined
  const isLast = documents.length === ids.length && ids.length < size.tickets
  const reindexAfter = isLast ? null : (documents.at(-1)?.ticketId ?? null)
  await deps.database.write(undefined, async (tx) => {
    // If the customer was renamed again in the meantime, it starts over.
    const isSame = and(isCustomer, eq(customers.version, customer.version))
    const same = await tx
      .update(customers)
      .set({ reindexAfter })
      .where(isSame)
      .returning({ id: customers.id })
    await updateDocuments(tx, orgId, documents)
    if (own && same.length > 0) await replaceDocuments(tx, orgId, [own])
  })
}

const firstRenamed = sql`(select min(renamed.id) from customers renamed where renamed.org_id = ${organizations.id}
  and renamed.reindex_after is not null)`

/** The next events with their tickets: `12 tkt_a,13 tkt_b`, in no order. Nearly always all, so that no query must read them. */
const nextEvents = sql<string | null>`(select string_agg(next.number || ' ' || next.ticket_id, ',') from
  (select number, ticket_id from events where events.org_id = ${organizations.id}
    and events.number > ${searchCursors.eventNumber} order by number limit ${sql.raw(String(MAX_NEXT_EVENTS))}) next)`

/** At most `limit`, so that the query has a parameter: Bun's client plans one without anew each time. */
const organizationsBehind = statement(
  'search_behind',
  { limit: integer, held: text, among: text },
  (read: Reader, p) =>
    read
      .select({
        orgId: organizations.id,
        lastEvent: organizations.lastEvent,
        eventNumber: searchCursors.eventNumber,
        backAt: searchCursors.backAt,
        backId: searchCursors.backId,
        erasedEvent: organizations.erasedEvent,
        renamed: sql<string | null>`${firstRenamed}`,
        next: nextEvents,
      })
      .from(organizations)
      .leftJoin(searchCursors, eq(searchCursors.orgId, organizations.id))
      .where(
        and(
          isHeld(organizations.id, p.held),
          isAmong(organizations.id, p.among),
          or(
            isNull(searchCursors.orgId),
            lt(searchCursors.eventNumber, organizations.lastEvent),
            isNotNull(searchCursors.backAt),
            isNotNull(firstRenamed),
            isNotNull(organizations.erasedEvent),
          ),
        ),
      )
      .orderBy(sql`${organizations.id} limit ${p.limit}`),
)

const NEXT_OLDER = rangeShape(ALL_TICKETS, { sort: 'updated_desc', rows: LARGE_UNIT.tickets, hasStart: true })

const olderTickets = statement('search_older_tickets', NAMED_IN_QUERY, (read: Reader) =>
  read
    .select({ at: sql<number>`older.at`.mapWith(Number), id: tickets.id })
    .from(sql`(${selectRanges(NEXT_OLDER)}) older`)
    .crossJoin(tickets)
    .where(eq(tickets.number, sql`older.number`))
    .orderBy(sql`older.at desc`, sql`older.number desc`),
)

const moveBack = command(
  'search_move_back',
  { orgId: text, backAt: orNull(integer), backId: text },
  (tx, p) =>
    tx
      .update(searchCursors)
      .set({ backAt: p.backAt, backId: p.backId })
      .where(eq(searchCursors.orgId, p.orgId)),
)
