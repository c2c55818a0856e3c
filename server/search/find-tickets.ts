import type { Reader } from '../database/database.ts'
import { type IndexQuery, matchingNumbers } from '../database/full-text.ts'
import { yieldToEventLoop } from '../loop.ts'
import type { TicketSort } from '../tickets/list-tickets.ts'
import { chooseIndex, upperBound } from './choose-index.ts'
import { parameterOf } from './conditions.ts'
import {
  documentLookup,
  documentsOf,
  keysStatement,
  LOOKUP_SIZE,
  type QueryShape,
  type SortKey,
  sliceEndStatement,
  sliceStatement,
  ticketsWithHandle,
} from './queries.ts'
import { handleOf } from './query-language.ts'
import type { Filter, Search } from './read-search.ts'

interface FindInput {
  orgId: string
  me: string
  search: Search
  sort: TicketSort
  /** Only tickets after this one. */
  after: SortKey | undefined
  limit: number
  /** How many more tickets may be examined; at 0 the result is what was found so far. */
  budget?: { remaining: number }
}

/** Tickets examined at a time if a filter has no index: a few milliseconds. */
const SLICE = 500
/** Most filters fill a page from the first slice. */
const FIRST_SLICE = 100
/** Tickets that may be added to a slice between the query for its end and the one for its tickets. */
const MARGIN = 50
/** Matches of the full-text index examined at a time. */
const MATCH_SLICE = 2_000
/** Up to this many tickets that pass the filters are looked up before their text is searched. */
const MAX_FEW = 2_000

/**
 * The keys of the tickets that a search finds, in order. Along an index if there is one, so the total doesn't matter;
 * otherwise a slice at a time, so that a search without results in 100,000 tickets doesn't block other requests.
 */
export async function findTickets(read: Reader, input: FindInput): Promise<SortKey[]> {
  const { indexQuery, ticketReference } = input.search
  if (!indexQuery) return findAlongIndex(read, input)
  if (ticketReference === undefined) return findByWords(read, input, indexQuery)
  return findByReference(read, input, { indexQuery, ticketReference })
}

/** The ticket with this id or handle, spam or not, before the tickets whose text contains it. */
async function findByReference(
  read: Reader,
  input: FindInput,
  { indexQuery, ticketReference }: { indexQuery: IndexQuery; ticketReference: string },
): Promise<SortKey[]> {
  const handle = handleOf(ticketReference)
  const sameHandle = await ticketsWithHandle(read, { orgId: input.orgId, handle })
  // Handles are random, so there is hardly ever more than one.
  const ids = new Set(
    sameHandle.map(({ id }) => id).filter((id) => ticketReference === handle || ticketReference === id),
  )
  const first = input.after ? [] : Array.from(ids, (id) => ({ at: Number.MAX_SAFE_INTEGER, id }))
  const others = await findByWords(read, { ...input, limit: input.limit + ids.size }, indexQuery)
  return [...first, ...others.filter(({ id }) => !ids.has(id))].slice(0, input.limit)
}

async function findAlongIndex(read: Reader, input: FindInput): Promise<SortKey[]> {
  const { filters } = input.search
  const index = await chooseIndex(read, input.orgId, filters)
  if (!index) return []
  const shape = { filters: filters.map(shapeOf), index, sort: input.sort }
  const isCovered =
    index.kind !== 'index' ||
    filters.every((filter, position) => isInIndex(filter, index.positions.includes(position), input.sort))
  if (!isCovered) return findInSlices(read, input, shape)
  return keysStatement({ ...shape, hasStart: input.after !== undefined })(read, parametersOf(input))
}

async function findInSlices(
  read: Reader,
  input: FindInput,
  shape: Omit<QueryShape, 'hasStart'>,
): Promise<SortKey[]> {
  const found: SortKey[] = []
  const compare = input.sort === 'created_asc' ? ascending : descending
  let after = input.after
  for (let size = FIRST_SLICE; ; size = SLICE) {
    const params = { ...parametersOf({ ...input, after, limit: size + MARGIN }), offset: size - 1 }
    const hasStart: boolean = after !== undefined
    const [end] = await sliceEndStatement({ ...shape, hasStart })(read, params)
    const slice = await sliceStatement({ ...shape, hasStart })(read, params)
    found.push(...slice.filter((key) => end === undefined || compare(key, end) <= 0).sort(compare))
    if (end === undefined || found.length >= input.limit || isSpent(input, size)) {
      return found.slice(0, input.limit)
    }
    after = end
    await yieldToEventLoop()
  }
}

function isSpent({ budget }: FindInput, examined: number): boolean {
  if (!budget) return false
  budget.remaining -= examined
  return budget.remaining <= 0
}

function ascending(one: SortKey, other: SortKey): number {
  return one.at - other.at || (one.id < other.id ? -1 : Number(one.id > other.id))
}

function descending(one: SortKey, other: SortKey): number {
  return ascending(other, one)
}

/** Newest change first, by the numbers of the documents. */
async function findByWords(read: Reader, input: FindInput, indexQuery: IndexQuery): Promise<SortKey[]> {
  const few = await fewDocuments(read, input)
  const found: SortKey[] = []
  const lookUp = documentLookup(input.search.filters.map(shapeOf))
  const limit = few ? MATCH_SLICE : LOOKUP_SIZE
  let below = input.after?.at ?? Number.MAX_SAFE_INTEGER
  for (;;) {
    const numbers = await matchingNumbers(read, indexQuery, { below, limit })
    if (few) found.push(...numbers.flatMap((number) => few.get(number) ?? []))
    else if (numbers.length > 0) found.push(...(await lookUp(read, parametersOf(input), numbers)))
    const last = numbers.at(-1)
    const isEnd = last === undefined || numbers.length < limit
    if (isEnd || found.length >= input.limit || isSpent(input, limit)) return found.slice(0, input.limit)
    below = last
    await yieldToEventLoop()
  }
}

/** The documents of the tickets that pass the filters, if those are few: then it is faster to start from them. */
async function fewDocuments(read: Reader, input: FindInput): Promise<Map<number, SortKey> | undefined> {
  const { filters } = input.search
  if (filters.length === 0 || (await upperBound(read, input.orgId, filters)) > MAX_FEW) return undefined
  const limit = MAX_FEW + 1
  const keys = await findAlongIndex(read, { ...input, sort: 'updated_desc', after: undefined, limit })
  if (keys.length > MAX_FEW) return undefined
  const documents = await documentsOf(
    read,
    input.orgId,
    keys.map(({ id }) => id),
  )
  return new Map(documents.map((key) => [key.at, key]))
}

/** Whether a walk along the index skips no ticket because of this filter. */
function isInIndex({ kind }: Filter, isCovered: boolean, sort: TicketSort): boolean {
  if (isCovered || kind === 'spam') return true
  return (kind === 'before' || kind === 'after') && sort === 'updated_desc'
}

function shapeOf({ kind, isNegated }: Filter) {
  return { kind, isNegated }
}

function parametersOf({ orgId, me, search, after, limit }: FindInput): Record<string, string | number> {
  const values = search.filters.map(({ value }, position) => [parameterOf(position), value] as const)
  return { orgId, me, limit, at: after?.at ?? 0, id: after?.id ?? '', ...Object.fromEntries(values) }
}
