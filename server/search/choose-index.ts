import { CHANNELS } from '../channels/kinds.ts'
import type { Reader } from '../database/database.ts'
import { TICKET_STATUSES } from '../database/tables/tickets.ts'
import { countTickets, readCounters } from '../tickets/counters.ts'
import type { RangeFilter, TicketSort } from '../tickets/list-ranges.ts'
import { LATEST_TIME } from '../tickets/waiting.ts'
import { placesOf } from './conditions.ts'
import { type Filter, PLACE_FILTERS } from './filters.ts'
import { OWN_STATES } from './query-language.ts'

/** What the ranges of an index have, also when it is excluded. */
const IN_RANGES: Filter['kind'][] = ['status', 'channel', ...PLACE_FILTERS]
/** Those that tickets can be sorted by: the newest mention, and when they wake. */
export type OwnOrder = 'mentioned' | 'snoozed'

/** Where a query starts: from the few tickets of a rare filter, or along the ranges of an index. */
export interface IndexChoice {
  kind: 'ranges' | (typeof OWN_STATES)[number] | OwnOrder
  ranges: RangeFilter
  /** Times of the last message that the ranges are cut to: from the first on, and before the second. */
  times: [from: number, until: number] | undefined
  /** Positions of the filters that need no look at the ticket itself. */
  positions: number[]
}

/**
 * Status, channel and place are always in the ranges, also when they are excluded, and so are an assignee, the rarest tag
 * and, in the order of the last message, dates. Returns undefined if no ticket can match.
 */
export async function chooseIndex(
  read: Reader,
  orgId: string,
  filters: Filter[],
  {
    sort,
    ownOrder,
    hasWords = false,
  }: { sort: TicketSort; ownOrder?: OwnOrder | undefined; hasWords?: boolean },
): Promise<IndexChoice | undefined> {
  const tags = filters.filter((filter) => filter.kind === 'tag' && !filter.isNegated)
  const tag = tags.length > 1 ? await rarest(read, orgId, tags) : tags[0]
  const assignee = filters.find((filter) => filter.kind === 'assignee' && !filter.isNegated)
  const ranges = rangesOf(filters, { assignedTo: assignee?.value, tag: tag?.value, hasWords })
  if (ranges.statuses.length === 0 || ranges.channels.length === 0) return undefined
  for (const kind of ownOrder ? [ownOrder] : OWN_STATES) {
    const position = filters.findIndex((filter) => filter.kind === kind && !filter.isNegated)
    if (position >= 0) return { kind, ranges, times: undefined, positions: [position] }
  }
  const times = timesOf(filters, sort)
  const positions = filters.flatMap((filter, position) => {
    const isCovered =
      filter === tag ||
      filter === assignee ||
      IN_RANGES.includes(filter.kind) ||
      TIMED_BY[sort]?.includes(filter.kind)
    return isCovered ? [position] : []
  })
  return { kind: 'ranges', ranges, times, positions }
}

/** An upper bound of the tickets that a search for words and these filters can find, by the counters. Rare filters count as 0. */
export async function upperBound(read: Reader, orgId: string, filters: Filter[]): Promise<number> {
  const index = await chooseIndex(read, orgId, filters, { sort: 'created_desc', hasWords: true })
  return index?.kind === 'ranges' ? countRanges(read, orgId, index.ranges) : 0
}

/**
 * The exact number of tickets that pass the filters, by the counters. Undefined if they have something that is not
 * counted, such as two tags together.
 */
export async function countFiltered(
  read: Reader,
  orgId: string,
  filters: Filter[],
): Promise<number | undefined> {
  const isCounted = ({ kind }: Filter) => [...IN_RANGES, 'assignee', 'tag'].includes(kind)
  const tags = filters.filter(({ kind }) => kind === 'tag')
  if (!filters.every(isCounted) || tags.length > 1) return undefined
  const ranges = rangesOf(filters, {})
  let total = 0
  // Counts everything, and then subtracts what is excluded.
  for (const assignee of signedValues(filters.filter(({ kind }) => kind === 'assignee'))) {
    for (const tag of signedValues(tags)) {
      const count = await countRanges(read, orgId, { ...ranges, assignedTo: assignee.value, tag: tag.value })
      total += assignee.sign * tag.sign * count
    }
  }
  return total
}

function signedValues(filters: Filter[]): { sign: 1 | -1; value: string | undefined }[] {
  const wanted = filters.find(({ isNegated }) => !isNegated)
  const excluded = filters.filter(({ isNegated }) => isNegated).map(({ value }) => String(value))
  if (!wanted)
    return [{ sign: 1, value: undefined }, ...excluded.map((value) => ({ sign: -1 as const, value }))]
  const value = String(wanted.value)
  return excluded.includes(value) ? [] : [{ sign: 1, value }]
}

async function countRanges(
  read: Reader,
  orgId: string,
  { statuses, channels, places, ...filter }: RangeFilter,
): Promise<number> {
  const counters = await readCounters(read, orgId, filter)
  return counters
    .filter(
      (one) => statuses.includes(one.status) && channels.includes(one.channel) && places.includes(one.place),
    )
    .reduce((sum, { count }) => sum + count, 0)
}

function rangesOf(
  filters: Filter[],
  { assignedTo, tag, hasWords }: { assignedTo?: Filter['value']; tag?: Filter['value']; hasWords?: boolean },
): RangeFilter {
  const passes = (kind: 'status' | 'channel', value: string) =>
    filters.every((filter) => filter.kind !== kind || (filter.value === value) !== filter.isNegated)
  return {
    statuses: TICKET_STATUSES.filter((status) => passes('status', status)),
    channels: CHANNELS.filter((channel) => passes('channel', channel)),
    places: placesOf(filters, hasWords),
    assignedTo: assignedTo === undefined ? undefined : String(assignedTo),
    tag: tag === undefined ? undefined : String(tag),
  }
}

/** The filters that are a part of the times that a list is sorted by. */
const TIMED_BY: Partial<Record<TicketSort, Filter['kind'][]>> = {
  message_desc: ['before', 'after'],
  waiting: ['waiting'],
}

function timesOf(filters: Filter[], sort: TicketSort): [number, number] | undefined {
  const times: [number, number] = [0, Number.MAX_SAFE_INTEGER]
  let hasTimes = false
  for (const { kind, value, isNegated } of filters) {
    if (!TIMED_BY[sort]?.includes(kind)) continue
    hasTimes = true
    const limit = kind === 'waiting' ? LATEST_TIME + 1 : Number(value)
    if ((kind === 'after') === isNegated) times[1] = Math.min(times[1], limit)
    else times[0] = Math.max(times[0], limit)
  }
  return hasTimes ? times : undefined
}

async function rarest(read: Reader, orgId: string, tags: Filter[]): Promise<Filter | undefined> {
  let best: { tag: Filter; count: number } | undefined
  for (const tag of tags) {
    const count = await countTickets(read, orgId, { tag: String(tag.value) })
    if (!best || count < best.count) best = { tag, count }
  }
  return best?.tag
}
