import { decodeHTML } from 'entities'
import { isAttribution } from '../../../formatting/cut-quotes.ts'

/** Characters of HTML that are read, and of text that are made. */
const MAX_HTML_LENGTH = 2_000_000
const MAX_TEXT_LENGTH = 500_000
const MAX_QUOTE_DEPTH = 10
/** Longer addresses of links are for counting clicks, not for reading. */
const MAX_LINK_LENGTH = 300
const TAG_NAME = /<(\/?)([a-z][^\s/>]{0,40})/iy
/** Elements whose content no one sees. */
const UNSEEN = new Set([
  'script',
  'style',
  'title',
  'template',
  'xml',
  'noscript',
  'svg',
  'math',
  'iframe',
  'object',
  'select',
  'textarea',
])
/** Elements that start a line, and those with a blank line around. */
const BLOCKS = new Set(
  'address article aside body center dd div dl dt fieldset figcaption figure footer form header hr li main nav section tr caption'.split(
    ' ',
  ),
)
const PARAGRAPHS = new Set('p h1 h2 h3 h4 h5 h6 blockquote ul ol table pre'.split(' '))
/** Elements that mail programs put around the mail that is answered. */
const QUOTE_CLASS =
  /\b(?:gmail_quote|yahoo_quoted|protonmail_quote|tutanota_quote|moz-cite|zmail_extra|mail_quote|skype_quote)\b/
const ATTRIBUTE = /([a-z][\w:-]{0,40})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi
const BLANKS = /[ \t\r\n\f\u00a0]+/g

/**
 * Text of an HTML mail: paragraphs as lines, links with their address, and what mail programs mark as quoted with `> `.
 * Reads every character once; never fails.
 */
export function htmlToText(html: string): string {
  const text = createText()
  const source = html.slice(0, MAX_HTML_LENGTH)
  let at = 0
  while (at < source.length) {
    const open = source.indexOf('<', at)
    text.add(source.slice(at, open < 0 ? undefined : open))
    if (open < 0) break
    const end = afterMarkup(source, open)
    if (end === undefined) {
      text.add('<')
      at = open + 1
      continue
    }
    TAG_NAME.lastIndex = open
    const [, slash, name = ''] = TAG_NAME.exec(source) ?? []
    const tag = name.toLowerCase()
    if (slash) text.close(tag)
    else if (tag) text.open(tag, source.slice(open, end))
    at = !slash && UNSEEN.has(tag) ? afterElement(source, end, tag) : end
  }
  return text.end()
}

/** The end of the comment or tag at `open`; undefined when `<` is a character like any other. */
function afterMarkup(source: string, open: number): number | undefined {
  const next = source[open + 1] ?? ''
  if (source.startsWith('<!--', open)) return after(source, source.indexOf('-->', open + 4), 3)
  if (next === '!' || next === '?') return after(source, source.indexOf('>', open), 1)
  if (!/[a-z/]/i.test(next)) return undefined
  for (let at = open + 1; at < source.length; at++) {
    const character = source[at]
    if (character === '>') return at + 1
    if (character !== '"' && character !== "'") continue
    const close = source[at - 1] === '=' || source[at - 1] === ' ' ? source.indexOf(character, at + 1) : at
    if (close < 0) break
    at = close
  }
  // Browsers drop a tag that never ends, and with it the rest.
  return source.length
}

function after(source: string, found: number, length: number): number {
  return found < 0 ? source.length : found + length
}

/** The end tag of an element whose content is skipped. */
function afterElement(source: string, from: number, tag: string): number {
  const end = new RegExp(`</${tag}[\\s/>]`, 'gi')
  end.lastIndex = from
  return end.exec(source)?.index ?? source.length
}

