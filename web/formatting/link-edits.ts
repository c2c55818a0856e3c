import { safeHref } from '../../server/formatting/links.ts'
import { type Edit, isInCodeBlock, lineEnd, lineStart, type Selected } from './markdown-edits.ts'

/** A link in a text. */
interface LinkInText {
  from: number
  to: number
  label: string
  address: string
}

const LINK = /\[((?:\\.|[^[\]\\\n])+)\]\(([^\s<>[\]()]*(?:\([^\s<>[\]()]*\)[^\s<>[\]()]*)*)\)/g

/** The link that the selection is in. */
export function linkAt({ text, start, end }: Selected): LinkInText | undefined {
  const lineFrom = lineStart(text, start)
  for (const { 0: whole, 1: label = '', 2: address = '', index } of text
    .slice(lineFrom, lineEnd(text, start))
    .matchAll(LINK)) {
    const from = lineFrom + index
    const to = from + whole.length
    if (from <= start && end <= to) return { from, to, label: label.replace(/\\([[\]])/g, '$1'), address }
  }
  return undefined
}

/** Replaces a place with a link, with the cursor after it. */
export function putLink({ from, to }: { from: number; to: number }, label: string, href: string): Edit {
  const text = label.replace(/\s+/g, ' ').trim().replace(/[[\]]/g, '\\$&')
  const insert = text === '' || text === href ? href : `[${text}](${href})`
  return { from, to, insert, start: from + insert.length, end: from + insert.length }
}

/** An address pasted over some text makes it a link. */
export function pasteAsLink({ text, start, end }: Selected, pasted: string): Edit | undefined {
  const label = text.slice(start, end)
  const isText = label.trim() !== '' && !label.includes('\n') && hrefOf(label) === undefined
  const address = pasted.trim()
  const href = /^(?:https?:\/\/|mailto:)\S+$/i.test(address) ? hrefOf(address) : undefined
  if (!isText || !href || isInCodeBlock({ text, start, end })) return undefined
  return putLink({ from: start, to: end }, label, href)
}

/** What someone typed as an address, as a link needs it: `example.com` and `ana@example.com` get a scheme. */
export function hrefOf(address: string): string | undefined {
  const typed = address.trim().replace(/[\s<>[\]]/g, (sign) => encodeURIComponent(sign))
  if (typed.includes('%20') && !/^https?:|^mailto:/i.test(typed)) return undefined
  const hasScheme = /^[a-z][a-z\d+-]*:(?!\d)/i.test(typed)
  const isMail = /^[^@/]+@[^@/]+\.[^@/]+$/.test(typed)
  const isSite = /^[^\s/.@]+(?:\.[^\s/.@]+)+(?:[/?#:]|$)/.test(typed)
  const whole = hasScheme ? typed : isMail ? `mailto:${typed}` : isSite ? `https://${typed}` : undefined
  if (whole === undefined || safeHref(whole) === undefined) return undefined
  return isPaired(whole) ? whole : whole.replaceAll('(', '%28').replaceAll(')', '%29')
}

function isPaired(address: string): boolean {
  let depth = 0
  for (const sign of address) {
    if (sign === '(') depth += 1
    if (sign === ')') depth -= 1
    if (depth < 0) return false
  }
  return depth === 0
}
