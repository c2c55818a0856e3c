import { CHANNELS, type Channel, TICKET_STATUSES, type TicketStatus } from '../database/tables/tickets.ts'
import { isCalendarDay } from '../dates.ts'
import { AppError } from '../errors.ts'
import { calledBy } from './handle.ts'
import { wordsOf } from './normalize.ts'
import { partsOf } from './query-language.ts'

export const MARKS = ['unread', 'failed', 'held', 'spam', 'draft'] as const
export type Mark = (typeof MARKS)[number]

/** One `key:value` of a query. */
export type Term = { isNegated: boolean } & (
  | { key: 'status'; value: TicketStatus }
  | { key: 'channel'; value: Channel }
  | { key: 'is'; value: Mark }
  /** `me`, `none`, or a name, an address or an id of an agent. */
  | { key: 'assigned'; value: string }
  | { key: 'tag'; value: string }
  /** Of the customer. */
  | { key: 'from'; value: string }
  /** A day as `2026-03-01`. */
  | { key: 'before' | 'after'; value: string }
)

export interface Query {
  terms: Term[]
  /** What is looked for in the text, or must not stand there: words side by side. Of the last one the end may be missing. */
  phrases: Phrase[]
  /** Text is looked for, and there is not one word in it: `!!!`. */
  isOfSignsOnly: boolean
  /** The id or the handle of a ticket, when the query is nothing else; its words are looked for, too. */
  called: string | undefined
}

export interface Phrase {
  isNegated: boolean
  words: string[]
  isOpenEnded: boolean
}

export const MOST_QUERY_LENGTH = 500
const MOST_TERMS = 20
const MOST_WORDS = 32
/** A single letter begins too many words to look them all up. */
const SHORTEST_OPEN_END = 2
export const QUERY_KEYS = ['status', 'assigned', 'tag', 'channel', 'from', 'before', 'after', 'is'] as const
type Key = (typeof QUERY_KEYS)[number]

/**
 * Reads what an agent types into the search field: `status:open tag:"two words" -channel:email refund -"gift card"`.
 * Words without a known key are full text. Throws 400 `invalid_query` with a sentence that says what would be right.
 */
export function parseQuery(text: string): Query {
  if (text.length > MOST_QUERY_LENGTH) throw wrong(`A search takes at most ${MOST_QUERY_LENGTH} characters.`)
  const terms: Term[] = []
  const phrases: Phrase[] = []
  let hasText = false
  for (const { isNegated, name, value, written, isQuoted, isClosed } of partsOf(text)) {
    const key = keyOf(name)
    if (key) terms.push({ isNegated, ...termOf(key, value.trim()) })
    else {
      const isPhrase = isQuoted && name === undefined
      const given = isPhrase ? value : written
      hasText ||= !isNegated && given.trim() !== '' && given !== '-'
      addPhrase(phrases, given, { isNegated, isOpenEnded: !(isPhrase && isClosed) })
    }
  }
  if (terms.length > MOST_TERMS) throw wrong(`A search takes at most ${MOST_TERMS} filters.`)
  refuseContradictions(terms)
  const isOfSignsOnly = hasText && phrases.length === 0
  return { terms, phrases: withOpenEnd(phrases), isOfSignsOnly, called: calledBy(text.trim()) }
}

export function wrong(sentence: string): AppError {
  return new AppError(400, 'invalid_query', sentence)
}

/** Words typed one after the other may stand apart; what has no space, such as an address, stands together. */
function addPhrase(phrases: Phrase[], text: string, how: Omit<Phrase, 'words'>): void {
  const words = wordsOf(text)
  if (words.length === 0) return
  const soFar = phrases.reduce((sum, phrase) => sum + phrase.words.length, 0)
  if (soFar + words.length > MOST_WORDS) throw wrong(`A search takes at most ${MOST_WORDS} words.`)
  phrases.push({ words, ...how })
}

function withOpenEnd(phrases: Phrase[]): Phrase[] {
  const last = phrases.length - 1
  return phrases.map((phrase, place) => ({
    ...phrase,
    // What is left out is left out by whole words: a saved view would else leave out more than it says.
    isOpenEnded: phrase.isOpenEnded && !phrase.isNegated && place === last && isLongEnough(phrase.words),
  }))
}

export function isLongEnough(words: string[]): boolean {
  return (words.at(-1)?.length ?? 0) >= SHORTEST_OPEN_END
}

function keyOf(name: string | undefined): Key | undefined {
  return QUERY_KEYS.find((key) => key === name)
}

function termOf(key: Key, value: string) {
  switch (key) {
    case 'status':
      return { key, value: oneOf(TICKET_STATUSES, key, value) }
    case 'channel':
      return { key, value: oneOf(CHANNELS, key, value) }
    case 'is':
      return { key, value: oneOf(MARKS, key, value) }
    case 'before':
    case 'after':
      return { key, value: dayOf(key, value) }
    case 'assigned':
      if (value !== '') return { key, value }
      throw wrong('Write assigned:me, assigned:none, or the name or address of an agent behind assigned:.')
    case 'tag':
      if (value !== '') return { key, value }
      throw wrong('Write a tag behind tag:, such as tag:billing or tag:"two words".')
    case 'from':
      if (wordsOf(value).length > 0) return { key, value }
      throw wrong('Write a name or an address behind from:, such as from:ana@example.com.')
  }
}

function oneOf<Word extends string>(words: readonly Word[], key: Key, value: string): Word {
  const word = words.find((known) => known === value.toLowerCase())
  if (word) return word
  const known = words.map((one) => `${key}:${one}`)
  const sentence = `Write ${known.slice(0, -1).join(', ')} or ${known.at(-1)}`
  throw wrong(value === '' ? `${sentence}.` : `${sentence}: ${key}:${value} is not known.`)
}

function dayOf(key: Key, value: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(value) && isCalendarDay(value)) return value
  throw wrong(`Write a day such as ${key}:2026-03-01${value === '' ? '' : `: ${value} is none`}.`)
}

/** A ticket has one status, one channel and one agent: asked for two of them there is surely a mistake. */
function refuseContradictions(terms: Term[]): void {
  for (const key of ['status', 'channel', 'assigned'] as const) {
    const wanted = new Set(
      terms.filter((term) => term.key === key && !term.isNegated).map(({ value }) => value),
    )
    if (wanted.size > 1) throw wrong(`A ticket has one ${NOUNS[key]}: write ${key}: only once.`)
  }
}

const NOUNS = { status: 'status', channel: 'channel', assigned: 'assignee' }
