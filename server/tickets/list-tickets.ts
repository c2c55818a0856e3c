import { eq, sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import type { ExpensiveRead } from '../database/expensive-reads.ts'
import { cacheByShape, NAMED_IN_QUERY, statement } from '../database/statement.ts'
import { tickets } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { countByPlace } from './counters.ts'
import type { Cursor } from './cursor.ts'
import { selectTickets, ticketsWithKeys } from './filters/select-tickets.ts'
import { isAlongIndex, rangeOf, type TicketFilters, type Times, timesOf } from './filters/ticket-filters.ts'
import {
  type RangeFilter,
  type RangeShape,
  rangeParams,
  rangeShape,
  SORTED_BY,
  selectAllOfRanges,
  selectRanges,
  type TicketSort,
} from './list-ranges.ts'
import type { TicketWithCustomer } from './queries.ts'

/** Index entries that are passed over at a time on the way to a page by number: about 3 ms, not on the event loop. */
const STRIDE = 4_000

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
 * One page of the organization's tickets. With any combination of the fields that tickets are counted by, page 1 and every
 * page by cursor cost the same at a thousand and at a million tickets, total included (see list-ranges.ts). So do times,
 * if the list is sorted by them, besides counting the tickets. A page by number also passes over the index entries
 * before it, from the nearer end.
 */
export async function listTickets(
  deps: Deps,
  orgId: string,
  request: TicketListRequest,
): Promise<TicketList> {
  const counts = await countByPlace(deps.database.read, orgId, request.filters)
  const counted = counts.reduce((sum, { count }) => sum + count, 0)
  // The fewer places, the fewer ranges.
  const filters = { ...request.filters, places: counts.map(({ place }) => place) }
  const { rows, total } = await readRows(deps, orgId, { ...request, filters }, counted)
  const page = rows.slice(0, request.perPage)
  const isBackwards = request.cursor?.direction === 'previous'
  return {
    tickets: isBackwards ? page.reverse() : page,
    total,
    hasMore: isBackwards || rows.length > request.perPage,
  }
}

/** `counted` tickets have the fields that tickets are counted by. */
async function readRows(
  deps: Deps,
  orgId: string,
  request: TicketListRequest,
  counted: number,
): Promise<{ rows: TicketWithCustomer[]; total: number }> {
  if (counted === 0) return { rows: [], total: 0 }
  if (!isAlongIndex(request.filters, request.sort)) return selectTickets(deps.database, orgId, request)
  const total = await countInTimes(deps.database, orgId, request, counted)
  return { rows: total === 0 ? [] : await readPage(deps, orgId, { ...request, total }), total }
}

async function countInTimes(
  { read, background }: Deps['database'],
  orgId: string,
  { filters, sort }: TicketListRequest,
  counted: number,
): Promise<number> {
  const times = timesOf(filters, sort)
  if (!times) return counted
  const range = rangeOf(filters)
  const shape = rangeShape(range, { sort, rows: 1, hasTimes: true })
  const reader = counted > STRIDE ? background : read
  const [row] = await countStatement(shape)(reader, { ...rangeParams(orgId, range), ...times })
  return row?.total ?? 0
}

/** Reads one row more than the page holds, to know whether there is another page. */
async function readPage(
  deps: Deps,
  orgId: string,
  request: TicketListRequest & { total: number },
): Promise<TicketWithCustomer[]> {
  const { filters, sort, perPage, page, cursor, total, signal } = request
  const filter = rangeOf(filters)
  const times = timesOf(filters, sort)
  const before = cursor ? 0 : (page - 1) * perPage
  if (before >= total) return []
  const way = { filter, times, sort, before, total }
  const start =
    before === 0
      ? cursor
      : await deps.expensiveReads.run({ signal, maxRows: Number.POSITIVE_INFINITY }, (expensive) =>
          placeOf(deps.database, orgId, { ...way, expensive }),
        )
  if (before > 0 && !start) return []
  const isReversed = cursor?.direction === 'previous'
  const rows = perPage + 1
  const hasTimes = times !== undefined
  const shape = rangeShape(filter, { sort, rows, isReversed, hasStart: start !== undefined, hasTimes })
  const params = {
    ...rangeParams(orgId, filter),
    ...times,
    limit: rows,
    at: start?.at ?? 0,
    id: start?.id ?? '',
  }
  return pageStatement(shape)(deps.database.read, params)
}

interface Way {
  filter: RangeFilter
  times: Times | undefined
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
  { filter, times, sort, before, total, expensive }: Way,
): Promise<Place | undefined> {
  const isReversed = before > total / 2
  let remaining = isReversed ? total - before + 1 : before
  const reader = remaining > STRIDE ? background : read
  let place: Place | undefined
  while (remaining > 0) {
    const step = Math.min(remaining, STRIDE)
    const hasStart = place !== undefined
    const hasTimes = times !== undefined
    const shape = rangeShape(filter, { sort, rows: step, isReversed, hasStart, hasTimes })
    const start = { at: place?.at ?? 0, id: place?.id ?? '', limit: 1, offset: step - 1 }
    ;[place] = await placeStatement(shape)(reader, { ...rangeParams(orgId, filter), ...times, ...start })
    if (!place) return undefined
    remaining -= step
    if (remaining > 0) await expensive.examined(step)
  }
  return place
}

const pageStatement = cacheByShape((shape: RangeShape) => {
  const isAscending = SORTED_BY[shape.sort].isAscending !== shape.isReversed
  return statement(`tickets_page_${nameOf(shape)}`, NAMED_IN_QUERY, (read: Reader) =>
    ticketsWithKeys(read, selectRanges(shape), isAscending),
  )
})

/** Of a list that is cut to times. From the index alone: half a million tickets take about ten milliseconds. */
const countStatement = cacheByShape((shape: RangeShape) =>
  statement(`tickets_count_${nameOf(shape)}`, NAMED_IN_QUERY, (read: Reader) =>
    read
      .select({ total: sql<number>`cast(count(*) as integer)` })
      .from(sql`(${selectAllOfRanges(shape)}) ranged`),
  ),
)

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
