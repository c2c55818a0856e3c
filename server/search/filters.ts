import type { IndexQuery, WordPhrase } from '../database/full-text.ts'
import type { Channel, TicketStatus } from '../database/tables/tickets.ts'
import { QUERY_VALUES, type TicketState } from './query-language.ts'

/** One condition on a ticket. */
export type Filter = { isNegated: boolean } & (
  | { kind: 'status'; value: TicketStatus }
  | { kind: 'channel'; value: Channel }
  /** Agent id, or an empty string for unassigned tickets. */
  | { kind: 'assignee'; value: string }
  | { kind: 'tag'; value: string }
  /** Last activity, milliseconds since 1970. */
  | { kind: 'before' | 'after'; value: number }
  | { kind: TicketState; value: '' }
)

const isNegated = false
const STATUSES: Filter[] = QUERY_VALUES.status.map((value) => ({ kind: 'status', value, isNegated }))
const CHANNELS: Filter[] = QUERY_VALUES.channel.map((value) => ({ kind: 'channel', value, isNegated }))

/**
 * The same filters, fewer where that is possible: all statuses but two excluded is the third one, which has an index.
 * Returns undefined when they contradict each other, so that no ticket has to be examined to find nothing.
 */
export function simplifyFilters(filters: Filter[]): Filter[] | undefined {
  if (hasOpposites(filters) || isEmptyPeriod(filters)) return undefined
  const byStatus = withoutExclusions(filters, STATUSES)
  return byStatus && withoutExclusions(byStatus, CHANNELS)
}

/** Whether a query requires what it excludes, such as `hello -hello`. */
export function excludesRequired({ required, excluded }: IndexQuery): boolean {
  return excluded.some((phrase) => required.some((one) => contains(wholeWords(one), phrase.words)))
}

/** `tag:a -tag:a`. */
function hasOpposites(filters: Filter[]): boolean {
  const wanted = filters.filter(({ isNegated }) => !isNegated).map(nameOf)
  return filters.some((filter) => filter.isNegated && wanted.includes(nameOf(filter)))
}

function nameOf({ kind, value }: Filter): string {
  return `${kind}:${value}`
}

/** `after:2026-03-02 before:2026-03-01`. A negated `before` is an `after`, and the other way around. */
function isEmptyPeriod(filters: Filter[]): boolean {
  const times = (kind: 'before' | 'after', isNegated: boolean) =>
    filters.flatMap((filter) =>
      filter.kind === kind && filter.isNegated === isNegated ? [filter.value] : [],
    )
  const start = Math.max(...times('after', false), ...times('before', true))
  const end = Math.min(...times('before', false), ...times('after', true))
  return start >= end
}

/** Replaces exclusions of all values but one by that value, and drops those beside a value. */
function withoutExclusions(filters: Filter[], values: Filter[]): Filter[] | undefined {
  const isExclusion = ({ kind, isNegated }: Filter) => isNegated && kind === values[0]?.kind
  const excluded = filters.filter(isExclusion).map(nameOf)
  if (excluded.length === 0) return filters
  const others = filters.filter((filter) => !isExclusion(filter))
  if (others.some(({ kind }) => kind === values[0]?.kind)) return others
  const [value, ...more] = values.filter((one) => !excluded.includes(nameOf(one)))
  if (value === undefined) return undefined
  return more.length > 0 ? filters : [...others, value]
}

/** The words of a phrase that are certain: the last of an incomplete one may be another. */
function wholeWords({ words, isOpenEnded }: WordPhrase): string[] {
  return isOpenEnded ? words.slice(0, -1) : words
}

function contains(words: string[], part: string[]): boolean {
  return words.some((_, start) => part.every((word, place) => words[start + place] === word))
}
