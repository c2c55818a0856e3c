/** A piece of a message: plain text or a link. */
type Part = { kind: 'text'; text: string } | { kind: 'link'; text: string; href: string }

/** Other schemes (`javascript:`, `data:`) stay text. Lengths are bounded, so that no input is slow. */
const LINK = /\bhttps?:\/\/[^\s<>"'`]{1,2000}|\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}\b/gi
/** Punctuation that ends the sentence, not the link. */
const SENTENCE_END = /[.,;:!?…'"»”]+$/

/** Splits text at its links. Nothing in it is treated as HTML. */
export function linkParts(text: string): Part[] {
  const parts: Part[] = []
  let end = 0
  for (const match of text.matchAll(LINK)) {
    const address = trimPunctuation(match[0])
    const href = hrefOf(address)
    if (!href) continue
    if (match.index > end) parts.push({ kind: 'text', text: text.slice(end, match.index) })
    parts.push({ kind: 'link', text: address, href })
    end = match.index + address.length
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) })
  return parts
}

/** Removes punctuation after the link, and a closing bracket that was not opened inside it. */
function trimPunctuation(address: string): string {
  const bare = address.replace(SENTENCE_END, '')
  const isUnopened = bare.endsWith(')') && bare.split('(').length < bare.split(')').length
  return isUnopened ? trimPunctuation(bare.slice(0, -1)) : bare
}

function hrefOf(address: string): string | undefined {
  if (!/^https?:/i.test(address)) return `mailto:${address}`
  return URL.canParse(address) ? new URL(address).href : undefined
}
