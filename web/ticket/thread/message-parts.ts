/** A piece of a message: text, or an address that can be opened. */
type Part = { kind: 'text'; text: string } | { kind: 'link'; text: string; href: string }

/** Only these: whatever else stands in a message (`javascript:`, `data:`) stays text. Lengths are bounded, so that no text is slow. */
const LINK = /\bhttps?:\/\/[^\s<>"'`]{1,2000}|\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}\b/gi
/** Belongs to the sentence around a link, not to the link. */
const SENTENCE_END = /[.,;:!?…'"»”]+$/
const QUOTED_LINE = /^\s*>/
/** "On Tue, 3 Mar 2026 at 09:30, Ana wrote:", also over two lines, and what Outlook puts there. */
const QUOTE_INTRO = /^\s*(?:on\b.{4,200}\bwrote:|-{2,}\s*original message\s*-{2,}|_{10,})\s*$/i

/** What was written, and the older mail quoted below it. */
export function splitQuote(text: string): { said: string; quoted: string } {
  const lines = text.split('\n')
  const start = quoteStart(lines)
  if (start === undefined) return { said: text, quoted: '' }
  const said = lines.slice(0, start).join('\n').trimEnd()
  // A message that is nothing but a quote is shown whole.
  if (said.trim() === '') return { said: text, quoted: '' }
  return { said, quoted: lines.slice(start).join('\n').trim() }
}

/** Text with its links found. Nothing in it is ever taken for HTML. */
export function linkParts(text: string): Part[] {
  const parts: Part[] = []
  let end = 0
  for (const match of text.matchAll(LINK)) {
    const address = withoutSentence(match[0])
    const href = hrefOf(address)
    if (!href) continue
    if (match.index > end) parts.push({ kind: 'text', text: text.slice(end, match.index) })
    parts.push({ kind: 'link', text: address, href })
    end = match.index + address.length
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) })
  return parts
}

/** The first line from which all that follows is quoted. */
function quoteStart(lines: string[]): number | undefined {
  const intro = lines.findIndex((_, at) => isIntro(lines, at))
  if (intro > 0) return intro
  let start = lines.length
  while (start > 0 && /^\s*(?:>|$)/.test(lines[start - 1] ?? '')) start--
  const hasQuote = lines.slice(start).some((line) => QUOTED_LINE.test(line))
  return hasQuote ? start : undefined
}

function isIntro(lines: string[], at: number): boolean {
  const [first = '', second = ''] = [lines[at], lines[at + 1]]
  if (QUOTE_INTRO.test(first)) return true
  return /^\s*on\b/i.test(first) && QUOTE_INTRO.test(`${first} ${second}`)
}

/** A closing bracket belongs to the link only when it was opened in it. */
function withoutSentence(address: string): string {
  const bare = address.replace(SENTENCE_END, '')
  const isUnopened = bare.endsWith(')') && bare.split('(').length < bare.split(')').length
  return isUnopened ? withoutSentence(bare.slice(0, -1)) : bare
}

function hrefOf(address: string): string | undefined {
  if (!/^https?:/i.test(address)) return `mailto:${address}`
  return URL.canParse(address) ? new URL(address).href : undefined
}
