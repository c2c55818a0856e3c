import { type SQL, sql } from 'drizzle-orm'
import { CHANNELS, type ChannelKind } from '../channels/kinds.ts'
import { integer, text } from '../database/statement.ts'
import { TICKET_STATUSES, type TicketStatus, tickets, ticketTags } from '../database/tables/tickets.ts'
import type { Ticket } from './queries.ts'

/*
 * The indexes of a list begin with its organization, then its tag and its assignee if it has them, then status, channel
 * and spam, and end with the time and the row number of the ticket that it is sorted by. So the tickets of any combination of filters are at most 3 × 4 × 2
 * ranges of one index, each in order, which the database merges as far as the page needs. No ticket is read that isn't
 * in the list, so a page costs the same whatever the filters find and however many tickets there are. With counters
 * for the totals (counters.ts) this needs no cache, no thread and no copy in memory, and one index where others would
 * need one for each combination.
 */

export const TICKET_SORTS = [
  'created_asc',
  'created_desc',
  'updated_desc',
  'message_desc',
  'waiting',
] as const
export type TicketSort = (typeof TICKET_SORTS)[number]

/** The column that a list is sorted by. */
export const SORTED_BY = {
  created_asc: { column: 'createdAt', isAscending: true },
  created_desc: { column: 'createdAt', isAscending: false },
  updated_desc: { column: 'updatedAt', isAscending: false },
  message_desc: { column: 'lastMessageAt', isAscending: false },
  waiting: { column: 'waitingOrder', isAscending: true },
} as const satisfies Record<TicketSort, { column: keyof Ticket; isAscending: boolean }>

/** The filters that define the ranges of a list. */
export interface RangeFilter {
  statuses: readonly TicketStatus[]
  channels: readonly ChannelKind[]
  /** Whether tickets are spam. */
  spam: readonly boolean[]
  /** Agent id, or an empty string for unassigned tickets. */
  assignedTo?: string | undefined
  tag?: string | undefined
}

/** What distinguishes the query of one list from another. Its values are parameters. */
export interface RangeShape {
  /** How many ranges: of each status, channel and spam. */
  sizes: [statuses: number, channels: number, spam: number]
  isAssigned: boolean
  isTagged: boolean
  sort: TicketSort
  isReversed: boolean
  /** Begins after the ticket with the time `at` and the id `id`. */
  hasStart: boolean
  /** Only times from `from` on and before `until`. */
  hasTimes: boolean
}

type RangeParams = Record<string, string | number>

/** Every ticket. */
export const ALL_TICKETS: RangeFilter = {
  statuses: TICKET_STATUSES,
  channels: CHANNELS,
  spam: [false, true],
}

export function rangeShape(
  { statuses, channels, spam, assignedTo, tag }: RangeFilter,
  sort: TicketSort,
  { isReversed = false, hasStart = false, hasTimes = false } = {},
): RangeShape {
  return {
    sizes: [statuses.length, channels.length, spam.length],
    isAssigned: assignedTo !== undefined,
    isTagged: tag !== undefined,
    sort,
    isReversed,
    hasStart,
    hasTimes,
  }
}

/** The parameters of the filter. Those of a start, of times, and `limit` and `offset` are the caller's. */
export function rangeParams(orgId: string, filter: RangeFilter): RangeParams {
  const { statuses, channels, spam, assignedTo = '', tag = '' } = filter
  const params: RangeParams = { orgId, assignedTo, tag }
  for (const [place, status] of statuses.entries()) params[`status${place}`] = status
  for (const [place, channel] of channels.entries()) params[`channel${place}`] = channel
  for (const [place, isSpam] of spam.entries()) params[`spam${place}`] = isSpam ? 1 : 0
  return params
}

/** A query for the time (`at`) and row number (`number`) of the next `limit` tickets, after the first `offset` if there is one. */
export function selectRanges(shape: RangeShape, { hasOffset = false } = {}): SQL {
  const lead = shape.isTagged ? ticketTags : tickets
  const at = lead[SORTED_BY[shape.sort].column]
  const number = shape.isTagged ? ticketTags.ticketNumber : tickets.number
  const isAscending = SORTED_BY[shape.sort].isAscending !== shape.isReversed
  // SQLite enters the index of tickets at the time, and passes over those of the same time. If the ticket is gone,
  // they come once more.
  const known = sql`(select start.number from tickets start where start.id = ${text.bind('id')})`
  const place = sql`${integer.bind('at')}, coalesce(${known}, ${isAscending ? sql`0` : sql`9007199254740991`})`
  const shared = [
    sql`${lead.orgId} = ${text.bind('orgId')}`,
    ...(shape.isTagged ? [sql`${ticketTags.tag} = ${text.bind('tag')}`] : []),
    ...(shape.isAssigned ? [sql`${lead.assignedTo} = ${text.bind('assignedTo')}`] : []),
  ]
  const after = shape.hasStart
    ? [isAscending ? sql`(${at}, ${number}) > (${place})` : sql`(${at}, ${number}) < (${place})`]
    : []
  const times = shape.hasTimes
    ? [sql`${at} >= ${integer.bind('from')}`, sql`${at} < ${integer.bind('until')}`]
    : []
  const ranges = cells(shape.sizes).map(([status, channel, spam]) => {
    const cell = [
      sql`${lead.status} = ${text.bind(`status${status}`)}`,
      sql`${lead.channel} = ${text.bind(`channel${channel}`)}`,
      sql`${lead.isSpam} = (${integer.bind(`spam${spam}`)} = 1)`,
    ]
    const conditions = sql.join([...shared, ...cell, ...times, ...after], sql` and `)
    return sql`select ${at} as "at", ${number} as "number" from ${lead} where ${conditions}`
  })
  const order = isAscending ? sql`"at" asc, "number" asc` : sql`"at" desc, "number" desc`
  const offset = hasOffset ? sql` offset ${integer.bind('offset')}` : sql``
  return sql`${sql.join(ranges, sql` union all `)} order by ${order} limit ${integer.bind('limit')}${offset}`
}

function cells([statuses, channels, spam]: RangeShape['sizes']): [number, number, number][] {
  const places = (size: number) => Array.from({ length: size }, (_, place) => place)
  return places(statuses).flatMap((status) =>
    places(channels).flatMap((channel) =>
      places(spam).map((isSpam): [number, number, number] => [status, channel, isSpam]),
    ),
  )
}
