import type { Static } from 'elysia'
import { invalid } from '../errors.ts'
import { type Cursor, decodeCursor, encodeCursor } from './cursor.ts'
import type { TicketSort } from './list-ranges.ts'
import type { TicketFilters, TicketList, TicketListRequest } from './list-tickets.ts'
import type { TicketWithCustomer } from './queries.ts'
import type { ticketQuery } from './schemas.ts'

const MAX_PER_PAGE = 100
const DEFAULT_PER_PAGE = 25

type Query = Static<typeof ticketQuery>

/** Reads the query. Throws 400 for an invalid cursor, for one of another list, and for a blank filter. */
export function listRequest(query: Query): TicketListRequest {
  const { status, channel } = query
  const assignedTo = trimmed('assignedTo', query.assignedTo)
  const tag = trimmed('tag', query.tag)
  // Empty for the first page, so that a loop has something to begin with.
  const cursor = query.cursor || undefined
  if (cursor !== undefined && query.page !== undefined) {
    const detail = 'A cursor has its page already. Pass either `cursor` or `page`.'
    throw invalid([{ parameter: 'page', code: 'page_with_cursor', detail }])
  }
  const filters: TicketFilters = {
    status,
    channel,
    assignedTo: assignedTo === 'unassigned' ? '' : assignedTo,
    tag,
    isSpam: query.spam,
  }
  const sort = query.sort ?? 'created_desc'
  return {
    filters,
    sort,
    page: query.page ?? 1,
    perPage: Math.min(query.per_page ?? DEFAULT_PER_PAGE, MAX_PER_PAGE),
    cursor: cursor === undefined ? undefined : requireCursor(cursor, listName(filters, sort)),
  }
}

/** As the fields of a ticket are, when they are stored. */
function trimmed(parameter: string, value: string | undefined): string | undefined {
  const text = value?.trim()
  if (text === '') throw invalid([{ parameter, code: 'blank', detail: 'Must not be blank.' }])
  return text
}

/** `next` and `prev` are always cursors. */
export function pageLinks(request: TicketListRequest, list: TicketList, url: string) {
  const { cursor, sort } = request
  const name = listName(request.filters, sort)
  const page = cursor?.page ?? request.page
  const [first, last] = [list.tickets[0], list.tickets.at(-1)]
  const place = (direction: Cursor['direction'], ticket: TicketWithCustomer, to: number) =>
    encodeCursor({ direction, list: name, at: sortTime(ticket, sort), id: ticket.id, page: to })
  const nextCursor = last && list.hasMore ? place('next', last, page + 1) : undefined
  const previousCursor = first && page > 1 ? place('previous', first, page - 1) : undefined
  const links = [
    nextCursor && link(url, nextCursor, 'next'),
    previousCursor && link(url, previousCursor, 'prev'),
  ]
  return { nextCursor, header: links.filter(Boolean).join(', ') }
}

function requireCursor(text: string, list: string): Cursor {
  const cursor = decodeCursor(text)
  if (!cursor) {
    const detail = 'Pass `meta.nextCursor` unchanged.'
    throw invalid([{ parameter: 'cursor', code: 'invalid_cursor', detail }])
  }
  if (cursor.list === list) return cursor
  const detail = 'This cursor belongs to a list with other filters or another sort.'
  throw invalid([{ parameter: 'cursor', code: 'foreign_cursor', detail }])
}

/** A short fingerprint of filters and sort. */
function listName(filters: TicketFilters, sort: TicketSort): string {
  const { status, channel, assignedTo, tag, isSpam } = filters
  return Bun.hash.wyhash(JSON.stringify([sort, status, channel, assignedTo, tag, isSpam])).toString(36)
}

function sortTime(ticket: TicketWithCustomer, sort: TicketSort): number {
  return sort === 'updated_desc' ? ticket.updatedAt : ticket.createdAt
}

/** RFC 8288. */
function link(url: string, cursor: string, rel: 'next' | 'prev'): string {
  const start = url.indexOf('?')
  const parameters = new URLSearchParams(start < 0 ? '' : url.slice(start + 1))
  parameters.delete('page')
  parameters.set('cursor', cursor)
  return `</v1/tickets?${parameters}>; rel="${rel}"`
}
