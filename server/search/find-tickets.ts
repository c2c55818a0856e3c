import { type Database, isReadTimeout, type Reader } from '../database/database.ts'
import type { ExpensiveRead } from '../database/expensive-reads.ts'
import { type IndexQuery, type Matches, matchingNumbers } from '../database/full-text.ts'
import { rangeParams, rangeShape, SORTED_BY, type TicketSort } from '../tickets/list-ranges.ts'
import { survivorOf } from '../tickets/merged.ts'
import { chooseIndex, type IndexChoice, type OwnOrder, upperBound } from './choose-index.ts'
import { parameterOf } from './conditions.ts'
import type { Filter } from './filters.ts'
import {
  documentLookup,
  documentsOf,
  keysStatement,
  LOOKUP_SIZE,
  outermostDocuments,
  type QueryShape,
  type SortKey,
  sliceEndStatement,
  sliceStatement,
  ticketsWithHandle,
} from './queries.ts'
import { handleOf } from './query-language.ts'
import type { Search } from './read-search.ts'
import { keysWithoutNotes } from './without-notes.ts'

/** Reads of tickets and of the full-text index. Slow ones run in the background. */
type Readers = Pick<Database, 'read' | 'background'>

export interface FindInput {
  orgId: string
  me: string
  search: Search
  sort: TicketSort
  /** Instead of `sort`, if the search has that filter. */
  ownOrder?: OwnOrder | undefined
  /** Only tickets after this one. */
  after: SortKey | undefined
  limit: number
  expensive: ExpensiveRead
  /** False for who may not read notes: the words of notes are neither found nor excluded. */
  hasNotes?: boolean
}

interface Found {
  keys: SortKey[]
  /** The search was too broad to be completed: there may be more tickets. */
  isTooBroad?: true
  /** The search can be continued after this key. */
  stoppedAt?: SortKey
}

/** Tickets examined at a time if a filter has no index: a few milliseconds. */
const SLICE = 500
/** Most filters fill a page from the first slice. */
const FIRST_SLICE = 100
/** Tickets that may be added to a slice between the query for its end and the one for its tickets. */
const MARGIN = 50
/** Up to this many tickets that pass the filters are looked up before their text is searched. */
const MAX_FEW = 2_000
/** Matches of the full-text index that one query returns: few fill a page, and each query starts over. */
const FIRST_MATCHES = LOOKUP_SIZE
const MATCHES = 2_048
/** The cost of a lookup, in addition to its rows. */
const ROWS_PER_LOOKUP = 20
/** The place of a full-text search is the number of a document alone. */
const NO_TICKET = `tkt_${'0'.repeat(26)}`

/**
 * The keys of the tickets that a search finds, in order. Along an index if there is one, so the total doesn't matter;
 * otherwise a slice at a time, up to the number of rows that a read may examine. After the first slice, and for words,
 * nothing runs on the event loop.
 */
export async function findTickets(readers: Readers, input: FindInput): Promise<Found> {
  if (input.search.isImpossible) return { keys: [] }
  try {
    return await find(readers, input)
  } catch (error) {
    if (isReadTimeout(error)) return { keys: [], isTooBroad: true }
    throw error
  }
}

async function find(readers: Readers, input: FindInput): Promise<Found> {
  const { indexQuery, ticketReference } = input.search
  if (!indexQuery) return findAlongIndex(readers, input)
  if (ticketReference === undefined) return findByWords(readers, input, indexQuery)
  return findByReference(readers, input, { indexQuery, ticketReference })
}

/** The ticket with this id or handle, spam or not, or the one it was merged into, before those whose text contains it. */
async function findByReference(
  readers: Readers,
  input: FindInput,
  { indexQuery, ticketReference }: { indexQuery: IndexQuery; ticketReference: string },
): Promise<Found> {
  const handle = handleOf(ticketReference)
  const sameHandle = await ticketsWithHandle(readers.read, { orgId: input.orgId, handle })
  // Handles are random, so there is hardly ever more than one.
  const meant = sameHandle.filter(({ id }) => ticketReference === handle || ticketReference === id)
  const ids = new Set<string>()
  for (const { id } of meant) ids.add(await survivorOf(readers.read, input.orgId, id))
  const first = input.after ? [] : Array.from(ids, (id) => ({ at: Number.MAX_SAFE_INTEGER, id }))
  const others = await findByWords(readers, { ...input, limit: input.limit + ids.size }, indexQuery)
  const keys = [...first, ...others.keys.filter(({ id }) => !ids.has(id))].slice(0, input.limit)
  return { ...others, keys }
}

async function findAlongIndex(readers: Readers, input: FindInput): Promise<Found> {
  const { filters } = input.search
  const { sort, ownOrder } = input
  const hasWords = input.search.indexQuery !== undefined
  const index = await chooseIndex(readers.read, input.orgId, filters, { sort, ownOrder, hasWords })
  if (!index) return { keys: [] }
  const isCovered = index.kind !== 'ranges' || index.positions.length === filters.length
  if (!isCovered) return findInSlices(readers, input, index)
  return { keys: await keysStatement(queryShape(input, index))(readers.read, parametersOf(input, index)) }
}

