import { createMemo, For, Show } from 'solid-js'

/** A text with the words that were searched for marked. */
export function Marked(props: { text: string; terms: readonly string[] }) {
  const parts = createMemo(() => splitAtHits(props.text, props.terms))
  return (
    <Show when={props.terms.length > 0} fallback={props.text}>
      <For each={parts()}>{(part) => (part.isHit ? <mark>{part.text}</mark> : part.text)}</For>
    </Show>
  )
}

/** Whether one of the words that were searched for stands in it. */
export function hasHit(text: string, terms: readonly string[]): boolean {
  return splitAtHits(text, terms).some(({ isHit }) => isHit)
}

/** A word that begins with a term is a hit, whatever its case and accents: as the search of the server counts. */
function splitAtHits(text: string, terms: readonly string[]): { text: string; isHit: boolean }[] {
  const wanted = terms.map(folded).filter((term) => term !== '')
  if (wanted.length === 0) return [{ text, isHit: false }]
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${wanted.map(literal).join('|')})[\\p{L}\\p{N}]*`, 'gu')
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

/** `RegExp.escape` is too new for some browsers. */
function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** In small letters without accents, every letter at its place. */
function folded(text: string): string {
  return text.replace(/[^ -~]/g, plain).toLowerCase()
}

function plain(letter: string): string {
  const bare = letter.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  return bare.length === letter.length ? bare : letter
}
