import type { ChannelKind } from '../channels/kinds.ts'
import type { TicketStatus } from '../database/tables/tickets.ts'
import { isCalendarDay } from '../dates.ts'
import { wordsOf } from './index-words.ts'

// The grammar of a search, for the server and for the page: this file and what it imports know neither Elysia nor Drizzle.

export const QUERY_KEYS = [
  'status',
  'assigned',
  'tag',
  'channel',
  'from',
  'company',
  'before',
  'after',
  'is',
] as const
type Key = (typeof QUERY_KEYS)[number]

/** The values of the keys that take no others. The statuses and channels are those of the specification. */
export const QUERY_VALUES = {
  status: ['open', 'resolved', 'pending'],
  channel: ['widget', 'email', 'telegram', 'api'],
  is: [
    'unread',
    'failed',
    'held',
    'spam',
    'draft',
    'waiting',
    'snoozed',
    'mentioned',
    'followed',
    'scheduled',
    'suggested',
    'merged',
  ],
} as const satisfies {
  status: readonly TicketStatus[]
  channel: readonly ChannelKind[]
  is: readonly string[]
}
/** The values of `is:`. */
export type TicketState = (typeof QUERY_VALUES)['is'][number]

/** What the agent has to do with or decide about: found while the ticket is snoozed, too. Few tickets pass each; an index is looked for in this order. */
export const OWN_STATES = [
  'draft',
  'held',
  'scheduled',
  'failed',
  'mentioned',
  'followed',
  'suggested',
] as const satisfies TicketState[]

/** One `key:value` of a query. */
export type Term = { isNegated: boolean } & (
  | { key: 'status'; value: TicketStatus }
  | { key: 'channel'; value: ChannelKind }
  | { key: 'is'; value: TicketState }
  /** `me`, `none`, or the name, email address or id of an agent. */
  | { key: 'assigned'; value: string }
  | { key: 'tag'; value: string }
  /** A customer's name or email. */
  | { key: 'from'; value: string }
  /** A customer's company. */
  | { key: 'company'; value: string }
  /** Metadata of the ticket or its customer: `plan`, a line break, `gold`. */
  | { key: 'meta'; value: string }
  /** A day as `2026-03-01`. */
  | { key: 'before' | 'after'; value: string }
)

/** Words next to each other. With an open end, the last one may be the beginning of a longer word. */
interface Phrase {
  isNegated: boolean
  words: string[]
  isOpenEnded: boolean
}

export interface Query {
  terms: Term[]
  /** Phrases that the text must or must not contain, each listed once. Only the last one can have an open end. */
  phrases: Phrase[]
  /** There is text, but no word in it: `!!!`. */
  isSymbolsOnly: boolean
  /** The id or handle of a ticket, if the query is nothing else. Its words are searched for as well. */
  ticketReference: string | undefined
}

/** Why a query can't be read, in a sentence with a query that can. */
export class QueryError extends Error {}

export const MAX_QUERY_LENGTH = 500
const MAX_TERMS = 20
const MAX_WORDS = 32
/** The index compares every place of a repeated word with every other. No sentence repeats a word as often. */
const MAX_REPEATED = 8
/** Too many words begin with a given single letter to look them all up. */
const MIN_OPEN_END_LENGTH = 2

/** Before the key of metadata: `meta.plan:gold`. */
const META = 'meta.'

/**
 * Parses a search: `status:open tag:"two words" -channel:email refund -"gift card"`. Words without a known key are full
 * text. Throws `QueryError`.
 */
