import type { Static } from 'elysia'
import type { Reader } from '../database/database.ts'
import { PLACES } from '../database/tables/tickets.ts'
import { optionalTime } from '../dates.ts'
import { type AppError, invalid } from '../errors.ts'
import { type IdPrefix, isId } from '../ids.ts'
import { type Cursor, decodeCursor, encodeCursor, type PageRequest } from './cursor.ts'
import { agentIdOf, customerIdOf } from './filters/addresses.ts'
import type { TicketFilters, Times } from './filters/ticket-filters.ts'
import { SORTED_BY, type TicketSort } from './list-ranges.ts'
import type { TicketList, TicketListRequest } from './list-tickets.ts'
import type { MessagePage, MessageSort } from './message-pages.ts'
import type { TicketWithCustomer } from './queries.ts'
import type { OfTicket, PlaceInTicket } from './rows-of-ticket.ts'
import type { messageQuery, partsQuery, ticketQuery } from './schemas.ts'
import { readTicketRow } from './tickets.ts'

/** A ticket that is snoozed or merged isn't spam. */
const NOT_SPAM = Object.values(PLACES).filter((place) => place !== PLACES.spam)

const MAX_PER_PAGE = 100
/** Slices of a page: about a megabyte. */
const MAX_SLICES = 8
const BEGINNING: Place = { at: -1, id: '' }
const MAX_IDS = 100
const DEFAULT_PER_PAGE = 25

type Query = Static<typeof ticketQuery>
type MessageQuery = Static<typeof messageQuery>
type Paging = Pick<Query, 'page' | 'per_page' | 'cursor'>

/** A list that is read in pages. Cursors work only for the list with the same name. */
interface PagedList {
  name: string
  prefix: IdPrefix
}

/** Reads the query. Throws 400 for an invalid cursor, for one of another list, and for what no filter can be. */
export async function listRequest(read: Reader, orgId: string, query: Query): Promise<TicketListRequest> {
  const { status, channel } = query
  const assignedTo = trimmed('assignedTo', query.assignedTo)
  const tag = trimmed('tag', query.tag)
  const customer = trimmed('customer', query.customer)
  const filters: TicketFilters = {
    status,
    channel,
    assignedTo: assignedTo === 'unassigned' ? '' : assignedTo && (await agentIdOf(read, orgId, assignedTo)),
    tag,
    places: query.spam === undefined ? undefined : query.spam ? [PLACES.spam] : NOT_SPAM,
    createdAt: timesIn(query, 'created_since', 'created_before'),
    updatedAt: timesIn(query, 'updated_since'),
    customerId: customer && (await customerIdOf(read, orgId, customer)),
    externalId: trimmed('externalId', query.externalId),
    ids: idsIn('ids', query.ids),
  }
  const sort = query.sort ?? 'created_desc'
  return { filters, sort, ...pageRequest(query, { name: listName(filters, sort), prefix: 'tkt' }) }
}

/** From the first time on, and before the second one. Undefined without both. */
export function timesIn<Name extends string>(
  query: { [name in Name]?: string | undefined },
  since: Name,
  before?: Name,
): Times | undefined {
  const from = optionalTime(query[since])
  const until = before && optionalTime(query[before])
  if (from === undefined && until === undefined) return undefined
  return { from: from ?? Number.MIN_SAFE_INTEGER, until: until ?? Number.MAX_SAFE_INTEGER }
}

/** Ids that are separated by commas, each once, without those that no ticket can have. */
function idsIn(parameter: string, list: string | undefined): string[] | undefined {
  if (list === undefined) return undefined
  const ids = [...new Set(list.split(',').map((id) => id.trim()))]
  if (ids.length > MAX_IDS) {
    throw invalid([{ parameter, code: 'too_many', detail: `Must have at most ${MAX_IDS} ids.` }])
  }
  return ids.filter((id) => isId('tkt', id))
}

/** The same for the messages of a ticket. */
export function messagesRequest(ticketId: string, { sort = 'created_asc', ...paging }: MessageQuery) {
  return { sort, ...pageRequest(paging, { name: messageListName(ticketId, sort), prefix: 'msg' }) }
}

