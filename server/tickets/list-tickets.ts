import { and, asc, count, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { cacheByShape, integerParameter, statement, textParameter } from '../database/statement.ts'
import { customers } from '../database/tables/customers.ts'
import { type Channel, type TicketStatus, tickets, ticketTags } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { filterNames, readCounter } from './counters.ts'
import type { Cursor } from './cursor.ts'
import { type TicketWithCustomer, ticketWithCustomer } from './queries.ts'

export const TICKET_SORTS = ['created_asc', 'created_desc', 'updated_desc'] as const
export type TicketSort = (typeof TICKET_SORTS)[number]

export interface TicketFilters {
  status?: TicketStatus
  channel?: Channel
  /** Agent id, or an empty string for unassigned tickets. */
  assignedTo?: string
  tag?: string
}

export interface TicketListRequest {
  filters: TicketFilters
  sort: TicketSort
  perPage: number
  /** From 1; ignored with a cursor. */
  page: number
  cursor?: Cursor
}

export interface TicketList {
  tickets: TicketWithCustomer[]
  total: number
  hasMore: boolean
}

/**
 * One page of the organization's tickets. With no or one filter, and with status and assignee, page 1 and every page
 * by cursor cost the same at a thousand and at a million tickets; the total also with status and tag; a page by number passes over index entries only.
 */
export async function listTickets(
  deps: Deps,
  orgId: string,
  request: TicketListRequest,
): Promise<TicketList> {
  const { read } = deps.database
  const total = await countTickets(read, orgId, request.filters)
  const rows = await readPage(read, orgId, request, total)
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
  request: TicketListRequest,
  total: number,
): Promise<TicketWithCustomer[]> {
  const { sort, perPage, page, cursor } = request
  const filters = definedOnly(request.filters)
  const offset = cursor ? 0 : (page - 1) * perPage
  if (offset > 0 && offset >= total) return []
  const names = Object.keys(filters).sort()
  const from =
    offset > 0 ? await lastBefore(read, { ...filters, orgId, offset: offset - 1 }, names, sort) : cursor
  if (offset > 0 && !from) return []
  const query = pageStatement(names, sort, offset > 0 ? 'next' : cursor?.direction)
  return query(read, { ...filters, orgId, limit: perPage + 1, at: from?.at ?? 0, id: from?.id ?? '' })
}

/** The position of the ticket just before a page that was requested by number. */
async function lastBefore(
  read: Reader,
  params: PageParams,
  filters: string[],
  sort: TicketSort,
): Promise<{ at: number; id: string } | undefined> {
  const [position] = await positionStatement(filters, sort)(read, params)
  return position
}

/** Reads the counter for these filters if there is one, and counts otherwise. */
async function countTickets(read: Reader, orgId: string, filters: TicketFilters): Promise<number> {
  const counter = counterFor(filters)
  if (counter) return readCounter(read, orgId, counter)
  if (await isSurelyEmpty(read, orgId, filters)) return 0
  const query = countStatement(Object.keys(definedOnly(filters)).sort())
  const [row] = await query(read, { ...definedOnly(filters), orgId })
  return row?.total ?? 0
}

/** Several filters match nothing if one of them alone matches nothing. */
async function isSurelyEmpty(read: Reader, orgId: string, filters: TicketFilters): Promise<boolean> {
  for (const [name, value] of Object.entries(definedOnly(filters))) {
    const counter = counterFor({ [name]: value })
    if (counter && (await readCounter(read, orgId, counter)) === 0) return true
  }
  return false
}

function counterFor(filters: TicketFilters): string | undefined {
  const { status, channel, assignedTo, tag } = filters
  const used = Object.keys(definedOnly(filters)).length
  if (used === 0) return filterNames.all
  if (used === 2 && status && assignedTo !== undefined)
    return filterNames.statusAndAssignedTo(status, assignedTo)
  if (used === 2 && status && tag !== undefined) return filterNames.statusAndTag(status, tag)
  if (used > 1) return undefined
  if (status) return filterNames.status(status)
  if (channel) return filterNames.channel(channel)
  if (tag !== undefined) return filterNames.tag(tag)
  return assignedTo === undefined ? undefined : filterNames.assignedTo(assignedTo)
}

function definedOnly(filters: TicketFilters): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filters).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

