import { and, eq, gt, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { CHANNELS } from '../channels/kinds.ts'
import type { Database, Reader, Transaction } from '../database/database.ts'
import { deferredWrite } from '../database/deferred-writes.ts'
import { matches } from '../database/matches.ts'
import { cacheByShape, insertOf, statement, text, value } from '../database/statement.ts'
import { PLACES, type Place, TICKET_STATUSES, ticketCounters } from '../database/tables/tickets.ts'
import { isId } from '../ids.ts'
import type { Ticket } from './queries.ts'

/** The fields that tickets are counted by. `assignedTo` is an agent id, or an empty string for unassigned. */
type Counted = Pick<Ticket, 'status' | 'channel' | 'assignedTo' | 'tags' | 'place'>
type Counter = typeof ticketCounters.$inferSelect

/** Fields that are absent count with every value. */
export interface CountFilter {
  status?: Counter['status'] | undefined
  channel?: Counter['channel'] | undefined
  assignedTo?: string | undefined
  tag?: string | undefined
  places?: readonly Place[] | undefined
}

/** What counters change by, under a name that is different for each. */
export type CounterChanges = Map<string, Counter>

/** `undefined` means that the ticket does not exist before or after. */
interface Changed {
  before?: Counted | undefined
  after?: Counted | undefined
}

/** `assignedTo` of the counters of all tickets, assigned or not. No agent has this id. */
const ANYONE = 'any'
/** `tag` of the counters of all tickets. A tag is never blank. */
const ANY_TAG = ''
const ALL_PLACES = Object.values(PLACES)
/** Tags that are counted in about 3 ms. */
const FEW_TAGS = 1_000

/** Moves the counters with tickets that changed, at the end of the commit and together with those of other units. */
export function moveCounters(tx: Transaction, orgId: string, changed: Changed[]): void {
  deferChanges(tx, { orgId, changed })
}

const deferChanges = deferredWrite<{ orgId: string; changed: Changed[] }>(async (tx, deferred) => {
  const changes: CounterChanges = new Map()
  for (const { orgId, changed } of deferred) addChanges(changes, orgId, changed)
  await saveCounters(tx, changes)
})

/** Adds how the counters of an organization change with tickets. */
export function addChanges(changes: CounterChanges, orgId: string, changed: Changed[]): void {
  for (const { before, after } of changed) {
    if (before) addTicket(changes, orgId, before, -1)
    if (after) addTicket(changes, orgId, after, 1)
  }
}

/** In sorted order, so that two commits never deadlock on counters. */
export async function saveCounters(tx: Transaction, changes: CounterChanges): Promise<void> {
  const moved = [...changes].filter(([, { count }]) => count !== 0)
  const inOrder = moved.sort(([one], [other]) => (one < other ? -1 : 1))
  await addToCounters(
    tx,
    inOrder.map(([, counter]) => counter),
  )
}

/** How many tickets pass the filter: exact, from at most 48 counters. */
export async function countTickets(read: Reader, orgId: string, filter: CountFilter): Promise<number> {
  const counts = await countByPlace(read, orgId, filter)
  return counts.reduce((sum, { count }) => sum + count, 0)
}

/** The same for each place that has such tickets. */
export async function countByPlace(
  read: Reader,
  orgId: string,
  { status, channel, assignedTo, tag, places = ALL_PLACES }: CountFilter,
): Promise<{ place: Place; count: number }[]> {
  // Any other value isn't an agent's id.
  if (assignedTo && !isId('agt', assignedTo)) return []
  const sum = sumOfCounters(status !== undefined, channel !== undefined)
  const params = { orgId, assignedTo: assignedTo ?? ANYONE, tag: tag ?? ANY_TAG }
  const [row] = await sum(read, { ...params, status: status ?? '', channel: channel ?? '' })
  if (!row) return []
  const counts = [row.inbox, row.spam, row.snoozed, row.merged]
  return places.map((place) => ({ place, count: counts[place] ?? 0 })).filter(({ count }) => count > 0)
}

/** The numbers of tickets by status, channel and place. Those of an assignee and a tag, if they are given. */
export function readCounters(
  read: Reader,
  orgId: string,
  { assignedTo = ANYONE, tag = ANY_TAG }: Pick<CountFilter, 'assignedTo' | 'tag'> = {},
): Promise<Pick<Counter, 'status' | 'channel' | 'place' | 'count'>[]> {
  return countersOf(read, { orgId, assignedTo, tag })
}

export interface TagCount {
  tag: string
  /** Tickets with the tag. */
  total: number
  /** Open tickets in the inbox, as the rail shows them. */
  open: number
}

/**
 * The tags that the most tickets have, in the order of the tags. Programs can make any number of tags, so this reads in the background
 * and has a limit.
 */
export async function countTags({ background }: Database, orgId: string, limit: number): Promise<TagCount[]> {
  return inOrder(await usedTags(background, { orgId, assignedTo: ANYONE, noTag: ANY_TAG, limit }))
}

/** The same of open tickets in the inbox. It is read all the time, so few tags are read without the background. */
export async function countOpenTags(
  { read, background }: Database,
  orgId: string,
  limit: number,
): Promise<OpenTag[]> {
  const tags = { orgId, assignedTo: ANYONE, noTag: ANY_TAG }
  const first = await firstOpenTags(read, { ...tags, limit: FEW_TAGS + 1 })
  if (first.length <= limit) return inOrder(first)
  if (first.length > FEW_TAGS) return inOrder(await mostOpenTags(background, { ...tags, limit }))
  return inOrder(first.sort((one, other) => other.open - one.open).slice(0, limit))
}

function inOrder<Row extends { tag: string }>(rows: Row[]): Row[] {
  return rows.sort((one, other) => (one.tag < other.tag ? -1 : 1))
}

function addTicket(changes: CounterChanges, orgId: string, ticket: Counted, by: number): void {
  const { status, channel, place } = ticket
  for (const assignedTo of [ANYONE, ticket.assignedTo]) {
    for (const tag of [ANY_TAG, ...ticket.tags]) {
      const name = `${orgId} ${assignedTo} ${status} ${channel} ${place} ${tag}`
      const known = changes.get(name)
      if (known) known.count += by
      else changes.set(name, { orgId, assignedTo, status, tag, channel, place, count: by })
    }
  }
}

const addToCounters = insertOf(ticketCounters, {
  onConflict: {
    target: [
      ticketCounters.orgId,
      ticketCounters.assignedTo,
      ticketCounters.status,
      ticketCounters.tag,
      ticketCounters.channel,
      ticketCounters.place,
    ],
    set: { count: sql`${ticketCounters.count} + excluded.count` },
  },
})

const countersKey = { orgId: text, assignedTo: text, tag: text, status: text, channel: text }

/** Every column of the key is given, so that each counter is one lookup in the index. */
const sumOfCounters = cacheByShape((hasStatus: boolean, hasChannel: boolean) =>
  statement(`counters_sum_${hasStatus}_${hasChannel}`, countersKey, (read: Reader, p) =>
    read
      .select({
        inbox: sumOfPlace(PLACES.inbox),
        spam: sumOfPlace(PLACES.spam),
        snoozed: sumOfPlace(PLACES.snoozed),
        merged: sumOfPlace(PLACES.merged),
      })
      .from(ticketCounters)
      .where(
        and(
          matches(ticketCounters, { orgId: p.orgId, assignedTo: p.assignedTo, tag: p.tag }),
          hasStatus ? eq(ticketCounters.status, p.status) : isOneOf(ticketCounters.status, TICKET_STATUSES),
          hasChannel ? eq(ticketCounters.channel, p.channel) : isOneOf(ticketCounters.channel, CHANNELS),
          sql`${ticketCounters.place} in (${sql.raw(ALL_PLACES.join(', '))})`,
        ),
      ),
  ),
)

function sumOfPlace(place: Place): SQL<number> {
  return sql<number>`coalesce(sum(case ${ticketCounters.place} when ${sql.raw(String(place))}
    then ${ticketCounters.count} end), 0)`.mapWith(Number)
}

const countersOf = statement('counters_of', { orgId: text, assignedTo: text, tag: text }, (read: Reader, p) =>
  read
    .select({
      status: ticketCounters.status,
      channel: ticketCounters.channel,
      place: ticketCounters.place,
      count: ticketCounters.count,
    })
    .from(ticketCounters)
    .where(
      and(
        eq(ticketCounters.orgId, p.orgId),
        eq(ticketCounters.assignedTo, p.assignedTo),
        isOneOf(ticketCounters.status, TICKET_STATUSES),
        eq(ticketCounters.tag, p.tag),
      ),
    ),
)

const inInbox = sql.raw(String(PLACES.inbox))
const open =
  sql<number>`sum(case when ${ticketCounters.status} = 'open' and ${ticketCounters.place} = ${inInbox}
  then ${ticketCounters.count} else 0 end)`.mapWith(Number)
const total = sql<number>`sum(${ticketCounters.count})`.mapWith(Number)

type OpenTag = Pick<TagCount, 'tag' | 'open'>

const usedTags = countersOfTags('tags', {
  isCounted: isOneOf(ticketCounters.status, TICKET_STATUSES),
  open,
  order: sql`${total} desc, ${ticketCounters.tag}`,
})
const isOpen = sql`${ticketCounters.status} = 'open' and ${ticketCounters.place} = ${inInbox}`
/** In the order of the index, so that it reads no more than it returns. */
const firstOpenTags = countersOfTags('open_tags_first', {
  isCounted: isOpen,
  open: total,
  order: sql`${ticketCounters.tag}`,
})
const mostOpenTags = countersOfTags('open_tags_most', {
  isCounted: isOpen,
  open: total,
  order: sql`${total} desc, ${ticketCounters.tag}`,
})

function countersOfTags(name: string, of: { isCounted: SQL; open: SQL<number>; order: SQL }) {
  return statement(
    `counters_${name}`,
    { orgId: text, assignedTo: text, noTag: text, limit: value<number>() },
    (read: Reader, p) =>
      read
        .select({ tag: ticketCounters.tag, total, open: of.open })
        .from(ticketCounters)
        .where(
          and(
            eq(ticketCounters.orgId, p.orgId),
            eq(ticketCounters.assignedTo, p.assignedTo),
            of.isCounted,
            gt(ticketCounters.tag, p.noTag),
            gt(ticketCounters.count, 0),
          ),
        )
        .groupBy(ticketCounters.tag)
        .orderBy(of.order)
        .limit(p.limit),
  )
}

/** Written into the query, which is planned once. */
function isOneOf(column: SQLWrapper, values: readonly string[]): SQL {
  return sql`${column} in (${sql.raw(values.map((value) => `'${value}'`).join(', '))})`
}
