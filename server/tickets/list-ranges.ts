import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { CHANNELS, type ChannelKind } from '../channels/kinds.ts'
import { engine } from '../database/columns.ts'
import { integer, text } from '../database/statement.ts'
import {
  PLACES,
  type Place,
  TICKET_STATUSES,
  type TicketStatus,
  tickets,
  ticketTags,
} from '../database/tables/tickets.ts'
import type { Ticket } from './queries.ts'

/*
 * The indexes of a list begin with its organization, then its tag and its assignee if it has them, then status, channel
 * and place, and end with the time and the row number of the ticket that it is sorted by. So the tickets of any combination of filters are at most 3 × 4 × 4
 * ranges of one index, each in order, which the database merges as far as the page needs. No ticket is read that isn't
 * in the list, so a page costs the same whatever the filters find and however many tickets there are. With counters
 * for the totals (counters.ts) this needs no cache, no thread and no copy in memory, and one index where others would
 * need one for each combination.
 */

export const TICKET_SORTS = [
  'created_asc',
  'created_desc',
  'updated_asc',
  'updated_desc',
  'message_desc',
  'waiting',
] as const
export type TicketSort = (typeof TICKET_SORTS)[number]

/** The column that a list is sorted by. */
export const SORTED_BY = {
  created_asc: { column: 'createdAt', isAscending: true },
  created_desc: { column: 'createdAt', isAscending: false },
  updated_asc: { column: 'updatedAt', isAscending: true },
  updated_desc: { column: 'updatedAt', isAscending: false },
  message_desc: { column: 'lastMessageAt', isAscending: false },
  waiting: { column: 'waitingOrder', isAscending: true },
} as const satisfies Record<TicketSort, { column: keyof Ticket; isAscending: boolean }>

/** The filters that define the ranges of a list. */
export interface RangeFilter {
  statuses: readonly TicketStatus[]
  channels: readonly ChannelKind[]
  places: readonly Place[]
  /** Agent id, or an empty string for unassigned tickets. */
  assignedTo?: string | undefined
  tag?: string | undefined
}

/** What distinguishes the query of one list from another. Its values are parameters. */
export interface RangeShape {
  /** How many ranges: of each status, channel and place. */
  sizes: [statuses: number, channels: number, places: number]
  isAssigned: boolean
  isTagged: boolean
  sort: TicketSort
  isReversed: boolean
  /** Begins after the ticket with the time `at` and the id `id`. */
  hasStart: boolean
  /** Only times from `from` on and before `until`. */
  hasTimes: boolean
  /** `limit` and `offset` together are no more than this. One of a few numbers, so that there are few queries. */
  mostRows: number
}

/** PostgreSQL expects that a limit it doesn't know is a tenth of the rows, so that each is too high by less than that. */
const MOST_ROWS = [128, 1_024, 8_192]

type RangeParams = Record<string, string | number>

interface RangeQuery extends Partial<Pick<RangeShape, 'isReversed' | 'hasStart' | 'hasTimes'>> {
  sort: TicketSort
  rows: number
}

/** Every ticket. */
export const ALL_TICKETS: RangeFilter = {
  statuses: TICKET_STATUSES,
  channels: CHANNELS,
  places: Object.values(PLACES),
}

/** Of a query for `rows` rows, with those it passes over. Throws if they are more than 8,192. */
export function rangeShape(
  { statuses, channels, places, assignedTo, tag }: RangeFilter,
  { sort, rows, isReversed = false, hasStart = false, hasTimes = false }: RangeQuery,
): RangeShape {
  const mostRows = MOST_ROWS.find((most) => most >= rows)
  if (mostRows === undefined) throw new Error(`A query of a list reads no ${rows} rows.`)
  return {
    sizes: [statuses.length, channels.length, places.length],
    isAssigned: assignedTo !== undefined,
    isTagged: tag !== undefined,
    sort,
    isReversed,
    hasStart,
    hasTimes,
    mostRows,
  }
}

/** The parameters of the filter. Those of a start, of times, and `limit` and `offset` are the caller's. */
export function rangeParams(orgId: string, filter: RangeFilter): RangeParams {
  const { statuses, channels, places, assignedTo = '', tag = '' } = filter
  const params: RangeParams = { orgId, assignedTo, tag }
  for (const [index, status] of statuses.entries()) params[`status${index}`] = status
  for (const [index, channel] of channels.entries()) params[`channel${index}`] = channel
  for (const [index, place] of places.entries()) params[`place${index}`] = place
  return params
}