type PageParams = Record<string, string | number>

// One statement for each combination of filters (their names, sorted), sort and direction.

/** The tickets of a page; with a direction those after the position (`at`, `id`). */
const pageStatement = cacheByShape(buildPageStatement)
/** The sort time and id of one ticket by its number in the list. With one filter it reads only the index. */
const positionStatement = cacheByShape(buildPositionStatement)
const countStatement = cacheByShape(buildCountStatement)

/** A query with a tag walks along the rows of the tag, others along an index of tickets. */
function leadOf(filters: string[], sort: TicketSort, isReversed: boolean) {
  const isTagged = filters.includes('tag')
  const lead = isTagged ? ticketTags : tickets
  const at = sort === 'updated_desc' ? lead.updatedAt : lead.createdAt
  const id = isTagged ? ticketTags.ticketId : tickets.id
  const isAscending = (sort === 'created_asc') !== isReversed
  return { isTagged, at, id, isAscending, order: isAscending ? [asc(at), asc(id)] : [desc(at), desc(id)] }
}

function buildPageStatement(filters: string[], sort: TicketSort, direction?: Cursor['direction']) {
  const { isTagged, at, id, isAscending, order } = leadOf(filters, sort, direction === 'previous')
  const name = ['tickets_page', ...filters, sort, direction ?? 'first'].join('_')
  return statement<PageParams, TicketWithCustomer[], Reader>(name, (read, p) => {
    const place = sql`${integerParameter(sql.placeholder('at'))}, ${textParameter(sql.placeholder('id'))}`
    const isAfter = isAscending ? sql`(${at}, ${id}) > (${place})` : sql`(${at}, ${id}) < (${place})`
    const from = isTagged
      ? read
          .select(ticketWithCustomer)
          .from(ticketTags)
          .innerJoin(tickets, eq(tickets.id, ticketTags.ticketId))
          .innerJoin(customers, eq(customers.id, tickets.customerId))
      : read
          .select(ticketWithCustomer)
          .from(tickets)
          .innerJoin(customers, eq(customers.id, tickets.customerId))
    return from
      .where(and(...conditions(filters), direction && isAfter))
      .orderBy(...order)
      .limit(p.limit ?? 0)
  })
}

function buildPositionStatement(filters: string[], sort: TicketSort) {
  const { isTagged, at, id, order } = leadOf(filters, sort, false)
  const name = ['tickets_place', ...filters, sort].join('_')
  const isTagAlone = isTagged && filters.length === 1
  return statement<PageParams, { at: number; id: string }[], Reader>(name, (read, p) => {
    const place = read.select({ at, id })
    const from = !isTagged
      ? place.from(tickets)
      : isTagAlone
        ? place.from(ticketTags)
        : place.from(ticketTags).innerJoin(tickets, eq(tickets.id, ticketTags.ticketId))
    return from
      .where(and(...(isTagAlone ? tagConditions() : conditions(filters))))
      .orderBy(...order)
      .limit(1)
      .offset(p.offset ?? 0)
  })
}

function buildCountStatement(filters: string[]) {
  return statement<PageParams, { total: number }[], Reader>(
    ['tickets_count', ...filters].join('_'),
    (read) =>
      filters.includes('tag')
        ? read
            .select({ total: count() })
            .from(ticketTags)
            .innerJoin(tickets, eq(tickets.id, ticketTags.ticketId))
            .where(and(...conditions(filters)))
        : read
            .select({ total: count() })
            .from(tickets)
            .where(and(...conditions(filters))),
  )
}

function conditions(filters: string[]): SQL[] {
  const wanted = { status: tickets.status, channel: tickets.channel, assignedTo: tickets.assignedTo }
  return [
    eq(tickets.orgId, given('orgId')),
    ...(filters.includes('tag') ? tagConditions() : []),
    ...Object.entries(wanted)
      .filter(([name]) => filters.includes(name))
      .map(([name, column]) => sql`${column} = ${given(name)}`),
  ]
}

function tagConditions(): SQL[] {
  return [eq(ticketTags.orgId, given('orgId')), eq(ticketTags.tag, given('tag'))]
}

function given(parameter: string): SQL {
  return textParameter(sql.placeholder(parameter))
}