export function parseQuery(text: string): Query {
  if (text.length > MAX_QUERY_LENGTH) {
    throw new QueryError(`A search can have at most ${MAX_QUERY_LENGTH} characters.`)
  }
  const terms: Term[] = []
  const phrases: Phrase[] = []
  let hasText = false
  for (const { isNegated, name, value, written, isQuoted, isClosed } of partsOf(text)) {
    const key = QUERY_KEYS.find((known) => known === name)
    if (key) terms.push({ isNegated, ...parseTerm(key, value.trim()) })
    else if (name?.startsWith(META))
      terms.push({ isNegated, ...parseMetadata(name.slice(META.length), value) })
    else {
      const isPhrase = isQuoted && name === undefined
      const content = isPhrase ? value : written
      hasText ||= !isNegated && content.trim() !== '' && content !== '-'
      addPhrase(phrases, content, { isNegated, isOpenEnded: !(isPhrase && isClosed) })
    }
  }
  if (terms.length > MAX_TERMS) throw new QueryError(`A search can have at most ${MAX_TERMS} filters.`)
  refuseContradictions(terms)
  return {
    terms,
    phrases: withoutRepetitions(
      phrases.map((phrase, position) => ({
        ...phrase,
        // Only whole words are excluded. Otherwise a saved view would leave out more than its query says.
        isOpenEnded:
          phrase.isOpenEnded &&
          !phrase.isNegated &&
          position === phrases.length - 1 &&
          isLongEnough(phrase.words),
      })),
    ),
    isSymbolsOnly: hasText && phrases.length === 0,
    ticketReference: ticketReferenceIn(text),
  }
}

/** The words to mark in what a query finds. */
export function wordsToMark({ phrases }: Pick<Query, 'phrases'>): string[] {
  return [...new Set(phrases.flatMap(({ isNegated, words }) => (isNegated ? [] : words)))]
}

/** Whether the last of some words is long enough to be the beginning of longer ones. */
export function isLongEnough(words: string[]): boolean {
  return (words.at(-1)?.length ?? 0) >= MIN_OPEN_END_LENGTH
}

const TICKET_REFERENCE = /^\s*(?:#([0-9a-z]{6})|(tkt_[0-9a-z]{26}))\s*$/i
const HANDLE_LENGTH = 6

/** A ticket's id, or its handle without the `#` that the page shows. */
function ticketReferenceIn(text: string): string | undefined {
  const [, handle, id] = TICKET_REFERENCE.exec(text) ?? []
  return (handle ?? id)?.toLowerCase()
}

/** The handle of an id, which is its end. A handle stays as it is. */
export function handleOf(ticketReference: string): string {
  return ticketReference.slice(-HANDLE_LENGTH)
}

/** Typed words don't have to be adjacent. The parts of a word without spaces, such as an address, do. */
function addPhrase(phrases: Phrase[], text: string, options: Omit<Phrase, 'words'>): void {
  const words = wordsOf(text)
  if (words.length === 0) return
  const soFar = phrases.reduce((sum, phrase) => sum + phrase.words.length, 0)
  if (soFar + words.length > MAX_WORDS) {
    throw new QueryError(`A search can have at most ${MAX_WORDS} words.`)
  }
  const repeated = words.find((word) => words.filter((other) => other === word).length > MAX_REPEATED)
  if (repeated !== undefined) {
    throw new QueryError(
      `“${repeated}” is repeated too often. Use it at most ${MAX_REPEATED} times in a phrase.`,
    )
  }
  phrases.push({ words, ...options })
}

/** The phrases, each once: words that are typed twice are not searched for twice. */
function withoutRepetitions(phrases: Phrase[]): Phrase[] {
  const known = new Map<string, Phrase>()
  for (const phrase of phrases) {
    const name = `${phrase.isNegated} ${phrase.words.join(' ')}`
    // A complete phrase is among those that its beginning finds.
    if (known.get(name)?.isOpenEnded ?? true) known.set(name, phrase)
  }
  return [...known.values()]
}

function parseTerm(key: Key, value: string) {
  switch (key) {
    case 'status':
      return { key, value: oneOf(QUERY_VALUES.status, key, value) }
    case 'channel':
      return { key, value: oneOf(QUERY_VALUES.channel, key, value) }
    case 'is':
      return { key, value: oneOf(QUERY_VALUES.is, key, value) }
    case 'before':
    case 'after':
      return { key, value: parseDay(key, value) }
    case 'assigned':
      if (value !== '') return { key, value }
      throw new QueryError('Add an agent: assigned:me, assigned:none, or a name or email address.')
    case 'tag':
      if (value !== '') return { key, value }
      throw new QueryError('Add a tag, such as tag:billing or tag:"two words".')
    case 'from':
      if (wordsOf(value).length > 0) return { key, value }
      throw new QueryError('Add a name or email address, such as from:ana@example.com.')
    case 'company':
      if (wordsOf(value).length > 0) return { key, value }
      throw new QueryError('Add the name of a company, such as company:acme or company:"acme inc".')
  }
}

function parseMetadata(name: string, value: string) {
  if (name === '') throw new QueryError('Name a key of the metadata, such as meta.plan:gold.')
  if (value !== '') return { key: 'meta' as const, value: `${name}\n${value}` }
  throw new QueryError(`Add a value, such as meta.${name}:gold or meta.${name}:"two words".`)
}

const NOUNS = { status: 'status', channel: 'channel', assigned: 'assignee', is: 'state' }

function oneOf<Word extends string>(
  words: readonly Word[],
  key: 'status' | 'channel' | 'is',
  value: string,
): Word {
  const word = words.find((known) => known === value.toLowerCase())
  if (word) return word
  const known = words.map((one) => `${key}:${one}`)
  const advice = `Try ${known.slice(0, -1).join(', ')} or ${known.at(-1)}.`
  throw new QueryError(value === '' ? advice : `“${value}” isn’t a ${NOUNS[key]}. ${advice}`)
}

function parseDay(key: Key, value: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(value) && isCalendarDay(value)) return value
  const advice = `Try ${key}:2026-03-01.`
  throw new QueryError(value === '' ? advice : `“${value}” isn’t a date. ${advice}`)
}

