import { fold } from '../../../server/search/fold.ts'
import { lastPart, quoted } from '../../../server/search/query-language.ts'

interface Suggestion {
  /** The text put in the field. */
  text: string
  /** What it matches. */
  detail: string
}

interface SuggestionOptions {
  agents: readonly { name: string; state: string }[]
  tags: readonly { tag: string }[]
  today: Date
}

export const SEARCH_KEYS: readonly Suggestion[] = [
  { text: 'status:', detail: 'open, pending or resolved' },
  { text: 'assigned:', detail: 'me, none or a name' },
  { text: 'from:', detail: "customer's name or email" },
  { text: 'company:', detail: "customer's company" },
  { text: 'tag:', detail: 'a tag' },
  { text: 'channel:', detail: 'widget, email, telegram or api' },
  {
    text: 'is:',
    detail: 'unread, waiting, snoozed, mentioned, followed, suggested, scheduled, draft, spam or merged',
  },
  { text: 'before:', detail: 'last message before a date' },
  { text: 'after:', detail: 'last message on or after a date' },
]
const MAX_SUGGESTIONS = 8
/** One letter matches only one-letter words on the server. In these scripts one character can be a word. */
const INCOMPLETE_WORD =
  /^-?(?:from:)?["#]?(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}])?$/iu
const FIXED: Record<string, readonly Suggestion[]> = {
  status: [
    { text: 'open', detail: 'needs a reply' },
    { text: 'pending', detail: 'waiting on the customer' },
    { text: 'resolved', detail: 'done' },
  ],
  channel: [
    { text: 'widget', detail: 'website widget' },
    { text: 'email', detail: 'email' },
    { text: 'telegram', detail: 'Telegram' },
    { text: 'api', detail: 'the API' },
  ],
  is: [
    { text: 'unread', detail: 'unread by you' },
    { text: 'waiting', detail: 'the customer waits for an answer' },
    { text: 'snoozed', detail: 'put away until a time' },
    { text: 'mentioned', detail: 'a note mentions you' },
    { text: 'followed', detail: 'you follow it' },
    { text: 'suggested', detail: 'a reply is suggested' },
    { text: 'failed', detail: 'a reply failed to send' },
    { text: 'held', detail: 'your reply was held' },
    { text: 'scheduled', detail: 'your reply is sent later' },
    { text: 'draft', detail: 'you have an unsent reply or note' },
    { text: 'spam', detail: 'marked as spam' },
    { text: 'merged', detail: 'merged into another ticket' },
  ],
}

/** Suggestions for the end of a search: filters first, then the values of a filter. */
export function suggestionsFor(typed: string, options: SuggestionOptions): Suggestion[] {
  const last = lastPart(typed)
  const word = last ? typed.slice(last.start) : ''
  const minus = word.startsWith('-') ? '-' : ''
  if (last?.name === undefined) {
    const prefix = word.slice(minus.length).toLowerCase()
    const keys = SEARCH_KEYS.filter(({ text }) => text.startsWith(prefix))
    return keys.map(({ text, detail }) => ({ text: minus + text, detail: minus ? `not ${detail}` : detail }))
  }
  const prefix = fold(last.value)
  return valuesOf(last.name, options)
    .filter(({ text }) => fold(text).startsWith(prefix) && text.toLowerCase() !== last.value.toLowerCase())
    .slice(0, MAX_SUGGESTIONS)
    .map(({ text, detail }) => ({ text: `${minus}${last.name}:${quoted(text)}`, detail }))
}

/** Whether the last word or filter value is incomplete, so that searching for it makes no sense yet. */
export function isUnfinished(typed: string): boolean {
  const last = lastPart(typed)
  if (!last) return false
  if (INCOMPLETE_WORD.test(typed.slice(last.start))) return true
  const { name } = last
  const prefix = last.value.toLowerCase()
  if (name === undefined || !SEARCH_KEYS.some(({ text }) => text === `${name}:`)) return false
  if (name === 'before' || name === 'after') return /^[\d-]{0,9}$/.test(prefix)
  const values = (FIXED[name] ?? []).map(({ text }) => text)
  return prefix === '' || (values.some((text) => text.startsWith(prefix)) && !values.includes(prefix))
}

/** The search with its last word replaced, and a space after a complete one. */
export function withWord(typed: string, word: string): string {
  const kept = typed.slice(0, lastPart(typed)?.start)
  return `${kept}${word}${word.endsWith(':') ? '' : ' '}`
}

function valuesOf(key: string, { agents, tags, today }: SuggestionOptions): readonly Suggestion[] {
  if (key === 'assigned') {
    const people = agents.filter(({ state }) => state === 'active')
    return [
      { text: 'me', detail: 'assigned to you' },
      { text: 'none', detail: 'unassigned' },
      ...people.map(({ name }) => ({ text: name, detail: 'agent' })),
    ]
  }
  if (key === 'tag') return tags.map(({ tag }) => ({ text: tag, detail: 'tag' }))
  if (key === 'before' || key === 'after') return [0, 1, 7, 30].map((days) => day(today, days))
  return FIXED[key] ?? []
}

function day(today: Date, daysAgo: number): Suggestion {
  const date = new Date(today.getFullYear(), today.getMonth(), today.getDate() - daysAgo)
  const numbers = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
  const names: Record<number, string> = { 0: 'today', 1: 'yesterday', 7: 'a week ago' }
  return {
    text: numbers.map((number) => String(number).padStart(2, '0')).join('-'),
    detail: names[daysAgo] ?? `${daysAgo} days ago`,
  }
}
