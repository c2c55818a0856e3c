import { wordsOf, wordsWithStart } from './index-words.ts'

const EXCERPT_LENGTH = 160
/** How much stands before the hit: a row shows some thirty letters beside its tags, and the hit has to be among them. */
const LEAD_IN = 12

/** Runs of white space become one space; cut at a word with `…`. */
export function oneLine(text: string, length: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  if (line.length <= length) return line
  const cut = line.slice(0, length)
  const end = cut.lastIndexOf(' ')
  return `${(end > length / 2 ? cut.slice(0, end) : cut).toWellFormed().replace(/\uFFFD$/, '')}…`
}

/** Text around the first hit in the text that holds most of the words; undefined when none holds any. */
export function excerptOf(texts: string[], terms: string[]): string | undefined {
  let best: { text: string; start: number; hits: number } | undefined
  for (const text of texts) {
    const hit = hitIn(text, terms)
    if (hit && hit.hits > (best?.hits ?? 0)) best = { text, ...hit }
    if (best?.hits === terms.length) break
  }
  return best && around(best.text, best.start)
}

/** Where the first word of the search stands, and how many of its words there are. */
function hitIn(text: string, terms: string[]): { start: number; hits: number } | undefined {
  if (!mayHold(text, terms)) return undefined
  const seen = new Set<string>()
  let first: number | undefined
  for (const { word, start } of wordsWithStart(text)) {
    for (const term of terms) {
      if (!word.startsWith(term)) continue
      first ??= start
      seen.add(term)
    }
    if (seen.size === terms.length) break
  }
  return first === undefined ? undefined : { start: first, hits: seen.size }
}

/** A quick look before the text is taken apart word by word. */
function mayHold(text: string, terms: string[]): boolean {
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
