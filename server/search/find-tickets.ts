import type { Reader } from '../database/database.ts'
import { type IndexQuery, matchingNumbers } from '../database/full-text.ts'
import { yieldToEventLoop } from '../loop.ts'
import type { TicketSort } from '../tickets/list-tickets.ts'
import { chooseLead, mostFound } from './choose-index.ts'
import { parameterOf } from './conditions.ts'
import { ticketsByReference } from './find-by-handle.ts'
import { documentsOf, keysAmong, SLICE_OF_NUMBERS } from './matching-documents.ts'
import type { Filter, Search } from './read-search.ts'
import { type Key, keysStatement, type Shape, sliceEndStatement, sliceStatement } from './sql.ts'

export interface Find {
  orgId: string
  me: string
  search: Search
  sort: TicketSort
  /** Only what comes behind this one. */
  after: Key | undefined
  limit: number
  /** How many tickets are still looked at; when none is left, what was found so far is the answer. */
  budget?: { left: number }
}

/** How many tickets are looked at in one go when a filter has no index: a few milliseconds. */
const SLICE = 500
/** Most filters find a page soon. */
const FIRST_SLICE = 100
/** Tickets that may come into a slice between the query for its end and the one for what is in it. */
const MARGIN = 50
/** How many matches are gone through in one go. */
const SLICE_OF_MATCHES = 2_000
/** Tickets that are looked up before their words are looked for. */
const MOST_FEW = 2_000

/**
 * Ids of the tickets that a search finds, in order. Along an index where there is one, whatever the total; otherwise a
 * slice at a time, so that a search that finds nothing among 100,000 tickets is not in anybody's way.
 */
export async function findTickets(read: Reader, find: Find): Promise<Key[]> {
  const { indexQuery, ticketReference } = find.search
  if (!indexQuery) return findAlong(read, find)
  if (ticketReference === undefined) return findByWords(read, find, indexQuery)
  return findByReference(read, find, { indexQuery, ticketReference })
}

/** The ticket with this id or handle, spam or not, before the tickets whose text contains it. */
async function findByReference(
  read: Reader,
  find: Find,
  { indexQuery, ticketReference }: { indexQuery: IndexQuery; ticketReference: string },
): Promise<Key[]> {
  const ids = new Set(await ticketsByReference(read, find.orgId, ticketReference))
  const first = find.after ? [] : Array.from(ids, (id) => ({ at: Number.MAX_SAFE_INTEGER, id }))
  const others = await findByWords(read, { ...find, limit: find.limit + ids.size }, indexQuery)
  return [...first, ...others.filter(({ id }) => !ids.has(id))].slice(0, find.limit)
}

async function findAlong(read: Reader, find: Find): Promise<Key[]> {
  const { filters } = find.search
  const lead = await chooseLead(read, find.orgId, filters)
  if (!lead) return []
  const shape = { filters: filters.map(shapeOf), lead, sort: find.sort }
  const isWalked =
    lead.kind !== 'index' ||
    filters.every((filter, place) => isInIndex(filter, lead.places.includes(place), find.sort))
  if (!isWalked) return findInSlices(read, find, shape)
  return keysStatement({ ...shape, isBehind: find.after !== undefined })(read, parametersOf(find))
}

async function findInSlices(read: Reader, find: Find, shape: Omit<Shape, 'isBehind'>): Promise<Key[]> {
  const found: Key[] = []
  let after = find.after
  for (let size = FIRST_SLICE; ; size = SLICE) {
    const params = { ...parametersOf({ ...find, after, limit: size + MARGIN }), offset: size - 1 }
    const isBehind: boolean = after !== undefined
    const [end] = await sliceEndStatement({ ...shape, isBehind })(read, params)
    const slice = await sliceStatement({ ...shape, isBehind })(read, params)
    const order = find.sort === 'created_asc' ? ascending : descending
    found.push(...slice.filter((key) => end === undefined || order(key, end) <= 0).sort(order))
    if (end === undefined || found.length >= find.limit || isSpent(find, size))
      return found.slice(0, find.limit)
    after = end
    await yieldToEventLoop()
  }
}

function isSpent({ budget }: Find, lookedAt: number): boolean {
  if (!budget) return false
  budget.left -= lookedAt
  return budget.left <= 0
}

function ascending(one: Key, other: Key): number {
  return one.at - other.at || (one.id < other.id ? -1 : Number(one.id > other.id))
}

function descending(one: Key, other: Key): number {
  return ascending(other, one)
}

/** Newest change first, by the numbers of the documents. */
async function findByWords(read: Reader, find: Find, indexQuery: IndexQuery): Promise<Key[]> {
  const few = await fewDocuments(read, find)
  const found: Key[] = []
  const among = keysAmong(find.search.filters.map(shapeOf))
  const limit = few ? SLICE_OF_MATCHES : SLICE_OF_NUMBERS
  let below = find.after?.at ?? Number.MAX_SAFE_INTEGER
  for (;;) {
    const numbers = await matchingNumbers(read, indexQuery, { below, limit })
    if (few) found.push(...numbers.flatMap((number) => few.get(number) ?? []))
    else if (numbers.length > 0) found.push(...(await among(read, parametersOf(find), numbers)))
    const last = numbers.at(-1)
    const isOver = last === undefined || numbers.length < limit
    if (isOver || found.length >= find.limit || isSpent(find, limit)) return found.slice(0, find.limit)
    below = last
    await yieldToEventLoop()
  }
}

/** The documents of the tickets that pass the filters, when those are few: then it is quicker to begin with them. */
async function fewDocuments(read: Reader, find: Find): Promise<Map<number, Key> | undefined> {
  const { filters } = find.search
  if (filters.length === 0 || (await mostFound(read, find.orgId, filters)) > MOST_FEW) return undefined
  const limit = MOST_FEW + 1
  const keys = await findAlong(read, { ...find, sort: 'updated_desc', after: undefined, limit })
  if (keys.length > MOST_FEW) return undefined
  const documents = await documentsOf(
    read,
    find.orgId,
    keys.map(({ id }) => id),
  )
  return new Map(documents.map((key) => [key.at, key]))
}

/** Whether walking along the index passes over nothing because of this filter. */
function isInIndex({ kind }: Filter, isLeading: boolean, sort: TicketSort): boolean {
  if (isLeading || kind === 'spam') return true
  return (kind === 'before' || kind === 'after') && sort === 'updated_desc'
}

function shapeOf({ kind, isNegated }: Filter) {
  return { kind, isNegated }
}

function parametersOf({ orgId, me, search, after, limit }: Find): Record<string, string | number> {
  const values = search.filters.map(({ value }, place) => [parameterOf(place), value] as const)
  return { orgId, me, limit, at: after?.at ?? 0, id: after?.id ?? '', ...Object.fromEntries(values) }
}
