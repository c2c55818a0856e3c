import type { Reader } from '../database/database.ts'
import type { Channel, TicketStatus } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { filterNames, readCounter } from './counters.ts'
import type { Cursor } from './cursor.ts'
import { countStatement, type PageParams, pageStatement, placeStatement } from './list-statements.ts'
import type { TicketWithCustomer } from './queries.ts'

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

/**
 * One page of the organization's tickets. With no or one filter, and with status and assignee, page 1 and every page
 * by cursor cost the same at a thousand and at a million tickets; a page by number passes over index entries only.
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

/** The place of the ticket just before a page that was asked for by its number. */
async function lastBefore(
  read: Reader,
  params: PageParams,
  filters: string[],
  sort: TicketSort,
): Promise<{ at: number; id: string } | undefined> {
  const [place] = await placeStatement(filters, sort)(read, params)
  return place
}

/** From the counters where one is kept for these filters, counted otherwise. */
async function countTickets(read: Reader, orgId: string, filters: TicketFilters): Promise<number> {
  const counter = counterFor(filters)
  if (counter) return readCounter(read, orgId, counter)
  if (await isSurelyEmpty(read, orgId, filters)) return 0
  const query = countStatement(Object.keys(definedOnly(filters)).sort())
  const [row] = await query(read, { ...definedOnly(filters), orgId })
  return row?.total ?? 0
}

/** Nothing matches several filters where one of them alone finds nothing. */
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
