import { and, eq, sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { cacheByShape, statement } from '../database/statement.ts'
import { customers } from '../database/tables/customers.ts'
import { tickets } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { yieldToEventLoop } from '../loop.ts'
import { type CountFilter, countTickets } from './counters.ts'
import type { Cursor } from './cursor.ts'
import {
  ALL_TICKETS,
  type RangeFilter,
  type RangeParams,
  type RangeShape,
  rangeParams,
  rangeShape,
  selectRanges,
  type TicketSort,
} from './list-ranges.ts'
import { type TicketWithCustomer, ticketWithCustomer } from './queries.ts'

/** Index entries that are passed over at a time on the way to a page by number: about 3 ms. */
const STRIDE = 4_000

/** Without a filter for spam, a list has both. */
export type TicketFilters = CountFilter

export interface TicketListRequest {
  filters: TicketFilters
  sort: TicketSort
  perPage: number
  /** From 1; ignored with a cursor. */
  page: number
  cursor?: Cursor | undefined
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
 * index entries before it, from the nearer end; it stops when the signal aborts.
 */
export async function listTickets(
  deps: Deps,
  orgId: string,
  request: TicketListRequest,
  signal?: AbortSignal,
): Promise<TicketList> {
  const { read } = deps.database
  const total = await countTickets(read, orgId, request.filters)
  const rows = total === 0 ? [] : await readPage(read, orgId, { ...request, total, signal })
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
  read: Reader,
  orgId: string,
  {
    filters,
    sort,
    perPage,
    page,
    cursor,
    total,
    signal,
  }: TicketListRequest & {
    total: number
    signal: AbortSignal | undefined
  },
): Promise<TicketWithCustomer[]> {
  const filter = rangesOf(filters)
  const before = cursor ? 0 : (page - 1) * perPage
  if (before >= total) return []
  const start = before > 0 ? await placeOf(read, orgId, { filter, sort, before, total, signal }) : cursor
  if (before > 0 && !start) return []
  const isReversed = cursor?.direction === 'previous'
  const shape = rangeShape(filter, sort, { isReversed, hasStart: start !== undefined })
  const params = {
    ...rangeParams(orgId, filter),
    limit: perPage + 1,
    at: start?.at ?? 0,
    id: start?.id ?? '',
  }
  return pageStatement(shape)(read, params)
}

/** The ticket before a page by number: the last of `before` tickets. Undefined if there are fewer by now. */
async function placeOf(
  read: Reader,
  orgId: string,
  {
    filter,
    sort,
    before,
    total,
    signal,
  }: {
    filter: RangeFilter
    sort: TicketSort
    before: number
    total: number
    signal: AbortSignal | undefined
  },
): Promise<Place | undefined> {
  const isReversed = before > total / 2
  let remaining = isReversed ? total - before + 1 : before
  let place: Place | undefined
  while (remaining > 0) {
    signal?.throwIfAborted()
    const step = Math.min(remaining, STRIDE)
    const shape = rangeShape(filter, sort, { isReversed, hasStart: place !== undefined })
    const params = { ...rangeParams(orgId, filter), limit: 1, offset: step - 1 }
    ;[place] = await placeStatement(shape)(read, { ...params, at: place?.at ?? 0, id: place?.id ?? '' })
    if (!place) return undefined
    remaining -= step
    if (remaining > 0) await yieldToEventLoop()
  }
  return place
}

function rangesOf({ status, channel, isSpam, assignedTo, tag }: TicketFilters): RangeFilter {
  return {
    statuses: status === undefined ? ALL_TICKETS.statuses : [status],
    channels: channel === undefined ? ALL_TICKETS.channels : [channel],
    spam: isSpam === undefined ? ALL_TICKETS.spam : [isSpam],
    assignedTo,
    tag,
  }
}

const pageStatement = cacheByShape((shape: RangeShape) => {
  const isAscending = (shape.sort === 'created_asc') !== shape.isReversed
  const order = isAscending ? sql`keys.at asc, keys.id asc` : sql`keys.at desc, keys.id desc`
  return statement<RangeParams, TicketWithCustomer[], Reader>(`tickets_page_${nameOf(shape)}`, (read) =>
    read
      .select(ticketWithCustomer)
      .from(sql`(${selectRanges(shape)}) keys`)
      // In this order, whatever a planner with statistics thinks.
      .crossJoin(tickets)
      .crossJoin(customers)
      .where(and(eq(tickets.id, sql`keys.id`), eq(customers.id, tickets.customerId)))
      .orderBy(order),
  )
})

/** The place of one ticket by its number, from the index alone. */
const placeStatement = cacheByShape((shape: RangeShape) =>
  statement<RangeParams, Place[], Reader>(`tickets_place_${nameOf(shape)}`, (read) =>
    read
      .select({ at: sql<number>`keys.at`.mapWith(Number), id: sql<string>`keys.id` })
      .from(sql`(${selectRanges(shape, { hasOffset: true })}) keys`),
  ),
)

function nameOf(shape: RangeShape): string {
  return Object.values(shape).join('_')
}
