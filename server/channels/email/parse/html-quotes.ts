import { isAttribution } from '../../../formatting/cut-quotes.ts'

/** Elements that mail programs put around the mail that is answered, or around the line above it. */
const QUOTE_CLASS =
  /(?:^|\s)(?:gmail_quote(?:_container)?|yahoo_quoted|protonmail_quote|tutanota_quote|moz-cite-prefix|zmail_extra|skype_quote)(?:\s|$)/
/** Outlook puts one of these above a quote that ends with the mail. */
const QUOTE_START_ID =
  /^(?:x_)*(?:divRplyFwdMsg|appendonsend|reply-intro|mail-editor-reference-message-container)$/i
/** Outlook for Windows draws a line above the quote instead. */
const QUOTE_START_STYLE = /^border:\s*none;\s*border-top:\s*solid #(?:e1e1e1|b5c4df) 1\.0pt/i

/** Any of these in a tag. Cheaper than reading the elements. */
const QUOTE_ELEMENT =
  /<[^<>]{0,500}(?:\b(?:gmail_quote|yahoo_quoted|protonmail_quote|tutanota_quote|moz-cite-prefix|divRplyFwdMsg|appendonsend)|\btype\s*=\s*["']?cite\b)/i

/** Elements that show what a text can't. */
const FORMATTING = new Set(
  'b strong i em u s del strike ins big h1 h2 h3 h4 h5 h6 ul ol hr pre code sub sup details'.split(' '),
)
/** Elements inside a line. */
const INLINE_ELEMENTS = new Set('a abbr b em font i span strong u small'.split(' '))
const VOID_ELEMENTS = new Set(['area', 'br', 'col', 'hr', 'img', 'wbr'])
/** Characters of a line that are read. */
const MAX_LINE_LENGTH = 1_000
/** Cells of a table that is more than a frame around the text. */
const MIN_CELLS = 2
/** Smaller images only track who opens the mail. */
const MIN_IMAGE_SIZE = 4
const STYLED =
  /(?:^|;)\s*(?:font-weight:\s*(?:bold|[6-9]00)|font-style:\s*italic|text-decoration:[^;]*line-through)/i
const COLOR = /(?:^|;)\s*(background(?:-color)?|color):\s*([^;]+)/gi
const PLAIN_COLOR =
  /^(?:inherit|initial|transparent|none|black|windowtext|currentcolor|window|white|#fff(?:fff)?|rgb\(255, ?255, ?255\))\b/i
/** The blue-gray in which Outlook wrote answers for years. */
const OUTLOOK_COLOR = /^#1f497d$/i
/** The most that each of a color's components (0 to 255) can have if the color looks black. */
const MAX_DARK = 0x55

interface MarkedHtml {
  /** The quoted mail at its end is in elements with `data-quote`. */
  html: string
  /** Whether it shows more than a text can: pictures, tables, colors. The quoted mail doesn't count. */
  isFormatted: boolean
}

/** Whether a mail program marked a quote in the HTML. */
export function hasQuoteElement(html: string): boolean {
  return QUOTE_ELEMENT.test(html)
}

/**
 * Marks the quoted mail at the end of HTML that is already safe. A quote that was answered below stays unmarked, as does a
 * mail that is nothing but a quote. Reads the HTML twice.
 */
export function markQuotes(html: string, { hasQuote }: { hasQuote: boolean }): MarkedHtml {
  const firstMarked = hasQuote ? firstTrailingQuote(html) : Number.POSITIVE_INFINITY
  const formatting = createFormattingCheck()
  const marked = walk(html, {
    text(text, quote) {
      if (quote < firstMarked) formatting.text(text)
      return quote >= firstMarked
    },
    element(element, quote) {
      if (quote < firstMarked) formatting.element(element)
      return quote >= firstMarked
    },
  })
  return { html: marked, isFormatted: formatting.isFormatted() }
}

/** The number of the first quote below which nothing was written. */
function firstTrailingQuote(html: string): number {
  let first = 1
  let isWritten = false
  let count = 0
  walk(html, {
    text(text, quote) {
      count = Math.max(count, quote)
      if (quote > 0 || text.trim() === '') return false
      isWritten = true
      first = count + 1
      return false
    },
    element(_, quote) {
      count = Math.max(count, quote)
      return false
    },
  })
  return isWritten ? first : Number.POSITIVE_INFINITY
}

/**
 * Called for each piece with the number of the quote that it is in, or 0 outside of quotes. Returns whether to mark the
 * piece.
 */
interface Visitor {
  text(text: string, quote: number): boolean
  element(element: HTMLRewriterTypes.Element, quote: number): boolean
}

function walk(html: string, visitor: Visitor): string {
  let count = 0
  let isInQuote = false
  /** The quote continues to the end of the mail. */
  let isToEnd = false
  let isInMarked = false
  let isInStyle = false
  /** The text of the open line, and of the one above it. */
  let line = ''
  let lineAbove = ''
  const quoteNow = () => (isInQuote || isToEnd ? count : 0)

  return new HTMLRewriter()
    .on('*', {
      element(element) {
        if (element.tagName === 'style') {
          isInStyle = true
          element.onEndTag(() => {
            isInStyle = false
          })
          return
        }
        if (!INLINE_ELEMENTS.has(element.tagName)) {
          if (line.trim() !== '') lineAbove = line
          line = ''
        }
        if (quoteNow() === 0 && startsQuote(element)) {
          isToEnd = true
          count += 1
        } else if (quoteNow() === 0 && isQuoteElement(element, lineAbove)) {
          isInQuote = true
          count += 1
          element.onEndTag(() => {
            isInQuote = false
          })
        }
        if (!visitor.element(element, quoteNow()) || isInMarked) return
        element.setAttribute('data-quote', '')
        if (VOID_ELEMENTS.has(element.tagName)) return
        isInMarked = true
        element.onEndTag(() => {
          isInMarked = false
        })
      },
    })
    .onDocument({
      text(chunk) {
        if (isInStyle || chunk.text === '') return
        if (line.length < MAX_LINE_LENGTH) line += chunk.text
        const isMarked = visitor.text(chunk.text, quoteNow())
        if (!isMarked || isInMarked || chunk.text.trim() === '') return
        chunk.replace(`<span data-quote="">${chunk.text}</span>`, { html: true })
      },
    })
    .transform(html)
}

function isQuoteElement(element: HTMLRewriterTypes.Element, lineAbove: string): boolean {
  if (element.tagName === 'blockquote') {
    const isCited = element.getAttribute('type')?.toLowerCase() === 'cite'
    if (isCited || isAttribution(lineAbove.replaceAll('&lt;', '<').replaceAll('&gt;', '>'))) return true
  }
  return QUOTE_CLASS.test(element.getAttribute('class') ?? '')
}

function startsQuote(element: HTMLRewriterTypes.Element): boolean {
  return (
    QUOTE_START_ID.test(element.getAttribute('id') ?? '') ||
    QUOTE_START_STYLE.test(element.getAttribute('style') ?? '')
  )
}

function createFormattingCheck() {
  let isFormatted = false
  let cells = 0
  let link: { href: string; label: string } | undefined
  return {
    isFormatted: () => isFormatted || cells >= MIN_CELLS,
    text(text: string): void {
      if (link) link.label += text
    },
    element(element: HTMLRewriterTypes.Element): void {
      const { tagName } = element
      if (tagName === 'td' || tagName === 'th') cells += 1
      if (FORMATTING.has(tagName) || isVisibleImage(element) || isStyled(element)) isFormatted = true
      const href = tagName === 'a' ? element.getAttribute('href') : null
      if (href === null) return
      const opened = { href, label: '' }
      link = opened
      element.onEndTag(() => {
        if (isLabeled(opened)) isFormatted = true
        link = undefined
      })
    },
  }
}

function isVisibleImage(element: HTMLRewriterTypes.Element): boolean {
  if (element.tagName !== 'img') return false
  if (!element.hasAttribute('data-cid') && !element.hasAttribute('data-remote-src')) return false
  const sizes = [element.getAttribute('width'), element.getAttribute('height')]
  return !sizes.some((size) => size !== null && Number.parseFloat(size) < MIN_IMAGE_SIZE)
}

function isStyled(element: HTMLRewriterTypes.Element): boolean {
  const background = element.getAttribute('bgcolor')
  if (background !== null && !isPlainColor(background)) return true
  const color = element.tagName === 'font' ? element.getAttribute('color') : null
  if (color !== null && !isPlainColor(color)) return true
  const style = element.getAttribute('style')
  if (style === null) return false
  if (STYLED.test(style)) return true
  return (
    element.tagName !== 'a' && [...style.matchAll(COLOR)].some(([, , value = '']) => !isPlainColor(value))
  )
}

function isPlainColor(value: string): boolean {
  const color = value.trim()
  if (PLAIN_COLOR.test(color) || OUTLOOK_COLOR.test(color)) return true
  const [, short] = /^#([0-9a-f]{3})$/i.exec(color) ?? []
  const [, long] = /^#([0-9a-f]{6})$/i.exec(color) ?? []
  const digits = long ?? short?.replace(/./g, '$&$&')
  if (digits) return [0, 2, 4].every((at) => Number.parseInt(digits.slice(at, at + 2), 16) <= MAX_DARK)
  const parts = /^rgba?\((\d+), ?(\d+), ?(\d+)/i.exec(color)
  return parts?.slice(1).every((part) => Number(part) <= MAX_DARK) ?? false
}

/** Whether the text of a link is not its address. */
function isLabeled({ href, label }: { href: string; label: string }): boolean {
  const text = plain(label)
  return text !== '' && !plain(href).includes(text)
}

function plain(address: string): string {
  return address
    .trim()
    .toLowerCase()
    .replaceAll('&amp;', '&')
    .replace(/^(?:https?:\/\/|mailto:)/, '')
    .replace(/\/$/, '')
}
