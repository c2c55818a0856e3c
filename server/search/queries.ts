import { and, asc, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { cacheByShape, statement } from '../database/statement.ts'
import { searchDocuments } from '../database/tables/search.ts'
import { tickets, ticketTags } from '../database/tables/tickets.ts'
import type { TicketSort } from '../tickets/list-tickets.ts'
import type { IndexChoice } from './choose-index.ts'
import {
  indexedCondition,
  indexedOrganization,
  isOneOf,
  numberOf,
  parameterOf,
  rareConditions,
  spamCondition,
  textOf,
  unindexedCondition,
  unindexedOrganization,
} from './conditions.ts'
import type { Filter } from './filters.ts'

/** A ticket's place in a list: the time it is sorted by, or the number of its document. */
export interface SortKey {
  at: number
  id: string
}

type FilterShape = Pick<Filter, 'kind' | 'isNegated'>
/** What distinguishes one prepared query from another; values are parameters. */
export interface QueryShape {
  filters: FilterShape[]
  index: IndexChoice
  sort: TicketSort
  /** Begins after the key (`at`, `id`). */
  hasStart: boolean
}
type Params = Record<string, string | number>

const MAX_REMEMBERED_FILTERS = 4

/** Searches with more filters are rare and come in too many combinations to keep their queries. */
function isRare({ filters }: { filters: FilterShape[] }): boolean {
  return filters.length > MAX_REMEMBERED_FILTERS
}

/** The keys of a list in order. */
export const keysStatement = cacheByShape((shape: QueryShape) => {
  const { order } = orderOf(shape)
  return statement<Params, SortKey[], Reader>(`inbox_keys_${Bun.hash(JSON.stringify(shape))}`, (read, p) =>
    selectKeys(read, shape)
      .where(and(...indexConditions(shape), ...otherConditions(shape)))
      .orderBy(...order)
      .limit(p.limit ?? 0),
  )
}, isRare)

/**
 * Of the next tickets along the index, the keys of those that pass the other filters, in no order. With both ends of
 * the slice as conditions instead of a limit, SQLite may choose an index with many other tickets between them.
 */
export const sliceStatement = cacheByShape((shape: QueryShape) => {
  const { at, id, order } = orderOf(shape)
  return statement<Params, SortKey[], Reader>(`inbox_slice_${Bun.hash(JSON.stringify(shape))}`, (read, p) => {
    const keys = read.select({ at, id })
    const slice = (walksTags(shape) ? keys.from(ticketTags) : keys.from(tickets))
      .where(and(...indexConditions(shape)))
      .orderBy(...order)
      .limit(p.limit ?? 0)
      .as('slice')
    return read
      .select({ at: slice.at, id: slice.id })
      .from(slice)
      .innerJoin(tickets, eq(tickets.id, slice.id))
      .where(and(unindexedOrganization, ...otherConditions(shape)))
  })
}, isRare)

/** The key of the last ticket of a slice, from the index alone; none if fewer tickets are left. */
export const sliceEndStatement = cacheByShape((shape: QueryShape) => {
  const { at, id, order } = orderOf(shape)
  return statement<Params, SortKey[], Reader>(
    `inbox_slice_end_${Bun.hash(JSON.stringify(shape))}`,
    (read, p) => {
      const keys = read.select({ at, id })
      return (walksTags(shape) ? keys.from(ticketTags) : keys.from(tickets))
        .where(and(...indexConditions(shape)))
        .orderBy(...order)
        .limit(1)
        .offset(p.offset ?? 0)
    },
  )
}, isRare)

function selectKeys(read: Reader, shape: QueryShape) {
  const { at, id } = orderOf(shape)
  const keys = read.select({ at, id })
  return walksTags(shape)
    ? keys.from(ticketTags).innerJoin(tickets, eq(tickets.id, ticketTags.ticketId))
    : keys.from(tickets)
}

/** Along the rows of a tag, their own columns give the order. */
function orderOf(shape: Pick<QueryShape, 'filters' | 'index' | 'sort'>) {
  const walked = walksTags(shape) ? ticketTags : tickets
  const at = shape.sort === 'updated_desc' ? walked.updatedAt : walked.createdAt
  const id = walksTags(shape) ? ticketTags.ticketId : tickets.id
  const isAscending = shape.sort === 'created_asc'
  return { at, id, isAscending, order: isAscending ? [asc(at), asc(id)] : [desc(at), desc(id)] }
}

function walksTags({ filters, index }: Pick<QueryShape, 'filters' | 'index'>): boolean {
  return index.kind === 'index' && index.positions.some((position) => filters[position]?.kind === 'tag')
}

function indexConditions(shape: QueryShape): (SQL | undefined)[] {
  const { filters, index } = shape
  const { at, id, isAscending } = orderOf(shape)
  const start = sql`${numberOf('at')}, ${textOf('id')}`
  const isAfterStart = isAscending ? sql`(${at}, ${id}) > (${start})` : sql`(${at}, ${id}) < (${start})`
  const isRareOne = rareConditions[index.kind === 'index' ? 'spam' : index.kind]
  const isOfOrganization = isRareOne
    ? unindexedOrganization
    : walksTags(shape)
      ? undefined
      : indexedOrganization
  const indexed = index.kind === 'index' ? index.positions : []
  return [
    isOfOrganization,
    isRareOne,
    ...indexed.map((position) => indexedCondition(filters[position]?.kind ?? 'status', position)),
    ...indexedDates(shape),
    shape.hasStart ? isAfterStart : undefined,
  ]
}

/** In the order of last activity, a date is a place in the index. */
function indexedDates({ filters, index, sort }: QueryShape): (SQL | undefined)[] {
  const { at } = orderOf({ filters, index, sort })
  if (sort !== 'updated_desc') return []
  return filters.map(({ kind, isNegated }, position) => {
    if (kind !== 'before' && kind !== 'after') return undefined
    const day = numberOf(parameterOf(position))
    return (kind === 'before') !== isNegated ? sql`${at} < ${day}` : sql`${at} >= ${day}`
  })
}

function otherConditions(shape: QueryShape): (SQL | undefined)[] {
  const { filters, index, sort } = shape
  const isIndexedDate = (kind: string) => sort === 'updated_desc' && (kind === 'before' || kind === 'after')
  return [
    walksTags(shape) ? unindexedOrganization : undefined,
    spamCondition(filters),
    ...filters.map(({ kind, isNegated }, position) =>
      index.positions.includes(position) || isIndexedDate(kind)
        ? undefined
        : unindexedCondition(kind, isNegated, position),
    ),
  ]
}

/** The lowest and the highest number of a document; nothing if there is none. */
export async function outermostDocuments(read: Reader): Promise<number[]> {
  const [row] = await documentBounds(read, {})
  return row?.lowest == null || row.highest == null ? [] : [Number(row.lowest), Number(row.highest)]
}

/** Two subqueries, because SQLite reads all rows for the lowest and the highest in one. */
const documentBounds = statement<Params, { lowest: unknown; highest: unknown }[], Reader>(
  'inbox_document_bounds',
  (read) => {
    const { number } = searchDocuments
    return read
      .select({
        lowest: sql<unknown>`(select min(${number}) from ${searchDocuments})`,
        highest: sql<unknown>`(select max(${number}) from ${searchDocuments})`,
      })
      .from(sql`(select 1) as one`)
  },
)

/** How many document numbers or ticket ids one query looks up. */
export const LOOKUP_SIZE = 128

/** Prepares a lookup that returns, of some documents, the keys of those whose ticket passes the filters, highest first. */
export function documentLookup(filters: FilterShape[]) {
  const query = documentsThatPass({ filters })
  return async (read: Reader, params: Params, numbers: number[]): Promise<SortKey[]> => {
    const padded = Array.from({ length: LOOKUP_SIZE }, (_, place) => [
      `number${place}`,
      numbers[place] ?? numbers[0] ?? 0,
    ])
    const keys = await query(read, { ...params, ...Object.fromEntries(padded) })
    return keys.sort((one, other) => other.at - one.at)
  }
}

/** The documents of some tickets. */
export async function documentsOf(read: Reader, orgId: string, ids: string[]): Promise<SortKey[]> {
  const found: SortKey[] = []
  for (let start = 0; start < ids.length; start += LOOKUP_SIZE) {
    const some = ids.slice(start, start + LOOKUP_SIZE)
    const padded = Array.from({ length: LOOKUP_SIZE }, (_, place) => [`id${place}`, some[place] ?? ''])
    found.push(...(await documentsById(read, { orgId, ...Object.fromEntries(padded) })))
  }
  return found
}

const documentsById = statement<Params, SortKey[], Reader>('inbox_documents', (read) => {
  const ids = Array.from({ length: LOOKUP_SIZE }, (_, place) => textOf(`id${place}`))
  return read
    .select({ at: searchDocuments.number, id: searchDocuments.ticketId })
    .from(searchDocuments)
    .where(and(eq(searchDocuments.orgId, textOf('orgId')), isOneOf(searchDocuments.ticketId, ids)))
})

const documentsThatPass = cacheByShape(
  ({ filters }: { filters: FilterShape[] }) =>
    statement<Params, SortKey[], Reader>(`inbox_among_${Bun.hash(JSON.stringify(filters))}`, (read) => {
      const numbers = Array.from({ length: LOOKUP_SIZE }, (_, place) => numberOf(`number${place}`))
      return read
        .select({ at: searchDocuments.number, id: tickets.id })
        .from(searchDocuments)
        .innerJoin(tickets, eq(tickets.id, searchDocuments.ticketId))
        .where(
          and(
            isOneOf(searchDocuments.number, numbers),
            sql`(${searchDocuments.orgId} || '') = ${textOf('orgId')}`,
            unindexedOrganization,
            spamCondition(filters),
            ...filters.map(({ kind, isNegated }, position) => unindexedCondition(kind, isNegated, position)),
          ),
        )
    }),
  isRare,
)

/** The tickets with a handle, newest first, along the index `tickets_by_handle` on exactly this expression. */
export const ticketsWithHandle = statement<{ orgId: string; handle: string }, { id: string }[], Reader>(
  'inbox_with_handle',
  (read) =>
    read
      .select({ id: tickets.id })
      .from(tickets)
      .where(and(sql`substr(${tickets.id}, 25) = ${textOf('handle')}`, unindexedOrganization))
      .orderBy(desc(sql`(${tickets.id} || '')`)),
)
