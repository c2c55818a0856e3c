import { wordsOf, wordsWithPlaces } from './index-words.ts'

const EXCERPT_LENGTH = 160
/** Characters before the match: a row shows about thirty beside its tags, and the match has to be among them. */
const LEAD_IN = 12

/** Replaces runs of white space with one space and cuts at a word with `…`. */
export function oneLine(text: string, length: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  if (line.length <= length) return line
  const cut = line.slice(0, length)
  const end = cut.lastIndexOf(' ')
  return `${(end > length / 2 ? cut.slice(0, end) : cut).toWellFormed().replace(/\uFFFD$/, '')}…`
}

/** Text around the first match, from the text with the most of the words; undefined if none has any. */
export function excerptOf(texts: string[], terms: string[]): string | undefined {
  let best: { text: string; start: number; matches: number } | undefined
  for (const text of texts) {
    const match = matchIn(text, terms)
    if (match && match.matches > (best?.matches ?? 0)) best = { text, ...match }
    if (best?.matches === terms.length) break
  }
  return best && around(best.text, best.start)
}

/** Where the search words are in a text, with the rest of longer words that they begin: from the first index to before the second. */
export function marksIn(text: string, terms: string[]): [from: number, to: number][] {
  const marks: [number, number][] = []
  for (const { word, start, end } of wordsWithPlaces(text)) {
    if (!terms.some((term) => word.startsWith(term))) continue
    const last = marks.at(-1)
    // In scripts without spaces, each character is a word.
    if (last?.[1] === start) last[1] = end
    else marks.push([start, end])
  }
  return marks
}

/** Where the first search word is, and how many of the search words there are. */
function matchIn(text: string, terms: string[]): { start: number; matches: number } | undefined {
  if (!mayMatch(text, terms)) return undefined
  const matched = new Set<string>()
  let first: number | undefined
  for (const { word, start } of wordsWithPlaces(text)) {
    for (const term of terms) {
      if (!word.startsWith(term)) continue
      first ??= start
      matched.add(term)
    }
    if (matched.size === terms.length) break
  }
  return first === undefined ? undefined : { start: first, matches: matched.size }
}

/** A quick check before the text is split word by word. */
function mayMatch(text: string, terms: string[]): boolean {
  const words = wordsOf(text).join(' ')
  return terms.some((term) => words.includes(term))
}

function around(text: string, start: number): string {
  const from = Math.max(0, start - LEAD_IN)
  const space = from === 0 ? 0 : text.slice(from, start).search(/\s/)
  const begin = space < 0 ? start : from + space
  const line = oneLine(text.slice(begin, begin + 4 * EXCERPT_LENGTH), EXCERPT_LENGTH)
  return begin > 0 ? `…${line}` : line
}