/** Of a list that is only read forward. Throws 400. */
export function forwardRequest(query: Omit<Paging, 'page'>, list: PagedList): PageRequest {
  const wanted = pageRequest(query, list)
  if (wanted.cursor?.direction === 'previous') throw invalidCursor()
  return wanted
}

function pageRequest({ page, per_page, cursor: given }: Paging, list: PagedList): PageRequest {
  // Empty for the first page, so that a loop has something to begin with.
  const cursor = given || undefined
  if (cursor !== undefined && page !== undefined) {
    const detail = 'A cursor already sets the page. Pass either `cursor` or `page`.'
    throw invalid([{ parameter: 'page', code: 'page_with_cursor', detail }])
  }
  return {
    page: page ?? 1,
    perPage: perPageOf({ per_page }),
    cursor: cursor === undefined ? undefined : requireCursor(cursor, list),
  }
}

export function perPageOf({ per_page = DEFAULT_PER_PAGE }: Pick<Paging, 'per_page'>): number {
  return Math.min(per_page, MAX_PER_PAGE)
}

/** As the fields of a ticket are, when they are stored. */
function trimmed(parameter: string, value: string | undefined): string | undefined {
  const text = value?.trim()
  if (text === '') throw invalid([{ parameter, code: 'blank', detail: 'Must not be blank.' }])
  return text
}

/** `next` and `prev` are always cursors. */
export function pageLinks(request: TicketListRequest, list: TicketList, url: string) {
  const { sort } = request
  const rows = list.tickets.map((ticket) => ({ id: ticket.id, at: sortTime(ticket, sort) }))
  const name = listName(request.filters, sort)
  return linksOf(request, { name, rows, hasMore: list.hasMore, path: '/v1/tickets', url })
}

/** The same for the messages of a ticket. */
export function messageLinks(
  request: PageRequest & { sort: MessageSort },
  { places, hasMore }: MessagePage,
  { ticketId, url }: { ticketId: string; url: string },
) {
  const rows = places.map(({ id, createdAt }) => ({ id, at: createdAt }))
  const path = `/v1/tickets/${ticketId}/messages`
  return linksOf(request, { name: messageListName(ticketId, request.sort), rows, hasMore, path, url })
}

/** Of a list that is only read forward: `next` is the place that its next page begins after. */
export function forwardLinks(
  { cursor, page }: PageRequest,
  {
    next,
    list,
    path,
    url,
  }: { next: { id: string; at: number } | undefined; list: string; path: string; url: string },
) {
  if (!next) return { nextCursor: undefined, header: '' }
  const to = (cursor?.page ?? page) + 1
  const nextCursor = encodeCursor({ direction: 'next', list, ...next, page: to })
  return { nextCursor, header: link(path, url, nextCursor, 'next') }
}

interface Place {
  at: number
  id: string
}

interface PartList extends OfTicket {
  /** The last part of its path. */
  name: 'activity' | 'notes' | 'suggestions'
  prefix: IdPrefix
  /** Where the first page begins: before the oldest part, unless the list goes back in time. */
  from?: Place
}

interface PartRequest {
  query: Static<typeof partsQuery>
  request: Request
  set: { headers: Record<string, unknown> }
}

/**
 * A page of what belongs to one ticket, with its `meta`; sets the header `Link`. `partsAfter` reads a slice. Throws 404, and
 * 400 for a cursor of another list.
 */
export async function pageOfParts<Row extends { id: string; createdAt: number }>(
  read: Reader,
  { orgId, ticketId, name, prefix, from = BEGINNING }: PartList,
  { query, request: { url }, set }: PartRequest,
  partsAfter: (place: PlaceInTicket) => Promise<Row[]>,
) {
  const list = Bun.hash.wyhash(JSON.stringify([name, ticketId])).toString(36)
  const wanted = forwardRequest(query, { name: list, prefix })
  await readTicketRow(read, orgId, ticketId)
  const { perPage, cursor: after = from } = wanted
  const { rows, next } = await readParts({ orgId, ticketId }, { after, limit: perPage }, partsAfter)
  const path = `/v1/tickets/${ticketId}/${name}`
  const { nextCursor, header } = forwardLinks(wanted, { next, list, path, url })
  if (header) set.headers.link = header
  return { rows, meta: { perPage, ...(nextCursor !== undefined && { nextCursor }) } }
}

