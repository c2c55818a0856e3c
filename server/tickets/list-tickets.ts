import { and, eq, sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import type { ExpensiveRead } from '../database/expensive-reads.ts'
import { cacheByShape, NAMED_IN_QUERY, statement } from '../database/statement.ts'
import { customers } from '../database/tables/customers.ts'
import { tickets } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { type CountFilter, countByPlace } from './counters.ts'
import type { Cursor } from './cursor.ts'
import {
  ALL_TICKETS,
  type RangeFilter,
  type RangeShape,
  rangeParams,
  rangeShape,
  SORTED_BY,
  selectRanges,
  type TicketSort,
} from './list-ranges.ts'
import { type TicketWithCustomer, ticketWithCustomer } from './queries.ts'

/** Index entries that are passed over at a time on the way to a page by number: about 3 ms, not on the event loop. */
const STRIDE = 4_000

/** Without places, a list has all of them. */
export type TicketFilters = CountFilter

export interface TicketListRequest {
  filters: TicketFilters
  sort: TicketSort
  perPage: number
  /** From 1; ignored with a cursor. */
  page: number
  cursor?: Cursor | undefined
  /** Ends the way to a page by number when the client has left. */
  signal?: AbortSignal
}

export interface TicketList {
  tickets: TicketWithCustomer[]
  total: number
  hasMore: boolean
}

interface Place {
  at: number
  id: string
}

/**
 * One page of the organization's tickets. With any combination of filters, page 1 and every page by cursor cost the same
 * at a thousand and at a million tickets, total included (see list-ranges.ts). A page by number also passes over the
 * index entries before it, from the nearer end.
 */
export async function listTickets(
  deps: Deps,
  orgId: string,
  request: TicketListRequest,
): Promise<TicketList> {
  const counts = await countByPlace(deps.database.read, orgId, request.filters)
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  // The fewer places, the fewer ranges.
  const filters = { ...request.filters, places: counts.map(({ place }) => place) }
  const rows = total === 0 ? [] : await readPage(deps, orgId, { ...request, filters, total })
  const page = rows.slice(0, request.perPage)
  const isBackwards = request.cursor?.direction === 'previous'
  return {
    tickets: isBackwards ? page.reverse() : page,
    total,
    hasMore: isBackwards || rows.length > request.perPage,
  }
}

/** Reads one row more than the page holds, to know whether there is another page. */
async function readPage(
  deps: Deps,
  orgId: string,
  request: TicketListRequest & { total: number },
): Promise<TicketWithCustomer[]> {
  const { filters, sort, perPage, page, cursor, total, signal } = request
  const filter = rangesOf(filters)
  const before = cursor ? 0 : (page - 1) * perPage
  if (before >= total) return []
  const way = { filter, sort, before, total }
  const start =
    before === 0
      ? cursor
      : await deps.expensiveReads.run({ signal, maxRows: Number.POSITIVE_INFINITY }, (expensive) =>
          placeOf(deps.database, orgId, { ...way, expensive }),
        )
  if (before > 0 && !start) return []
  const isReversed = cursor?.direction === 'previous'
  const rows = perPage + 1
  const shape = rangeShape(filter, { sort, rows, isReversed, hasStart: start !== undefined })
  const params = {
    ...rangeParams(orgId, filter),
    limit: rows,
    at: start?.at ?? 0,
    id: start?.id ?? '',
  }
  return pageStatement(shape)(deps.database.read, params)
}

interface Way {
  filter: RangeFilter
  sort: TicketSort
  /** Tickets before the page. */
  before: number
  total: number
  expensive: ExpensiveRead
}

/** The ticket before a page by number: the last of `before` tickets. Undefined if there are fewer by now. */
async function placeOf(
  { read, background }: Deps['database'],
  orgId: string,
  { filter, sort, before, total, expensive }: Way,
): Promise<Place | undefined> {
  const isReversed = before > total / 2
  let remaining = isReversed ? total - before + 1 : before
  const reader = remaining > STRIDE ? background : read
  let place: Place | undefined
  while (remaining > 0) {
    const step = Math.min(remaining, STRIDE)
    const hasStart = place !== undefined
    const shape = rangeShape(filter, { sort, rows: step, isReversed, hasStart })
    const start = { at: place?.at ?? 0, id: place?.id ?? '', limit: 1, offset: step - 1 }
    ;[place] = await placeStatement(shape)(reader, { ...rangeParams(orgId, filter), ...start })
    if (!place) return undefined
    remaining -= step
    if (remaining > 0) await expensive.examined(step)
  }
  return place
}

function rangesOf({ status, channel, places, assignedTo, tag }: TicketFilters): RangeFilter {
  return {
    statuses: status === undefined ? ALL_TICKETS.statuses : [status],
    channels: channel === undefined ? ALL_TICKETS.channels : [channel],
    places: places ?? ALL_TICKETS.places,
    assignedTo,
    tag,
  }
}

const pageStatement = cacheByShape((shape: RangeShape) => {
  const isAscending = SORTED_BY[shape.sort].isAscending !== shape.isReversed
  const order = isAscending ? sql`keys.at asc, keys.number asc` : sql`keys.at desc, keys.number desc`
  return statement(`tickets_page_${nameOf(shape)}`, NAMED_IN_QUERY, (read: Reader) =>
    read
      .select(ticketWithCustomer)
      .from(sql`(${selectRanges(shape)}) keys`)
      // In this order, whatever a planner with statistics thinks.
      .crossJoin(tickets)
      .crossJoin(customers)
      .where(and(eq(tickets.number, sql`keys.number`), eq(customers.id, tickets.customerId)))
      .orderBy(order),
  )
})

/** The place of one ticket by its number in the list, with one row besides the index. */
const placeStatement = cacheByShape((shape: RangeShape) =>
  statement(`tickets_place_${nameOf(shape)}`, NAMED_IN_QUERY, (read: Reader) =>
    read
      .select({ at: sql<number>`keys.at`.mapWith(Number), id: tickets.id })
      .from(sql`(${selectRanges(shape, { hasOffset: true })}) keys`)
      .crossJoin(tickets)
      .where(eq(tickets.number, sql`keys.number`)),
  ),
)

function nameOf(shape: RangeShape): string {
  return Object.values(shape).join('_')
}
