import { and, asc, count, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { type Channel, customers, type TicketStatus, tickets, ticketTags } from '../database/schema.ts'
import { integerParameter, statement, textParameter } from '../database/statement.ts'
import type { Deps } from '../deps.ts'
import { filterNames, readCounter } from './counters.ts'
import type { Cursor } from './cursor.ts'
import { type TicketWithCustomer, ticketWithCustomer } from './rows.ts'

export const TICKET_SORTS = ['created_asc', 'created_desc', 'updated_desc'] as const
export type TicketSort = (typeof TICKET_SORTS)[number]

export interface TicketFilters {
  status?: TicketStatus
  channel?: Channel
  /** Agent id, or an empty string for tickets nobody has. */
  assignedTo?: string
  tag?: string
}

export interface TicketListRequest {
  filters: TicketFilters
  sort: TicketSort
  perPage: number
  /** From 1; not looked at with a cursor. */
  page: number
  cursor?: Cursor
}

export interface TicketList {
  tickets: TicketWithCustomer[]
  total: number
  hasMore: boolean
}

/** One page of the organization's tickets. Any single filter costs the same at a thousand and at a million tickets. */
export async function listTickets(
  deps: Deps,
  orgId: string,
  request: TicketListRequest,
): Promise<TicketList> {
  const { read } = deps.database
  const [total, rows] = await Promise.all([
    countTickets(read, orgId, request.filters),
    readPage(read, orgId, request),
  ])
  const page = rows.slice(0, request.perPage)
  const isBackwards = request.cursor?.direction === 'previous'
  return {
    tickets: isBackwards ? page.reverse() : page,
    total,
    hasMore: isBackwards || rows.length > request.perPage,
  }
}

/** Reads one row more than the page holds, to know whether there is another page. */
function readPage(read: Reader, orgId: string, request: TicketListRequest): Promise<TicketWithCustomer[]> {
  const { filters, sort, perPage, page, cursor } = request
  const query = pageStatement(Object.keys(definedOnly(filters)).sort(), sort, cursor?.direction)
  return query(read, {
    ...definedOnly(filters),
    orgId,
    limit: perPage + 1,
    offset: (page - 1) * perPage,
    at: cursor?.at ?? 0,
    id: cursor?.id ?? '',
  })
}

/** From the counters where one is kept for these filters, counted otherwise. */
async function countTickets(read: Reader, orgId: string, filters: TicketFilters): Promise<number> {
  const counter = counterFor(filters)
  if (counter) return readCounter(read, orgId, counter)
  const query = countStatement(Object.keys(definedOnly(filters)).sort())
  const [row] = await query(read, { ...definedOnly(filters), orgId })
  return row?.total ?? 0
}

function counterFor(filters: TicketFilters): string | undefined {
  const { status, channel, assignedTo, tag } = filters
  const used = Object.keys(definedOnly(filters)).length
  if (used === 0) return filterNames.all
  if (used === 2 && status && assignedTo !== undefined)
    return filterNames.statusAndAssignedTo(status, assignedTo)
  if (used > 1) return undefined
  if (status) return filterNames.status(status)
  if (channel) return filterNames.channel(channel)
  if (tag !== undefined) return filterNames.tag(tag)
  return assignedTo === undefined ? undefined : filterNames.assignedTo(assignedTo)
}

type PageParams = Record<string, string | number>
const pageStatements = new Map<string, ReturnType<typeof buildPageStatement>>()
const countStatements = new Map<string, ReturnType<typeof buildCountStatement>>()

/** One prepared query for each combination of filters, sort and direction, built when it is first asked for. */
function pageStatement(filters: string[], sort: TicketSort, direction: Cursor['direction'] | undefined) {
  const name = ['tickets_page', ...filters, sort, direction ?? 'offset'].join('_')
  const known = pageStatements.get(name) ?? buildPageStatement(name, filters, sort, direction)
  pageStatements.set(name, known)
  return known
}

function countStatement(filters: string[]) {
  const name = ['tickets_count', ...filters].join('_')
  const known = countStatements.get(name) ?? buildCountStatement(name, filters)
  countStatements.set(name, known)
  return known
}

/** With a tag the tag's own rows lead, in their own order; otherwise an index of the tickets does. */
function buildPageStatement(
  name: string,
  filters: string[],
  sort: TicketSort,
  direction: Cursor['direction'] | undefined,
) {
  return statement<PageParams, TicketWithCustomer[], Reader>(name, (read, p) => {
    const isTagged = filters.includes('tag')
    const lead = isTagged ? ticketTags : tickets
    const at = sort === 'updated_desc' ? lead.updatedAt : lead.createdAt
    const id = isTagged ? ticketTags.ticketId : tickets.id
    const place = sql`${integerParameter(sql.placeholder('at'))}, ${textParameter(sql.placeholder('id'))}`
    const isAscending = (sort === 'created_asc') !== (direction === 'previous')
    const order = isAscending ? [asc(at), asc(id)] : [desc(at), desc(id)]
    const behind = isAscending ? sql`(${at}, ${id}) > (${place})` : sql`(${at}, ${id}) < (${place})`
    const found = and(...conditions(filters), direction && behind)
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
    const page = from
      .where(found)
      .orderBy(...order)
      .limit(p.limit ?? 0)
    return direction ? page : page.offset(p.offset ?? 0)
  })
}

function buildCountStatement(name: string, filters: string[]) {
  return statement<PageParams, { total: number }[], Reader>(name, (read) =>
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
  const isTagged = filters.includes('tag')
  const given = (name: string) => textParameter(sql.placeholder(name))
  const wanted = { status: tickets.status, channel: tickets.channel, assignedTo: tickets.assignedTo }
  return [
    eq(tickets.orgId, given('orgId')),
    ...(isTagged ? [eq(ticketTags.orgId, given('orgId')), eq(ticketTags.tag, given('tag'))] : []),
    ...Object.entries(wanted)
      .filter(([name]) => filters.includes(name))
      .map(([name, column]) => sql`${column} = ${given(name)}`),
  ]
}

function definedOnly(filters: TicketFilters): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filters).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}
