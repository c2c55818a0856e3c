import { and, asc, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { remembered, statement } from '../database/statement.ts'
import { tickets, ticketTags } from '../database/tables/tickets.ts'
import type { TicketSort } from '../tickets/list-tickets.ts'
import type { Lead } from './choose-index.ts'
import {
  FEW,
  isOfOrganization,
  isVeiledOfOrganization,
  leadingCondition,
  numberOf,
  parameterOf,
  spamCondition,
  textOf,
  veiledCondition,
} from './conditions.ts'
import type { Filter } from './read-search.ts'

/** A ticket and what it is sorted by: a time, or the number of its document. */
export interface Key {
  at: number
  id: string
}

export type FilterShape = Pick<Filter, 'kind' | 'isNegated'>
export interface Shape {
  filters: FilterShape[]
  lead: Lead
  sort: TicketSort
  /** Begins behind the key (`at`, `id`). */
  isBehind: boolean
}
export type Params = Record<string, string | number>

const MOST_REMEMBERED_FILTERS = 4

/** Searches with more filters are rare and of too many kinds to remember them all. */
export function isRare({ filters }: { filters: FilterShape[] }): boolean {
  return filters.length > MOST_REMEMBERED_FILTERS
}

/** The keys of a list in its order. */
export const keysStatement = remembered((shape: Shape) => {
  const { order } = orderOf(shape)
  return statement<Params, Key[], Reader>(`inbox_keys_${Bun.hash(JSON.stringify(shape))}`, (read, p) =>
    from(read, shape)
      .where(and(...leading(shape), ...others(shape)))
      .orderBy(...order)
      .limit(p.limit ?? 0),
  )
}, isRare)

/**
 * Of the next tickets along the index, so many of them, the keys that pass the other filters, in no order. Given both
 * ends of a slice instead, SQLite may choose an index that has many other tickets between them.
 */
export const sliceStatement = remembered((shape: Shape) => {
  const { at, id, order } = orderOf(shape)
  return statement<Params, Key[], Reader>(`inbox_slice_${Bun.hash(JSON.stringify(shape))}`, (read, p) => {
    const keys = read.select({ at, id })
    const slice = (isTagged(shape) ? keys.from(ticketTags) : keys.from(tickets))
      .where(and(...leading(shape)))
      .orderBy(...order)
      .limit(p.limit ?? 0)
      .as('slice')
    return read
      .select({ at: slice.at, id: slice.id })
      .from(slice)
      .innerJoin(tickets, eq(tickets.id, slice.id))
      .where(and(isVeiledOfOrganization, ...others(shape)))
  })
}, isRare)

/** The key of the last ticket of a slice, from the leading index alone; none when fewer are left. */
export const sliceEndStatement = remembered((shape: Shape) => {
  const { at, id, order } = orderOf(shape)
  return statement<Params, Key[], Reader>(`inbox_slice_end_${Bun.hash(JSON.stringify(shape))}`, (read, p) => {
    const keys = read.select({ at, id })
    return (isTagged(shape) ? keys.from(ticketTags) : keys.from(tickets))
      .where(and(...leading(shape)))
      .orderBy(...order)
      .limit(1)
      .offset(p.offset ?? 0)
  })
}, isRare)

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
  const at = shape.sort === 'updated_desc' ? lead.updatedAt : lead.createdAt
  const id = isTagged(shape) ? ticketTags.ticketId : tickets.id
  const isAscending = shape.sort === 'created_asc'
  return { at, id, isAscending, order: isAscending ? [asc(at), asc(id)] : [desc(at), desc(id)] }
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
    spamCondition(filters),
    ...filters.map(({ kind, isNegated }, place) =>
      lead.places.includes(place) || isDateInOrder(kind)
        ? undefined
        : veiledCondition(kind, isNegated, place),
    ),
  ]
}
