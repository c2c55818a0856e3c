import { lastPart, quoted } from '../../../server/search/query-language.ts'

interface SearchWord {
  /** As it is written into the field. */
  text: string
  /** What it finds. */
  detail: string
}

interface Known {
  agents: readonly { name: string; state: string }[]
  tags: readonly { tag: string }[]
  today: Date
}

export const SEARCH_KEYS: readonly SearchWord[] = [
  { text: 'status:', detail: 'open, pending or resolved' },
  { text: 'assigned:', detail: 'me, none or a name' },
  { text: 'from:', detail: 'the customer’s name or address' },
  { text: 'tag:', detail: 'a tag' },
  { text: 'channel:', detail: 'widget, email, telegram or api' },
  { text: 'is:', detail: 'unread, failed, held, draft or spam' },
  { text: 'before:', detail: 'last active before a day' },
  { text: 'after:', detail: 'last active on a day or later' },
]
const MAX_WORDS = 8
/** Of one letter the server finds only words that are no longer; a sign of these scripts is a word. */
const BEGUN =
  /^-?(?:from:)?["#]?(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}])?$/iu
const FIXED: Record<string, readonly SearchWord[]> = {
  status: [
    { text: 'open', detail: 'somebody has to answer' },
    { text: 'pending', detail: 'waits for the customer' },
    { text: 'resolved', detail: 'done' },
  ],
  channel: [
    { text: 'widget', detail: 'the website' },
    { text: 'email', detail: 'e-mail' },
    { text: 'telegram', detail: 'Telegram' },
    { text: 'api', detail: 'the API' },
  ],
  is: [
    { text: 'unread', detail: 'not read by you' },
    { text: 'failed', detail: 'a reply could not be sent' },
    { text: 'held', detail: 'your reply waits: somebody was faster' },
    { text: 'draft', detail: 'you have begun a reply or a note' },
    { text: 'spam', detail: 'marked as spam' },
  ],
}

/** What may come next at the end of a search, keys first, then the values of a key. */
export function searchWords(typed: string, known: Known): SearchWord[] {
  const last = lastPart(typed)
  const word = last ? typed.slice(last.start) : ''
  const minus = word.startsWith('-') ? '-' : ''
  if (last?.name === undefined) {
    const begun = word.slice(minus.length).toLowerCase()
    const keys = SEARCH_KEYS.filter(({ text }) => text.startsWith(begun))
    return keys.map(({ text, detail }) => ({ text: minus + text, detail: minus ? `not ${detail}` : detail }))
  }
  const begun = last.value.toLowerCase()
  return valuesOf(last.name, known)
    .filter(({ text }) => text.toLowerCase().startsWith(begun) && text.toLowerCase() !== begun)
    .slice(0, MAX_WORDS)
    .map(({ text, detail }) => ({ text: `${minus}${last.name}:${quoted(text)}`, detail }))
}

/** Whether its last word is only begun, or waits for a value or the rest of one: nobody could search for that. */
export function isUnfinished(typed: string): boolean {
  const last = lastPart(typed)
  if (!last) return false
  if (BEGUN.test(typed.slice(last.start))) return true
  const { name } = last
  const begun = last.value.toLowerCase()
  if (name === undefined || !SEARCH_KEYS.some(({ text }) => text === `${name}:`)) return false
  if (name === 'before' || name === 'after') return /^[\d-]{0,9}$/.test(begun)
  const values = (FIXED[name] ?? []).map(({ text }) => text)
  return begun === '' || (values.some((text) => text.startsWith(begun)) && !values.includes(begun))
}

/** The search with its last word replaced; a space behind what is complete. */
export function withWord(typed: string, word: string): string {
  const kept = typed.slice(0, lastPart(typed)?.start)
  return `${kept}${word}${word.endsWith(':') ? '' : ' '}`
}

function valuesOf(key: string, { agents, tags, today }: Known): readonly SearchWord[] {
  if (key === 'assigned') {
    const people = agents.filter(({ state }) => state === 'active')
    return [
      { text: 'me', detail: 'your tickets' },
      { text: 'none', detail: 'nobody’s' },
      ...people.map(({ name }) => ({ text: name, detail: 'agent' })),
    ]
  }
  if (key === 'tag') return tags.map(({ tag }) => ({ text: tag, detail: 'tag' }))
  if (key === 'before' || key === 'after') return [0, 1, 7, 30].map((days) => day(today, days))
  return FIXED[key] ?? []
}

function day(today: Date, daysAgo: number): SearchWord {
  const date = new Date(today.getFullYear(), today.getMonth(), today.getDate() - daysAgo)
  const numbers = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
  const names: Record<number, string> = { 0: 'today', 1: 'yesterday', 7: 'a week ago' }
  return {
    text: numbers.map((number) => String(number).padStart(2, '0')).join('-'),
    detail: names[daysAgo] ?? `${daysAgo} days ago`,
  }
}
