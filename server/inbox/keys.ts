import { and, asc, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { searchDocuments } from '../database/tables/search.ts'
import { tickets, ticketTags } from '../database/tables/tickets.ts'
import type { TicketSort } from '../tickets/list-tickets.ts'
import {
  FEW,
  isOfOrganization,
  isOneOf,
  isVeiledOfOrganization,
  leadingCondition,
  numberOf,
  parameterOf,
  spamCondition,
  textOf,
  veiledCondition,
} from './conditions.ts'
import type { Filter } from './filters.ts'
import type { Lead } from './lead.ts'

/** A ticket and what it is sorted by: a time, or the number of its document. */
export interface Key {
  at: number
  id: string
}

type FilterShape = Pick<Filter, 'kind' | 'isNegated'>
export interface Shape {
  filters: FilterShape[]
  lead: Lead
  sort: TicketSort
  /** Begins behind the key (`at`, `id`). */
  isBehind: boolean
}
type Params = Record<string, string | number>

/** As many document numbers as one query looks up. */
export const SLICE_OF_NUMBERS = 128
/** Searches with more filters are rare and of too many kinds to remember them all. */
const MOST_REMEMBERED_FILTERS = 4

/** The keys of a list in its order. */
export const keysStatement = remembered((shape: Shape) => {
  const { at, id, isAscending } = orderOf(shape)
  return statement<Params, Key[], Reader>(`inbox_keys_${Bun.hash(JSON.stringify(shape))}`, (read, p) =>
    from(read, shape)
      .where(and(...leading(shape), ...others(shape)))
      .orderBy(...(isAscending ? [asc(at), asc(id)] : [desc(at), desc(id)]))
      .limit(p.limit ?? 0),
  )
})

/**
 * Of the next tickets along the index, so many of them, the keys that pass the other filters, in no order. Given both
 * ends of a slice instead, SQLite may choose an index that has many other tickets between them.
 */
export const sliceStatement = remembered((shape: Shape) => {
  const { at, id, isAscending } = orderOf(shape)
  return statement<Params, Key[], Reader>(`inbox_slice_${Bun.hash(JSON.stringify(shape))}`, (read, p) => {
    const keys = read.select({ at, id })
    const slice = (isTagged(shape) ? keys.from(ticketTags) : keys.from(tickets))
      .where(and(...leading(shape)))
      .orderBy(...(isAscending ? [asc(at), asc(id)] : [desc(at), desc(id)]))
      .limit(p.limit ?? 0)
      .as('slice')
    return read
      .select({ at: slice.at, id: slice.id })
      .from(slice)
      .innerJoin(tickets, eq(tickets.id, slice.id))
      .where(and(isVeiledOfOrganization, ...others(shape)))
  })
})

/** The key of the last ticket of a slice, from the leading index alone; none when fewer are left. */
export const sliceEndStatement = remembered((shape: Shape) => {
  const { at, id, isAscending } = orderOf(shape)
  return statement<Params, Key[], Reader>(`inbox_slice_end_${Bun.hash(JSON.stringify(shape))}`, (read, p) => {
    const keys = read.select({ at, id })
    return (isTagged(shape) ? keys.from(ticketTags) : keys.from(tickets))
      .where(and(...leading(shape)))
      .orderBy(...(isAscending ? [asc(at), asc(id)] : [desc(at), desc(id)]))
      .limit(1)
      .offset(p.offset ?? 0)
  })
})

/** Of some documents, those whose ticket passes the filters, highest number first. */
export function keysAmong(filters: FilterShape[]) {
  const query = amongStatement({ filters })
  return async (read: Reader, params: Params, numbers: number[]): Promise<Key[]> => {
    const places = Array.from({ length: SLICE_OF_NUMBERS }, (_, place) => [
      `number${place}`,
      numbers[place] ?? numbers[0] ?? 0,
    ])
    const keys = await query(read, { ...params, ...Object.fromEntries(places) })
    return keys.sort((one, other) => other.at - one.at)
  }
}

/** The documents of some tickets. */
export async function documentsOf(read: Reader, orgId: string, ids: string[]): Promise<Key[]> {
  const found: Key[] = []
  for (let start = 0; start < ids.length; start += SLICE_OF_NUMBERS) {
    const some = ids.slice(start, start + SLICE_OF_NUMBERS)
    const places = Array.from({ length: SLICE_OF_NUMBERS }, (_, place) => [`id${place}`, some[place] ?? ''])
    found.push(...(await documentsStatement(read, { orgId, ...Object.fromEntries(places) })))
  }
  return found
}

const documentsStatement = statement<Params, Key[], Reader>('inbox_documents', (read) => {
  const ids = Array.from({ length: SLICE_OF_NUMBERS }, (_, place) => textOf(`id${place}`))
  return read
    .select({ at: searchDocuments.number, id: searchDocuments.ticketId })
    .from(searchDocuments)
    .where(and(eq(searchDocuments.orgId, textOf('orgId')), isOneOf(searchDocuments.ticketId, ids)))
})

const amongStatement = remembered(({ filters }: { filters: FilterShape[] }) =>
  statement<Params, Key[], Reader>(`inbox_among_${Bun.hash(JSON.stringify(filters))}`, (read) => {
    const numbers = Array.from({ length: SLICE_OF_NUMBERS }, (_, place) => numberOf(`number${place}`))
    return read
      .select({ at: searchDocuments.number, id: tickets.id })
      .from(searchDocuments)
      .innerJoin(tickets, eq(tickets.id, searchDocuments.ticketId))
      .where(
        and(
          isOneOf(searchDocuments.number, numbers),
          sql`(${searchDocuments.orgId} || '') = ${textOf('orgId')}`,
          isVeiledOfOrganization,
          spamCondition(positiveKinds(filters)),
          ...filters.map(({ kind, isNegated }, place) => veiledCondition(kind, isNegated, place)),
        ),
      )
  }),
)

/** One prepared query for each shape, built when it is first asked for. */
function remembered<S extends { filters: FilterShape[] }, Query>(
  build: (shape: S) => Query,
): (shape: S) => Query {
  const queries = new Map<string, Query>()
  return (shape) => {
    if (shape.filters.length > MOST_REMEMBERED_FILTERS) return build(shape)
    const name = JSON.stringify(shape)
    const query = queries.get(name) ?? build(shape)
    queries.set(name, query)
    return query
  }
}

function from(read: Reader, shape: Shape) {
  const { at, id } = orderOf(shape)
  const keys = read.select({ at, id })
  return isTagged(shape)
    ? keys.from(ticketTags).innerJoin(tickets, eq(tickets.id, ticketTags.ticketId))
    : keys.from(tickets)
}

/** With a tag the tag's own rows lead, in their own order; otherwise an index of the tickets does. */
function orderOf(shape: Pick<Shape, 'filters' | 'lead' | 'sort'>) {
  const lead = isTagged(shape) ? ticketTags : tickets
  return {
    at: shape.sort === 'updated_desc' ? lead.updatedAt : lead.createdAt,
    id: isTagged(shape) ? ticketTags.ticketId : tickets.id,
    isAscending: shape.sort === 'created_asc',
  }
}

function isTagged({ filters, lead }: Pick<Shape, 'filters' | 'lead'>): boolean {
  return lead.kind === 'index' && lead.places.some((place) => filters[place]?.kind === 'tag')
}

function leading(shape: Shape): (SQL | undefined)[] {
  const { filters, lead } = shape
  const { at, id, isAscending } = orderOf(shape)
  const place = sql`${numberOf('at')}, ${textOf('id')}`
  const behind = isAscending ? sql`(${at}, ${id}) > (${place})` : sql`(${at}, ${id}) < (${place})`
  const few = FEW[lead.kind === 'index' ? 'spam' : lead.kind]
  const isOrganization = few ? isVeiledOfOrganization : isTagged(shape) ? undefined : isOfOrganization
  const indexed = lead.kind === 'index' ? lead.places : []
  return [
    isOrganization,
    few,
    ...indexed.map((one) => leadingCondition(filters[one]?.kind ?? 'status', one)),
    ...datesInOrder(shape),
    shape.isBehind ? behind : undefined,
  ]
}

/** Sorted by last activity a day is a place in the index. */
function datesInOrder({ filters, lead, sort }: Shape): (SQL | undefined)[] {
  const { at } = orderOf({ filters, lead, sort })
  if (sort !== 'updated_desc') return []
  return filters.map(({ kind, isNegated }, place) => {
    if (kind !== 'before' && kind !== 'after') return undefined
    const day = numberOf(parameterOf(place))
    return (kind === 'before') !== isNegated ? sql`${at} < ${day}` : sql`${at} >= ${day}`
  })
}

function others(shape: Shape): (SQL | undefined)[] {
  const { filters, lead, sort } = shape
  const isDateInOrder = (kind: string) => sort === 'updated_desc' && (kind === 'before' || kind === 'after')
  return [
    isTagged(shape) ? isVeiledOfOrganization : undefined,
    spamCondition(positiveKinds(filters)),
    ...filters.map(({ kind, isNegated }, place) =>
      lead.places.includes(place) || isDateInOrder(kind)
        ? undefined
        : veiledCondition(kind, isNegated, place),
    ),
  ]
}

function positiveKinds(filters: FilterShape[]): string[] {
  return filters.filter(({ isNegated }) => !isNegated).map(({ kind }) => kind)
}
