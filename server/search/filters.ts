import type { ChannelKind } from '../channels/kinds.ts'
import type { IndexQuery, WordPhrase } from '../database/full-text.ts'
import type { TicketStatus } from '../database/tables/tickets.ts'
import type { TicketState } from './query-language.ts'

/** One condition on a ticket. */
export type Filter = { isNegated: boolean } & (
  | { kind: 'status'; value: TicketStatus }
  | { kind: 'channel'; value: ChannelKind }
  /** Agent id, or an empty string for unassigned tickets. */
  | { kind: 'assignee'; value: string }
  | { kind: 'tag'; value: string }
  /** Key and value of metadata, with a line break between. */
  | { kind: 'meta'; value: string }
  /** Of the last message, in milliseconds since 1970. */
  | { kind: 'before' | 'after'; value: number }
  | { kind: TicketState; value: '' }
)

/** The places besides the inbox, of which a ticket is in one. */
export const PLACE_FILTERS = ['spam', 'snoozed', 'merged'] as const satisfies Filter['kind'][]

/** Filters by what is the agent's own. */
export const PERSONAL: readonly Filter['kind'][] = [
  'unread',
  'draft',
  'held',
  'scheduled',
  'mentioned',
  'followed',
]

/** Whether filters contradict each other, so that no ticket has to be examined to find nothing. */
export function contradict(filters: Filter[]): boolean {
  return hasOpposites(filters) || isEmptyPeriod(filters) || isInTwoPlaces(filters)
}

function isInTwoPlaces(filters: Filter[]): boolean {
  const wanted = filters.flatMap(({ kind, isNegated }) => (isNegated ? [] : kind))
  return PLACE_FILTERS.filter((place) => wanted.includes(place)).length > 1
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

/** The complete words of a phrase. The last word of an incomplete phrase may become another. */
function wholeWords({ words, isOpenEnded }: WordPhrase): string[] {
  return isOpenEnded ? words.slice(0, -1) : words
}

function contains(words: string[], part: string[]): boolean {
  return words.some((_, start) => part.every((word, place) => words[start + place] === word))
}