/** Lines with the marks of the quotes they are in. */
function createText() {
  const lines: string[] = []
  const quotes = createQuoteDepth()
  /** The open line. Pieces, because testing the end of a growing string copies it each time. */
  let pieces: string[] = []
  let endsWithBlank = true
  let isPreformatted = false
  let link = { href: '', start: 0 }
  let lastWritten = ''
  let length = 0

  function append(piece: string): void {
    if (piece === '') return
    pieces.push(piece)
    endsWithBlank = piece.endsWith(' ')
  }

  function endLine(): void {
    const joined = pieces.join('')
    const content = isPreformatted ? joined.trimEnd() : joined.trim()
    pieces = []
    endsWithBlank = true
    link = { href: link.href, start: 0 }
    if (content) lastWritten = content
    if (length > MAX_TEXT_LENGTH) return
    const mark = '> '.repeat(Math.min(quotes.depth(), MAX_QUOTE_DEPTH))
    length += mark.length + content.length + 1
    lines.push(`${mark}${content}`.trimEnd())
  }

  function startLine(): void {
    if (pieces.some((piece) => piece !== ' ')) endLine()
    else pieces = []
    endsWithBlank = true
  }

  function startParagraph(): void {
    startLine()
    const last = lines.at(-1)
    if (last !== undefined && !/^[> ]*$/.test(last)) endLine()
  }

  return {
    add(source: string): void {
      if (source === '' || length > MAX_TEXT_LENGTH) return
      const text = decodeHTML(source)
      if (isPreformatted) {
        const [first = '', ...rest] = text.split(/\r?\n/)
        append(first)
        for (const next of rest) {
          endLine()
          append(next)
        }
        return
      }
      const words = text.replace(BLANKS, ' ')
      append(endsWithBlank ? words.trimStart() : words)
    },
    open(tag: string, source: string): void {
      if (tag === 'br') endLine()
      if (PARAGRAPHS.has(tag)) startParagraph()
      else if (BLOCKS.has(tag)) startLine()
      if (tag === 'blockquote' || tag === 'div') quotes.open(tag, attributesOf(source), lastWritten)
      if (tag === 'pre') isPreformatted = true
      if (tag === 'li') append('- ')
      if (tag === 'hr') append('---')
      if (tag === 'hr') endLine()
      if ((tag === 'td' || tag === 'th') && !endsWithBlank) append(' ')
      if (tag === 'img') append(altMark(attributesOf(source).get('alt')))
      if (tag === 'a') link = { href: attributesOf(source).get('href')?.trim() ?? '', start: pieces.length }
    },
    close(tag: string): void {
      if (tag === 'a' && link.href) {
        append(linkMark(link.href, pieces.slice(link.start).join('')))
        link = { href: '', start: 0 }
      }
      if (PARAGRAPHS.has(tag)) startParagraph()
      else if (BLOCKS.has(tag)) startLine()
      if (tag === 'blockquote' || tag === 'div') quotes.close(tag)
      if (tag === 'pre') isPreformatted = false
    },
    end(): string {
      startLine()
      return lines
        .join('\n')
        .replace(/\n{3,}/g, '\n\n')
        .trim()
    },
  }
}

/** Follows the elements that hold a quoted mail. */
function createQuoteDepth() {
  const containers: { tag: string; isQuote: boolean }[] = []
  const open: Record<string, number> = {}
  let depth = 0
  return {
    depth: () => depth,
    open(tag: string, attributes: Map<string, string>, lineAbove: string): void {
      const named = `${attributes.get('class') ?? ''} ${attributes.get('id') ?? ''}`
      // Gmail's `div` holds the attribution too.
      const isMarked = QUOTE_CLASS.test(named) && (tag === 'blockquote' || !named.includes('gmail_quote'))
      const isCited = attributes.get('type')?.toLowerCase() === 'cite'
      const isQuote = isMarked || isCited || (tag === 'blockquote' && isAttribution(lineAbove))
      containers.push({ tag, isQuote })
      open[tag] = (open[tag] ?? 0) + 1
      if (isQuote) depth++
    },
    /** Also closes elements that were left open inside. Ignores an end tag without a start tag. */
    close(tag: string): void {
      if (!open[tag]) return
      for (let closed = containers.pop(); closed; closed = containers.pop()) {
        open[closed.tag] = (open[closed.tag] ?? 1) - 1
        if (closed.isQuote) depth--
        if (closed.tag === tag) return
      }
    },
  }
}

function altMark(alt = ''): string {
  const text = alt.trim().slice(0, MAX_LINK_LENGTH)
  return text && `[${text}]`
}

/** The address of a link whose text is another one. */
function linkMark(href: string, label: string): string {
  const text = label.trim()
  const address = href.replace(/^mailto:/i, '')
  if (!/^(?:https?:|mailto:)/i.test(href) || href.length > MAX_LINK_LENGTH || text === '') return ''
  const isSame = address.replace(/\/$/, '').endsWith(text.replace(/\/$/, ''))
  return isSame ? '' : ` (${address})`
}

function attributesOf(source: string): Map<string, string> {
  const attributes = new Map<string, string>()
  for (const [, name = '', double, single, bare] of source.matchAll(ATTRIBUTE)) {
    const value = double ?? single ?? bare ?? ''
    if (value.length < 10_000) attributes.set(name.toLowerCase(), decodeHTML(value))
  }
  return attributes
}
