import { and, asc, desc, eq, SQL, sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { cacheByShape, integer, NAMED_IN_QUERY, statement, text } from '../database/statement.ts'
import { searchDocuments } from '../database/tables/search.ts'
import { tickets } from '../database/tables/tickets.ts'
import { type RangeShape, SORTED_BY, selectRanges } from '../tickets/list-ranges.ts'
import type { IndexChoice, OwnOrder } from './choose-index.ts'
import {
  isOneOf,
  placeCondition,
  rareConditions,
  unindexedCondition,
  unindexedOrganization,
} from './conditions.ts'
import type { Filter } from './filters.ts'

/** A ticket's place in a list: the time it is sorted by, or the number of its document. */
export interface SortKey {
  at: number
  id: string
  /** The row number of the ticket, where a list is sorted by it. */
  number?: number
}

type FilterShape = Pick<Filter, 'kind' | 'isNegated'>
/** What distinguishes one prepared query from another; values are parameters. */
export interface QueryShape {
  filters: FilterShape[]
  kind: IndexChoice['kind']
  /** Positions of the filters that the index or the rare condition covers. */
  positions: number[]
  ranges: RangeShape
  /** Instead of the sort of the ranges. */
  ownOrder?: OwnOrder | undefined
}
type Params = Record<string, string | number>

const MAX_REMEMBERED_FILTERS = 4

/** Searches with more filters are rare and come in too many combinations to keep their queries. */
function isRare({ filters }: { filters: FilterShape[] }): boolean {
  return filters.length > MAX_REMEMBERED_FILTERS
}

/** The keys of a list whose filters the index covers, in order. */
export const keysStatement = cacheByShape(
  (shape: QueryShape) =>
    statement(`inbox_keys_${Bun.hash(JSON.stringify(shape))}`, NAMED_IN_QUERY, (read: Reader) =>
      shape.kind === 'ranges'
        ? withTickets(read, selectRanges(shape.ranges))
            .where(isOfKey)
            .orderBy(...inOrder(shape.ranges))
        : selectRare(read, shape, shape.kind),
    ),
  isRare,
)

/** Takes the next tickets along the ranges and returns the keys of those that pass the other filters, in no order. */
export const sliceStatement = cacheByShape(
  (shape: QueryShape) =>
    statement(`inbox_slice_${Bun.hash(JSON.stringify(shape))}`, NAMED_IN_QUERY, (read: Reader) =>
      withTickets(read, selectRanges(shape.ranges)).where(
        and(isOfKey, unindexedOrganization, ...otherConditions(shape)),
      ),
    ),
  isRare,
)

/** The key of the last ticket of a slice, with one row besides the index; none if fewer tickets are left. */
export const sliceEndStatement = cacheByShape(
  (shape: QueryShape) =>
    statement(`inbox_slice_end_${Bun.hash(JSON.stringify(shape))}`, NAMED_IN_QUERY, (read: Reader) =>
      withTickets(read, selectRanges(shape.ranges, { hasOffset: true })).where(isOfKey),
    ),
  isRare,
)

/** In this order, whatever a planner with statistics thinks. */
function withTickets(read: Reader, ranges: SQL) {
  const key = { at: sql<number>`keys.at`.mapWith(Number), id: tickets.id, number: tickets.number }
  return read.select(key).from(sql`(${ranges}) keys`).crossJoin(tickets)
}

const isOfKey = sql`${tickets.number} = keys.number`

function inOrder({ sort }: RangeShape): SQL[] {
  return SORTED_BY[sort].isAscending
    ? [sql`keys.at asc`, sql`keys.number asc`]
    : [sql`keys.at desc`, sql`keys.number desc`]
}

/** The newest mention first, and what wakes first. */
const OWN_ORDERS = {
  mentioned: {
    // An expression, so that the few mentions of the ticket are read, and not all of the agent.
    column: sql`(select max(mine.created_at) from mentions mine where mine.ticket_id = ${tickets.id}
      and (mine.agent_id || '') = ${text.bind('me')})`,
    isAscending: false,
  },
  snoozed: { column: 'snoozedUntil', isAscending: true },
} as const satisfies Record<OwnOrder, { column: SQL | 'snoozedUntil'; isAscending: boolean }>

/** From the few tickets of a rare condition, which are sorted. */
function selectRare(read: Reader, shape: QueryShape, kind: Exclude<IndexChoice['kind'], 'ranges'>) {
  const { sort, hasStart } = shape.ranges
  const { column, isAscending } = shape.ownOrder ? OWN_ORDERS[shape.ownOrder] : SORTED_BY[sort]
  const at = sql<number>`${column instanceof SQL ? column : tickets[column]}`.mapWith(Number)
  const start = sql`${integer.bind('at')}, ${text.bind('id')}`
  const isAfterStart = isAscending
    ? sql`(${at}, ${tickets.id}) > (${start})`
    : sql`(${at}, ${tickets.id}) < (${start})`
  return read
    .select({ at, id: tickets.id })
    .from(tickets)
    .where(
      and(
        unindexedOrganization,
        rareConditions[kind],
        ...otherConditions(shape),
        hasStart ? isAfterStart : undefined,
      ),
    )
    .orderBy(...(isAscending ? [asc(at), asc(tickets.id)] : [desc(at), desc(tickets.id)]))
    .limit(sql.placeholder('limit'))
}

function otherConditions({ filters, kind, positions }: QueryShape): (SQL | undefined)[] {
  return [
    kind === 'ranges' ? undefined : placeCondition(filters),
    ...filters.map(({ kind: one, isNegated }, position) =>
      positions.includes(position) ? undefined : unindexedCondition(one, isNegated, position),
    ),
  ]
}

/** The lowest and the highest number of a document; nothing if there is none. */
export async function outermostDocuments(read: Reader): Promise<number[]> {
  const [row] = await documentBounds(read, {})
  return row?.lowest == null || row.highest == null ? [] : [Number(row.lowest), Number(row.highest)]
}

/** Two subqueries, because SQLite reads all rows for the lowest and the highest in one. */
const documentBounds = statement('inbox_document_bounds', NAMED_IN_QUERY, (read: Reader) => {
  const { number } = searchDocuments
  return read
    .select({
      lowest: sql<unknown>`(select min(${number}) from ${searchDocuments})`,
      highest: sql<unknown>`(select max(${number}) from ${searchDocuments})`,
    })
    .from(sql`(select 1) as one`)
})

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

const documentsById = statement('inbox_documents', NAMED_IN_QUERY, (read: Reader) => {
  const ids = Array.from({ length: LOOKUP_SIZE }, (_, place) => text.bind(`id${place}`))
  return read
    .select({ at: searchDocuments.number, id: searchDocuments.ticketId })
    .from(searchDocuments)
    .where(and(eq(searchDocuments.orgId, text.bind('orgId')), isOneOf(searchDocuments.ticketId, ids)))
})

const documentsThatPass = cacheByShape(
  ({ filters }: { filters: FilterShape[] }) =>
    statement(`inbox_among_${Bun.hash(JSON.stringify(filters))}`, NAMED_IN_QUERY, (read: Reader) => {
      const numbers = Array.from({ length: LOOKUP_SIZE }, (_, place) => integer.bind(`number${place}`))
      return read
        .select({ at: searchDocuments.number, id: tickets.id })
        .from(searchDocuments)
        .innerJoin(tickets, eq(tickets.id, searchDocuments.ticketId))
        .where(
          and(
            isOneOf(searchDocuments.number, numbers),
            sql`(${searchDocuments.orgId} || '') = ${text.bind('orgId')}`,
            unindexedOrganization,
            placeCondition(filters, true),
            ...filters.map(({ kind, isNegated }, position) => unindexedCondition(kind, isNegated, position)),
          ),
        )
    }),
  isRare,
)

/** The tickets with a handle, newest first, along the index `tickets_by_handle` on exactly this expression. */
export const ticketsWithHandle = statement(
  'inbox_with_handle',
  { orgId: text, handle: text },
  (read: Reader) =>
    read
      .select({ id: tickets.id })
      .from(tickets)
      .where(and(sql`substr(${tickets.id}, 25) = ${text.bind('handle')}`, unindexedOrganization))
      .orderBy(desc(sql`(${tickets.id} || '')`)),
)
