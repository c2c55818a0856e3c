import { and, eq, gt, gte, inArray, lt, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../database/database.ts'
import { insertOf, statement } from '../database/statement.ts'
import { type Channel, type TicketStatus, ticketCounters } from '../database/tables/tickets.ts'

/** The fields that tickets are counted by. */
interface Counted {
  status: TicketStatus
  channel: Channel
  /** Agent id, or an empty string for unassigned. */
  assignedTo: string
  tags: string[]
  isSpam: boolean
}

type CounterChanges = Map<string, number>

/**
 * Names of the counters: one for each filter, and for status with assignee and with tag, which agents use most. Other
 * combinations are counted on request. `/v1` ignores spam; the inbox subtracts the counter of the same name for spam.
 */
export const filterNames = {
  all: 'all',
  status: (status: TicketStatus) => `status:${status}`,
  channel: (channel: Channel) => `channel:${channel}`,
  assignedTo: (agentId: string) => `assignedTo:${agentId}`,
  tag: (tag: string) => `tag:${tag}`,
  statusAndAssignedTo: (status: TicketStatus, agentId: string) => `status:${status},assignedTo:${agentId}`,
  statusAndTag: (status: TicketStatus, tag: string) => `status:${status},tag:${tag}`,
  spam: (filter: string) => `spam,${filter}`,
}

/** How the counters change with a ticket; `undefined` means that it does not exist before or after. */
export function counterChanges(before: Counted | undefined, after: Counted | undefined): CounterChanges {
  const changes: CounterChanges = new Map()
  const add = (filter: string, by: number) => {
    const sum = (changes.get(filter) ?? 0) + by
    if (sum === 0) changes.delete(filter)
    else changes.set(filter, sum)
  }
  if (before) for (const filter of filtersOf(before)) add(filter, -1)
  if (after) for (const filter of filtersOf(after)) add(filter, 1)
  return changes
}

/** The same for several tickets. */
export function sumOfChanges(tickets: { before?: Counted; after?: Counted }[]): CounterChanges {
  const sum: CounterChanges = new Map()
  for (const { before, after } of tickets) {
    for (const [filter, by] of counterChanges(before, after)) sum.set(filter, (sum.get(filter) ?? 0) + by)
  }
  return sum
}

/** Comes last in a unit and in sorted order, so that two units never deadlock on counters. */
export async function moveCounters(tx: Transaction, orgId: string, changes: CounterChanges): Promise<void> {
  const rows = [...changes].map(([filter, count]) => ({ orgId, filter, count }))
  await addToCounters(
    tx,
    rows.sort((one, other) => (one.filter < other.filter ? -1 : 1)),
  )
}

export async function readCounter(read: Reader, orgId: string, filter: string): Promise<number> {
  const [row] = await counterByFilter(read, { orgId, filter })
  return row?.count ?? 0
}

/** Several counters by name. One that was never used is absent. */
export async function readCounters(
  read: Reader,
  orgId: string,
  filters: string[],
): Promise<Map<string, number>> {
  const rows = await read
    .select({ filter: ticketCounters.filter, count: ticketCounters.count })
    .from(ticketCounters)
    .where(and(eq(ticketCounters.orgId, orgId), inArray(ticketCounters.filter, filters)))
  return new Map(rows.map(({ filter, count }) => [filter, count]))
}

/** The counters above 0 whose name starts with the prefix, by the rest of the name, sorted. */
export async function countersUnder(
  read: Reader,
  orgId: string,
  prefix: string,
): Promise<Map<string, number>> {
  const last = prefix.length - 1
  const end = prefix.slice(0, last) + String.fromCharCode(prefix.charCodeAt(last) + 1)
  const rows = await countersBetween(read, { orgId, start: prefix, end })
  return new Map(rows.map(({ filter, count }) => [filter.slice(prefix.length), count]))
}

function filtersOf(ticket: Counted): string[] {
  const filters = publicFiltersOf(ticket)
  return ticket.isSpam ? [...filters, ...filters.map(filterNames.spam)] : filters
}

function publicFiltersOf({ status, channel, assignedTo, tags }: Counted): string[] {
  return [
    filterNames.all,
    filterNames.status(status),
    filterNames.channel(channel),
    filterNames.assignedTo(assignedTo),
    filterNames.statusAndAssignedTo(status, assignedTo),
    ...tags.map(filterNames.tag),
    ...tags.map((tag) => filterNames.statusAndTag(status, tag)),
  ]
}

const addToCounters = insertOf(ticketCounters, {
  onConflict: {
    target: [ticketCounters.orgId, ticketCounters.filter],
    set: { count: sql`${ticketCounters.count} + excluded.count` },
  },
})

const counterByFilter = statement<{ orgId: string; filter: string }, { count: number }[], Reader>(
  'counters_by_filter',
  (read, p) =>
    read
      .select({ count: ticketCounters.count })
      .from(ticketCounters)
      .where(and(eq(ticketCounters.orgId, p.orgId), eq(ticketCounters.filter, p.filter))),
)

const countersBetween = statement<
  { orgId: string; start: string; end: string },
  { filter: string; count: number }[],
  Reader
>('counters_between', (read, p) =>
  read
    .select({ filter: ticketCounters.filter, count: ticketCounters.count })
    .from(ticketCounters)
    .where(
      and(
        eq(ticketCounters.orgId, p.orgId),
        gte(ticketCounters.filter, p.start),
        lt(ticketCounters.filter, p.end),
        gt(ticketCounters.count, 0),
      ),
    )
    .orderBy(ticketCounters.filter),
)