async function findInSlices(
  { read, background }: Readers,
  input: FindInput,
  index: IndexChoice,
): Promise<Found> {
  const found: SortKey[] = []
  const compare = SORTED_BY[input.sort].isAscending ? ascending : descending
  let after = input.after
  for (let size = FIRST_SLICE; ; size = SLICE) {
    const reader = size === FIRST_SLICE ? read : background
    const next = { ...input, after, limit: size + MARGIN }
    const params = parametersOf(next, index)
    const shape = queryShape(next, index)
    const [end] = await sliceEndStatement(shape)(reader, { ...params, limit: 1, offset: size - 1 })
    const slice = await sliceStatement(shape)(reader, params)
    found.push(...slice.filter((key) => end === undefined || compare(key, end) <= 0).sort(compare))
    if (end === undefined || found.length >= input.limit) return { keys: found.slice(0, input.limit) }
    await input.expensive.examined(size)
    if (input.expensive.isSpent) return { keys: found, isTooBroad: true, stoppedAt: end }
    after = end
  }
}

function ascending(one: SortKey, other: SortKey): number {
  return one.at - other.at || (one.number ?? 0) - (other.number ?? 0)
}

function descending(one: SortKey, other: SortKey): number {
  return ascending(other, one)
}

/** Newest change first, by the numbers of the documents. */
async function findByWords(readers: Readers, input: FindInput, indexQuery: IndexQuery): Promise<Found> {
  const few = await fewDocuments(readers, input)
  const numbers = few ? [...few.keys()] : await outermostDocuments(readers.read)
  if (numbers.length === 0) return { keys: [] }
  const [downTo, highest] = [Math.min(...numbers), Math.max(...numbers)]
  const below = Math.min(input.after?.at ?? highest + 1, highest + 1)
  const lookUp = documentLookup(input.search.filters.map(shapeOf))
  const found: SortKey[] = []
  let reader = readers.read
  const range = { downTo, below, ...(few && { among: numbers }) }
  const { hasNotes = true } = input
  // What a note excludes would tell what is in it.
  const indexed = hasNotes ? indexQuery : { ...indexQuery, excluded: [] }
  for await (const part of matchesIn(readers.background, indexed, range)) {
    const keys = few
      ? part.numbers.flatMap((number) => few.get(number) ?? [])
      : part.numbers.length > 0
        ? await lookUp(reader, parametersOf(input), part.numbers)
        : []
    if (hasNotes) found.push(...keys)
    else {
      for await (const key of keysWithoutNotes(readers.background, { ...input, keys, query: indexQuery })) {
        found.push(key)
        if (found.length >= input.limit) break
      }
    }
    if (part.below === undefined || found.length >= input.limit) break
    await input.expensive.examined(part.numbers.length + ROWS_PER_LOOKUP)
    if (input.expensive.isSpent) {
      return { keys: found, isTooBroad: true, stoppedAt: { at: part.below, id: NO_TICKET } }
    }
    reader = readers.background
  }
  return { keys: found.slice(0, input.limit) }
}

/** The matches in a range in parts that one query looks up. */
async function* matchesIn(
  background: Reader,
  query: IndexQuery,
  { below, ...range }: { downTo: number; below: number; among?: number[] },
): AsyncGenerator<Matches> {
  let rest: number | undefined = below
  for (let limit = FIRST_MATCHES; rest !== undefined; limit = MATCHES) {
    const matches = await matchingNumbers(background, query, { ...range, below: rest, limit })
    const { numbers } = matches
    for (let end = LOOKUP_SIZE; end < numbers.length; end += LOOKUP_SIZE) {
      yield { numbers: numbers.slice(end - LOOKUP_SIZE, end), below: numbers[end - 1] }
    }
    const lastPart = Math.max(0, Math.ceil(numbers.length / LOOKUP_SIZE) - 1) * LOOKUP_SIZE
    yield { numbers: numbers.slice(lastPart), below: matches.below }
    rest = matches.below
  }
}

/** The documents of the tickets that pass the filters, if those are few: then it is faster to start from them. */
async function fewDocuments(readers: Readers, input: FindInput): Promise<Map<number, SortKey> | undefined> {
  const { filters } = input.search
  const { read } = readers
  if (filters.length === 0 || (await upperBound(read, input.orgId, filters)) > MAX_FEW) return undefined
  const limit = MAX_FEW + 1
  const all = { ...input, sort: 'message_desc' as const, after: undefined, limit }
  const { keys, stoppedAt } = await findAlongIndex(readers, all)
  if (keys.length > MAX_FEW || stoppedAt) return undefined
  const documents = await documentsOf(
    readers.background,
    input.orgId,
    keys.map(({ id }) => id),
  )
  return new Map(documents.map((key) => [key.at, key]))
}

function shapeOf({ kind, isNegated }: Filter) {
  return { kind, isNegated }
}

function queryShape(
  { search, sort, ownOrder, after, limit }: FindInput,
  { kind, positions, ranges, times }: IndexChoice,
): QueryShape {
  const hasStart = after !== undefined
  return {
    filters: search.filters.map(shapeOf),
    kind,
    positions,
    ownOrder,
    ranges: rangeShape(ranges, { sort, rows: limit, hasStart, hasTimes: times !== undefined }),
  }
}

function parametersOf(
  { orgId, me, search, after, limit }: FindInput,
  index?: IndexChoice,
): Record<string, string | number> {
  const values = search.filters.map(({ value }, position) => [parameterOf(position), value] as const)
  const [from, until] = index?.times ?? [0, 0]
  return {
    ...(index && rangeParams(orgId, index.ranges)),
    ...{ orgId, me, limit, from, until, at: after?.at ?? 0, id: after?.id ?? '' },
    ...Object.fromEntries(values),
  }
}
