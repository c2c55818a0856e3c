import { shownAddress } from './shown-address.ts'

/** A piece of text: as it is written, or a link. */
type TextPart = { kind: 'text'; text: string } | { kind: 'link'; text: string; href: string }

/** Characters. Longer addresses stay text. */
export const MAX_ADDRESS_LENGTH = 2_000
/** Web and email addresses in a text, up to a mark of its direction. Lengths are bounded, so that no input is slow. */
export const ADDRESS = String.raw`\bhttps?:\/\/[^\s<>"'${'`'}\u061c\u200e\u200f]{1,${MAX_ADDRESS_LENGTH}}|\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}\b`
const ADDRESSES = new RegExp(ADDRESS, 'gi')
/** Punctuation that ends the sentence, not the address. */
const SENTENCE_END = '.,;:!?…\'"»”'
const WEB = /^https?:\/\//i
const MAIL = /^mailto:[^@]+@[^@]/i

/** Splits a plain text at the addresses in it. Other schemes (`javascript:`, `data:`) stay text. */
export function linkParts(text: string): TextPart[] {
  const parts: TextPart[] = []
  let end = 0
  for (const match of text.matchAll(ADDRESSES)) {
    const address = withoutEnd(match[0])
    const href = hrefOfAddress(address)
    if (!href) continue
    if (match.index > end) parts.push({ kind: 'text', text: text.slice(end, match.index) })
    parts.push({ kind: 'link', text: shownAddress(address), href })
    end = match.index + address.length
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) })
  return parts
}

/**
 * Removes what doesn't belong to an address at its end: punctuation, other given characters, and closing parentheses that
 * were not opened inside it.
 */
export function withoutEnd(address: string, others = ''): string {
  let unopened = countOf(address, ')') - countOf(address, '(')
  let end = address.length
  for (; end > 0; end--) {
    const last = address[end - 1] ?? ''
    const isUnopened = last === ')' && unopened > 0
    if (isUnopened) unopened -= 1
    else if (!SENTENCE_END.includes(last) && !others.includes(last)) break
  }
  return address.slice(0, end)
}

function countOf(text: string, sign: string): number {
  return text.split(sign).length - 1
}

/** Where an address in a text leads: a web address, or an email address. */
export function hrefOfAddress(address: string): string | undefined {
  return safeHref(WEB.test(address) ? address : `mailto:${address}`)
}

/** The address of a link in its normal form, if its scheme is `http`, `https` or `mailto`. */
export function safeHref(address: string): string | undefined {
  if (address.length > MAX_ADDRESS_LENGTH || !(WEB.test(address) || MAIL.test(address))) return undefined
  return URL.canParse(address) ? new URL(address).href : undefined
}