/** A query for the time (`at`) and row number (`number`) of the next `limit` tickets, after the first `offset` if there is one. */
export function selectRanges(shape: RangeShape, { hasOffset = false } = {}): SQL {
  const ranges = rangesOf(shape)
  const isAscending = SORTED_BY[shape.sort].isAscending !== shape.isReversed
  const order = isAscending ? sql`"at" asc, "number" asc` : sql`"at" desc, "number" desc`
  const offset = hasOffset ? sql` offset ${integer.bind('offset')}` : sql``
  const page = sql`order by ${order} limit ${integer.bind('limit')}${offset}`
  return engine === 'sqlite'
    ? sql`${sql.join(ranges, sql` union all `)} ${page}`
    : sql`select * from (${cappedRanges(ranges, order, shape.mostRows)}) "merged" ${page}`
}

/** The same of all tickets in the ranges, in no order. */
export function selectAllOfRanges(shape: RangeShape): SQL {
  return sql.join(rangesOf(shape), sql` union all `)
}

/** Whether a ticket with this time and row number is after the one with the time `at` and the id `id`. */
export function isAfterStart(at: SQLWrapper, number: SQLWrapper, isAscending: boolean): SQL {
  // SQLite enters the index of tickets at the time, and passes over those of the same time. If the ticket is gone,
  // they come once more.
  const known = sql`(select start.number from tickets start where start.id = ${text.bind('id')})`
  const start = sql`${integer.bind('at')}, coalesce(${known}, ${isAscending ? sql`0` : sql`9007199254740991`})`
  return isAscending ? sql`(${at}, ${number}) > (${start})` : sql`(${at}, ${number}) < (${start})`
}

function rangesOf(shape: RangeShape): SQL[] {
  const lead = shape.isTagged ? ticketTags : tickets
  const at = lead[SORTED_BY[shape.sort].column]
  const number = shape.isTagged ? ticketTags.ticketNumber : tickets.number
  const isAscending = SORTED_BY[shape.sort].isAscending !== shape.isReversed
  const shared = [
    sql`${lead.orgId} = ${text.bind('orgId')}`,
    ...(shape.isTagged ? [sql`${ticketTags.tag} = ${text.bind('tag')}`] : []),
    ...(shape.isAssigned ? [sql`${lead.assignedTo} = ${text.bind('assignedTo')}`] : []),
  ]
  const after = shape.hasStart ? [isAfterStart(at, number, isAscending)] : []
  const times = shape.hasTimes
    ? [sql`${at} >= ${integer.bind('from')}`, sql`${at} < ${integer.bind('until')}`]
    : []
  return cells(shape.sizes).map(([status, channel, place]) => {
    const cell = [
      sql`${lead.status} = ${text.bind(`status${status}`)}`,
      sql`${lead.channel} = ${text.bind(`channel${channel}`)}`,
      sql`${lead.place} = ${integer.bind(`place${place}`)}`,
    ]
    const conditions = sql.join([...shared, ...cell, ...times, ...after], sql` and `)
    return sql`select ${at} as "at", ${number} as "number" from ${lead} where ${conditions}`
  })
}

/**
 * PostgreSQL merges ranges as far as the page needs only if each is sorted and has a limit of its own; otherwise it reads
 * them all. Its plan counts on the number of rows, so limits are written out: with parameters only, it would plan the
 * query anew each time, for longer than it runs. SQLite knows no order within a range, and needs none.
 */
function cappedRanges(ranges: SQL[], order: SQL, mostRows: number): SQL {
  const capped = sql`order by ${order} limit ${sql.raw(String(mostRows))}`
  const each = ranges.map((range) => sql`(${range} ${capped})`)
  return sql`select * from (${sql.join(each, sql` union all `)}) "ranges" ${capped}`
}

function cells([statuses, channels, places]: RangeShape['sizes']): [number, number, number][] {
  const indexes = (size: number) => Array.from({ length: size }, (_, index) => index)
  return indexes(statuses).flatMap((status) =>
    indexes(channels).flatMap((channel) =>
      indexes(places).map((place): [number, number, number] => [status, channel, place]),
    ),
  )
}
