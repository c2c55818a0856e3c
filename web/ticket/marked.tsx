import { createMemo, For, Show } from 'solid-js'
import { parseQuery, QueryError, wordsToMark } from '../../server/search/query-language.ts'
import { queryKeys } from '../api/query-keys.ts'
import { knownPages } from './list-cache.ts'

/** Text with search hits highlighted. */
export function Marked(props: { text: string; terms: readonly string[] }) {
  const parts = createMemo(() => splitAtHits(props.text, props.terms))
  return (
    <Show when={props.terms.length > 0} fallback={props.text}>
      <For each={parts()}>{(part) => (part.isHit ? <mark>{part.text}</mark> : part.text)}</For>
    </Show>
  )
}

/** Whether the text contains a search hit. */
export function hasHit(text: string, terms: readonly string[]): boolean {
  return splitAtHits(text, terms).some(({ isHit }) => isHit)
}

/** A word that begins with a term is a hit, ignoring case and accents, as in the server's search. */
export function splitAtHits(text: string, terms: readonly string[]): { text: string; isHit: boolean }[] {
  const patterns = terms.map(folded).filter((term) => term !== '')
  if (patterns.length === 0) return [{ text, isHit: false }]
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${patterns.map(literal).join('|')})[\\p{L}\\p{N}]*`, 'gu')
  const parts: { text: string; isHit: boolean }[] = []
  let end = 0
  for (const hit of folded(text).matchAll(pattern)) {
    if (hit.index > end) parts.push({ text: text.slice(end, hit.index), isHit: false })
    end = hit.index + hit[0].length
    parts.push({ text: text.slice(hit.index, end), isHit: true })
  }
  if (end < text.length) parts.push({ text: text.slice(end), isHit: false })
  return parts
}

/** `RegExp.escape` isn't available in all supported browsers. */
function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** Lower case without accents, with every character at the same index. */
function folded(text: string): string {
  return text.replace(/[^ -~]/g, plain).toLowerCase()
}

function plain(letter: string): string {
  const bare = letter.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  return bare.length === letter.length ? bare : letter
}

/** The words of the search that led to this ticket, for marking them in its thread. */
export function searchTerms(ticketId: string, query: string): string[] {
  if (query.trim() === '') return []
  const page = knownPages([...queryKeys.tickets, query]).find(({ data }) =>
    data.some(({ id }) => id === ticketId),
  )
  return page?.terms ?? wordsOfQuery(query)
}

/** For a ticket that is loaded before its list. */
function wordsOfQuery(query: string): string[] {
  try {
    return wordsToMark(parseQuery(query))
  } catch (error) {
    if (error instanceof QueryError) return []
    throw error
  }
}
