import { and, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { isReadTimeout, type Reader } from '../../database/database.ts'
import { cacheByShape, integer, NAMED_IN_QUERY, statement, text } from '../../database/statement.ts'
import { customers } from '../../database/tables/customers.ts'
import { type Place, tickets } from '../../database/tables/tickets.ts'
import { selectTexts } from '../../database/text-list.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import type { PageRequest } from '../cursor.ts'
import {
  isAfterStart,
  type RangeShape,
  rangeParams,
  rangeShape,
  SORTED_BY,
  selectAllOfRanges,
  type TicketSort,
} from '../list-ranges.ts'
import { type TicketWithCustomer, ticketWithCustomer } from '../queries.ts'
import { rangeOf, type TicketFilters } from './ticket-filters.ts'

/** Where the tickets are found: by what few of them have, or by times that the list isn't sorted by. */
const SOURCES = ['ids', 'externalId', 'customerId', 'updatedAt', 'createdAt'] as const
type Source = (typeof SOURCES)[number]
/** They find at most 100 tickets. */
const SMALL: readonly Source[] = ['ids', 'externalId']

const IN_RANGES: readonly Condition[] = ['status', 'channel', 'assignedTo', 'tag']
const CONDITIONS = [
  'status',
  'channel',
  'assignedTo',
  'tag',
  'createdAt',
  'updatedAt',
  'customerId',
  'externalId',
] as const
type Condition = (typeof CONDITIONS)[number]

type Params = Record<string, string | number>

interface Shape {
  source: Source
  /** Of a source of times. */
  ranges: RangeShape | undefined
  places: readonly Place[]
  /** The filters that the source doesn't cover. */
  others: Condition[]
}

interface PageShape extends Shape {
  sort: TicketSort
  isReversed: boolean
  hasStart: boolean
}

/**
 * A page of tickets that no ranges of an index hold in the order of the list, with one row more, and their number. They are
 * found by the filter that finds the fewest, and sorted, for each page. Throws 400 if they are too many for that.
 */
export async function selectTickets(
  { read, background }: Deps['database'],
  orgId: string,
  { filters, sort, page, perPage, cursor }: PageRequest & { filters: TicketFilters; sort: TicketSort },
): Promise<{ rows: TicketWithCustomer[]; total: number }> {
  const { shape, params } = selectionOf(orgId, filters)
  const reader = SMALL.includes(shape.source) ? read : background
  const isReversed = cursor?.direction === 'previous'
  const place = { at: cursor?.at ?? 0, id: cursor?.id ?? '' }
  const limits = { limit: perPage + 1, offset: cursor ? 0 : (page - 1) * perPage }
  try {
    const [counted] = await countStatement(shape)(reader, params)
    const total = counted?.total ?? 0
    if (limits.offset >= total) return { rows: [], total }
    const pageShape = { ...shape, sort, isReversed, hasStart: cursor !== undefined }
    return { rows: await pageStatement(pageShape)(reader, { ...params, ...place, ...limits }), total }
  } catch (error) {
    throw isReadTimeout(error) ? tooBroad() : error
  }
}

/** The tickets with the row numbers of a query, in the order of its times, with their customers. */
export function ticketsWithKeys(read: Reader, keys: SQL, isAscending: boolean) {
  const order = isAscending ? sql`keys.at asc, keys.number asc` : sql`keys.at desc, keys.number desc`
  return (
    read
      .select(ticketWithCustomer)
      .from(sql`(${keys}) keys`)
      // In this order, whatever a planner with statistics thinks.
      .crossJoin(tickets)
      .crossJoin(customers)
      .where(and(eq(tickets.number, sql`keys.number`), eq(customers.id, tickets.customerId)))
      .orderBy(order)
  )
}

function tooBroad(): AppError {
  const detail = 'Too many tickets to sort. Sort by the time that you filter by, or choose a shorter period.'
  return new AppError(400, 'too_broad', detail)
}

function selectionOf(orgId: string, filters: TicketFilters): { shape: Shape; params: Params } {
  const source = SOURCES.find((one) => filters[one] !== undefined)
  if (!source) throw new Error('A list without such a filter is along an index.')
  const isTimed = source === 'createdAt' || source === 'updatedAt'
  const range = rangeOf(filters)
  const sort = source === 'updatedAt' ? 'updated_asc' : 'created_asc'
  const isCovered = (one: Condition) => one === source || (isTimed && IN_RANGES.includes(one))
  const { status = '', channel = '', customerId = '', externalId = '', ids, createdAt, updatedAt } = filters
  return {
    shape: {
      source,
      ranges: isTimed ? rangeShape(range, { sort, rows: 1, hasTimes: true }) : undefined,
      places: range.places,
      others: CONDITIONS.filter((one) => filters[one] !== undefined && !isCovered(one)),
    },
    params: {
      ...rangeParams(orgId, range),
      ...{ status, channel, customerId, externalId, ids: JSON.stringify(ids ?? []) },
      ...(isTimed && filters[source]),
      ...{ createdFrom: createdAt?.from ?? 0, createdUntil: createdAt?.until ?? 0 },
      ...{ updatedFrom: updatedAt?.from ?? 0, updatedUntil: updatedAt?.until ?? 0 },
    },
  }
}

const countStatement = cacheByShape((shape: Shape) =>
  statement(`tickets_selected_${nameOf(shape)}`, NAMED_IN_QUERY, (read: Reader) =>
    read
      .select({ total: sql<number>`cast(count(*) as integer)` })
      .from(sql`(select ${tickets.number} ${selection(shape)}) selected`),
  ),
)

const pageStatement = cacheByShape((shape: PageShape) => {
  const isAscending = SORTED_BY[shape.sort].isAscending !== shape.isReversed
  const at = tickets[SORTED_BY[shape.sort].column]
  const start = shape.hasStart ? sql` and ${isAfterStart(at, tickets.number, isAscending)}` : sql``
  const order = isAscending ? sql`"at" asc, "number" asc` : sql`"at" desc, "number" desc`
  const keys = sql`select ${at} as "at", ${tickets.number} as "number" ${selection(shape)}${start}
    order by ${order} limit ${integer.bind('limit')} offset ${integer.bind('offset')}`
  return statement(`tickets_selected_page_${nameOf(shape)}`, NAMED_IN_QUERY, (read: Reader) =>
    ticketsWithKeys(read, keys, isAscending),
  )
})

function nameOf(shape: Shape): string {
  return Bun.hash(JSON.stringify(shape)).toString(36)
}

function selection({ source, ranges, places, others }: Shape): SQL {
  const conditions = others.map(conditionOf)
  if (ranges) {
    const all = [sql`${tickets.number} = ranged.number`, ...conditions]
    return sql`from (${selectAllOfRanges(ranges)}) ranged cross join ${tickets} where ${sql.join(all, sql` and `)}`
  }
  const place = sql`${tickets.place} in (${sql.raw(places.join(', '))})`
  const all = [sourceOf(source), sql`(${tickets.orgId} || '') = ${text.bind('orgId')}`, place, ...conditions]
  return sql`from ${tickets} where ${sql.join(all, sql` and `)}`
}

function sourceOf(source: Source): SQL {
  switch (source) {
    case 'ids':
      return sql`${tickets.id} in (${selectTexts(text.bind('ids'))})`
    case 'customerId':
      return sql`${tickets.customerId} = ${text.bind('customerId')}`
    default:
      // Written so that the partial index is used.
      return sql`${tickets.orgId} = ${text.bind('orgId')} and external_id is not null
        and ${tickets.externalId} = ${text.bind('externalId')}`
  }
}

/** An expression that matches no index, so that the source alone decides which one is used. */
function conditionOf(condition: Condition): SQL {
  switch (condition) {
    case 'tag':
      return sql`exists (select 1 from ticket_tags own where own.ticket_id = ${tickets.id}
        and own.org_id = ${text.bind('orgId')} and own.tag = ${text.bind('tag')})`
    case 'createdAt':
      return within(tickets.createdAt, 'created')
    case 'updatedAt':
      return within(tickets.updatedAt, 'updated')
    default:
      return sql`(${tickets[condition]} || '') = ${text.bind(condition)}`
  }
}

function within(column: SQLWrapper, name: 'created' | 'updated'): SQL {
  return sql`(${column} + 0) >= ${integer.bind(`${name}From`)} and (${column} + 0) < ${integer.bind(`${name}Until`)}`
}