/** A ticket has one status, one channel and one assignee: no ticket has two of them. */
function refuseContradictions(terms: Term[]): void {
  for (const key of ['status', 'channel', 'assigned'] as const) {
    const values = new Set(
      terms.filter((term) => term.key === key && !term.isNegated).map(({ value }) => value),
    )
    if (values.size > 1) throw new QueryError(`A ticket has one ${NOUNS[key]}. Use ${key}: only once.`)
  }
}

/**
 * A part of a search: optional minus and key, then a value in quotes or up to the next space. A quote in quotes is
 * written twice: `tag:"say ""hi"" now"`.
 */
const PART =
  /(-)?([a-z]+|meta\.[^\s:"]*):(?=\s|$)|(-)?(?:([a-z]+|meta\.[^\s:"]*):)?(?:"((?:[^"]|"")*)("?)|(\S+))/gi

/** One word of a search, or words in quotes, as typed. */
export interface Part {
  /** Its first character in the text. */
  start: number
  isNegated: boolean
  /** The key before the colon, in lower case, but for that of metadata. */
  name: string | undefined
  value: string
  /** Without the minus, with name and quotes. */
  written: string
  isQuoted: boolean
  /** In quotes, with the closing one. */
  isClosed: boolean
}

export function partsOf(text: string): Part[] {
  return Array.from(text.matchAll(PART), partOf)
}

/** The part at the very end of the text, which may not be complete yet. */
export function lastPart(text: string): Part | undefined {
  const match = [...text.matchAll(PART)].at(-1)
  return match && match.index + match[0].length === text.length ? partOf(match) : undefined
}

/**
 * The text with some parts replaced: `write` returns the new part, an empty text to remove it, or undefined to keep it.
 * Everything else stays letter by letter.
 */
export function replaceParts(text: string, write: (part: Part) => string | undefined): string {
  let written = ''
  let end = 0
  let isReplaced = false
  for (const match of text.matchAll(PART)) {
    const next = write(partOf(match)) ?? match[0]
    // A closing quote ends a part without a space. Its replacement may not, so add one.
    const isTouching = match.index === end && (isReplaced || next !== match[0])
    if (next !== '') written += (isTouching ? ' ' : text.slice(end, match.index)) + next
    isReplaced = next !== match[0]
    end = match.index + match[0].length
  }
  return written.trim()
}

/** Quotes a value if it has spaces or quotes. */
export function quoted(value: string): string {
  return /[\s"]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}

function partOf(match: RegExpExecArray): Part {
  const [whole, emptyMinus, emptyName, minus, name, inQuotes, closing, bare] = match
  const isNegated = (minus ?? emptyMinus) !== undefined
  return {
    start: match.index,
    isNegated,
    name: (name ?? emptyName)?.replace(/^[a-z]+/i, (key) => key.toLowerCase()),
    value: inQuotes?.replaceAll('""', '"') ?? bare ?? '',
    written: isNegated ? whole.slice(1) : whole,
    isQuoted: inQuotes !== undefined,
    isClosed: closing === '"',
  }
}
