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
const UNSEEN = new Set(
  'script style title template xml noscript svg math iframe object select textarea'.split(' '),
)
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
const VOID_ELEMENTS = new Set(['br', 'hr', 'img', 'input', 'wbr', 'area', 'col'])
const FONT_SIZE = /font-size\s*:\s*0*\.?0*[1-9]/i
/** Characters read to find the ends of hidden elements, per character of the HTML. */
const MAX_SEARCHED_SHARE = 4
const ATTRIBUTE = /([a-z][\w:-]{0,40})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi
const BLANKS = /[ \t\r\n\f\u00a0]+/g

/**
 * Text of an HTML mail: paragraphs as lines, links with their address, and what mail programs mark as quoted with `> `.
 * Reads every character once; never fails.
 */
export function htmlToText(html: string): string {
  const text = createText()
  const source = html.slice(0, MAX_HTML_LENGTH)
  const afterHidden = createHiddenSearch(source)
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
    const start = source.slice(open, end)
    const hiddenEnd = slash ? undefined : afterHidden(tag, start, end)
    if (slash) text.close(tag)
    else if (tag && hiddenEnd === undefined) text.open(tag, start)
    at = hiddenEnd ?? (!slash && UNSEEN.has(tag) ? afterElement(source, end, tag) : end)
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

/**
 * Finds where an element that isn't drawn ends; undefined for one that is. Newsletters hide a text for previews at their
 * beginning. In doubt it is drawn: without an end tag, or when the search has read too much already.
 */
function createHiddenSearch(source: string) {
  let left = source.length * MAX_SEARCHED_SHARE
  return (tag: string, start: string, end: number): number | undefined => {
    if (tag === '' || tag === 'html' || tag === 'body' || !/\b(?:style|hidden)\b/i.test(start))
      return undefined
    const style = declarationsIn(attributesOf(start).get('style') ?? '')
    const isHidden = isHiddenAttribute(start) || hides(style)
    // It also closes gaps between cells, which have a size of their own.
    const hasNoSize = isZero(style.get('font-size'))
    if (!isHidden && !hasNoSize) return undefined
    if (VOID_ELEMENTS.has(tag)) return end
    const content = contentEnd(tag, end)
    if (content === undefined) return undefined
    return isHidden || !FONT_SIZE.test(source.slice(end, content.from)) ? content.to : undefined
  }

  /** The end of the element whose start tag ends at `from`. */
  function contentEnd(tag: string, from: number): { from: number; to: number } | undefined {
    const tags = new RegExp(`<(/?)${RegExp.escape(tag)}(?=[\\s/>])`, 'gi')
    tags.lastIndex = from
    let depth = 1
    for (let match = tags.exec(source); match; match = tags.exec(source)) {
      if (match.index - from > left) break
      // A paragraph ends where the next one begins.
      depth += match[1] || tag === 'p' ? -1 : 1
      if (depth > 0) continue
      left -= match.index - from
      return {
        from: match.index,
        to: match[1] ? after(source, source.indexOf('>', match.index), 1) : match.index,
      }
    }
    left -= source.length - from
    return undefined
  }
}

/** Lower case, without `!important`. */
function declarationsIn(style: string): Map<string, string> {
  return new Map(
    style
      .toLowerCase()
      .split(';')
      .map((declaration) => {
        const [name = '', value = ''] = declaration.split(':')
        return [name.trim(), value.replace('!important', '').trim()]
      }),
  )
}

function hides(style: Map<string, string>): boolean {
  if (style.get('display') === 'none' || style.get('visibility') === 'hidden') return true
  if (isZero(style.get('opacity'))) return true
  return (
    style.get('overflow') === 'hidden' && (isZero(style.get('max-height')) || isZero(style.get('height')))
  )
}

function isZero(length = ''): boolean {
  return /^0*\.?0+(?:px|pt|em|rem|%)?$/.test(length)
}

/** `hidden`, with or without a value. */
function isHiddenAttribute(start: string): boolean {
  return /\shidden(?=[\s/>=])/i.test(start.replace(/"[^"]*"|'[^']*'/g, '""'))
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