/** `next` is the place where the next page begins; undefined on the last one. */
async function readParts<Row extends { id: string; createdAt: number }>(
  of: OfTicket,
  { after, limit }: { after: Place; limit: number },
  partsAfter: (place: PlaceInTicket) => Promise<Row[]>,
): Promise<{ rows: Row[]; next: Place | undefined }> {
  const rows: Row[] = []
  const placeOf = (row: Row | undefined) => row && { at: row.createdAt, id: row.id }
  let place = after
  for (let slices = 0; slices < MAX_SLICES; slices += 1) {
    const more = await partsAfter({ ...of, at: place.at, afterId: place.id })
    const last = placeOf(more.at(-1))
    if (!last) return { rows, next: undefined }
    rows.push(...more)
    if (rows.length > limit) return { rows: rows.slice(0, limit), next: placeOf(rows[limit - 1]) }
    place = last
  }
  return { rows, next: place }
}

interface Shown {
  name: string
  /** With the time that the list is sorted by. */
  rows: { id: string; at: number }[]
  hasMore: boolean
  path: string
  url: string
}

function linksOf({ cursor, ...request }: PageRequest, { name, rows, hasMore, path, url }: Shown) {
  const page = cursor?.page ?? request.page
  const [first, last] = [rows[0], rows.at(-1)]
  const place = (direction: Cursor['direction'], row: { id: string; at: number }, to: number) =>
    encodeCursor({ direction, list: name, ...row, page: to })
  const nextCursor = last && hasMore ? place('next', last, page + 1) : undefined
  const previousCursor = first && page > 1 ? place('previous', first, page - 1) : undefined
  const links = [
    nextCursor && link(path, url, nextCursor, 'next'),
    previousCursor && link(path, url, previousCursor, 'prev'),
  ]
  return { nextCursor, header: links.filter(Boolean).join(', ') }
}

function requireCursor(text: string, { name, prefix }: PagedList): Cursor {
  const cursor = decodeCursor(text, prefix)
  if (!cursor) throw invalidCursor()
  if (cursor.list === name) return cursor
  const detail = 'This cursor belongs to a list with other filters or another sort.'
  throw invalid([{ parameter: 'cursor', code: 'foreign_cursor', detail }])
}

function invalidCursor(): AppError {
  const detail = 'Pass `meta.nextCursor` unchanged.'
  return invalid([{ parameter: 'cursor', code: 'invalid_cursor', detail }])
}

/** A short fingerprint of filters and sort. */
function listName(filters: TicketFilters, sort: TicketSort): string {
  const { status, channel, assignedTo, tag, places } = filters
  const isSpam = places?.includes(PLACES.spam)
  const { createdAt, updatedAt, customerId, externalId, ids } = filters
  const others = [createdAt, updatedAt, customerId, externalId, ids]
  const all = [sort, status, channel, assignedTo, tag, isSpam]
  if (others.some((filter) => filter !== undefined)) all.push(JSON.stringify(others))
  return Bun.hash.wyhash(JSON.stringify(all)).toString(36)
}

function messageListName(ticketId: string, sort: MessageSort): string {
  return Bun.hash.wyhash(JSON.stringify([ticketId, sort])).toString(36)
}

function sortTime(ticket: TicketWithCustomer, sort: TicketSort): number {
  return ticket[SORTED_BY[sort].column]
}

/** RFC 8288. */
function link(path: string, url: string, cursor: string, rel: 'next' | 'prev'): string {
  const start = url.indexOf('?')
  const parameters = new URLSearchParams(start < 0 ? '' : url.slice(start + 1))
  parameters.delete('page')
  parameters.set('cursor', cursor)
  return `<${path}?${parameters}>; rel="${rel}"`
}
