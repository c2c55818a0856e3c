import sanitizeHtml from 'sanitize-html'
import { mapStyles } from '../../../formatting/scoped-css.ts'
import { withShownAddresses } from '../../../formatting/shown-address.ts'

/** Characters, before and after. Longer HTML is not shown. */
const MAX_HTML_LENGTH = 2_000_000
/** Elements inside elements. Browsers stop at 512; the sanitizer takes seconds for 100,000. */
const MAX_DEPTH = 1_000
/** Deeper elements are dropped, and their content stays. */
const MAX_SHOWN_DEPTH = 256
const MAX_URL_LENGTH = 8_192
const NESTING_TAG =
  /<(\/?)(div|span|table|blockquote|font|center|b|i|u|em|strong|a|section|article|ul|ol)\b/gi
const DATA_IMAGE = /^data:(image\/(?:png|jpe?g|gif|webp|bmp|avif));base64,/i

const TAGS = [
  ...sanitizeHtml.defaults.allowedTags,
  ...words('img style center font big strike tt del ins acronym map area details summary'),
]
/** Elements whose content no one sees. */
const UNSEEN_TAGS = [
  ...words('script style title textarea option xmp noscript noembed noframes template xml'),
  ...words('svg math iframe plaintext select'),
]
const ATTRIBUTES = {
  '*': [
    ...words('style class id dir lang title align valign width height bgcolor color'),
    ...words('border cellpadding cellspacing hspace vspace nowrap'),
  ],
  a: ['href', 'name', 'target', 'rel'],
  area: ['href', 'shape', 'coords', 'alt', 'target', 'rel'],
  map: ['name'],
  img: ['alt', 'usemap', 'data-remote-src', 'data-cid'],
  font: ['face', 'size'],
  td: ['colspan', 'rowspan', 'headers', 'scope'],
  th: ['colspan', 'rowspan', 'headers', 'scope'],
  col: ['span'],
  colgroup: ['span'],
  ol: ['start', 'type', 'reversed'],
  ul: ['type'],
  li: ['value', 'type'],
  style: ['media', 'type'],
  time: ['datetime'],
  blockquote: ['type'],
  details: ['open'],
}

function words(list: string): string[] {
  return list.split(' ')
}

interface SafeHtml {
  html: string
  hasRemoteImages: boolean
  /** Content ids of the images it shows, without angle brackets. */
  contentIds: string[]
}

/**
 * HTML that runs no scripts and loads nothing. An image of the mail is `<img data-cid="content id">`, one from
 * elsewhere `<img data-remote-src="https://…">`; the page that shows them sets `src`. Links open a new window. `keepImage`
 * takes the content of a `data:` image and returns the content id it is kept under. Throws `TooLargeHtml`.
 */
export function safeHtml(html: string, keepImage: (type: string, base64: string) => string | null): SafeHtml {
  if (html.length > MAX_HTML_LENGTH || isTooDeep(html)) throw new TooLargeHtml()
  const contentIds = new Set<string>()
  let hasRemoteImages = false

  function imageAttributes(attributes: sanitizeHtml.Attributes): sanitizeHtml.Attributes {
    const { src = '', srcset: _, 'data-remote-src': _remote, 'data-cid': _cid, ...rest } = attributes
    const address = src.trim()
    const [prefix, type] = DATA_IMAGE.exec(address) ?? []
    const contentId = prefix && type ? keepImage(type, address.slice(prefix.length)) : contentIdIn(address)
    if (contentId) {
      contentIds.add(contentId)
      return { ...rest, 'data-cid': contentId }
    }
    const remote = addressOf(address, ['http:', 'https:'])
    if (remote === undefined) return rest
    hasRemoteImages = true
    return { ...rest, 'data-remote-src': remote }
  }

  const clean = sanitizeHtml(html, {
    allowedTags: TAGS,
    allowedAttributes: ATTRIBUTES,
    allowVulnerableTags: true,
    // Addresses are checked below, where they are also made absolute.
    allowedSchemes: ['http', 'https', 'mailto', 'tel'],
    allowProtocolRelative: false,
    nonTextTags: UNSEEN_TAGS,
    nestingLimit: MAX_SHOWN_DEPTH,
    parseStyleAttributes: false,
    textFilter: (text, tag) => withShownAddresses(text, { isLink: tag === 'a' }),
    transformTags: {
      '*': (tag, attributes) => {
        const attribs = { ...attributes }
        if (attribs.style !== undefined) attribs.style = safeCss(attribs.style)
        if (tag === 'body') return { tagName: 'div', attribs }
        if (tag === 'img') return { tagName: tag, attribs: imageAttributes(attribs) }
        if (tag === 'a' || tag === 'area') return { tagName: tag, attribs: linkAttributes(attribs) }
        return { tagName: tag, attribs }
      },
    },
  })
  const safe = mapStyles(clean, safeCss)
  if (safe.length > MAX_HTML_LENGTH) throw new TooLargeHtml()
  return { html: safe, hasRemoteImages, contentIds: [...contentIds] }
}

/** The HTML is larger or nested more deeply than any mail that people write. */
export class TooLargeHtml extends Error {}

/** Counts only elements that need an end tag: a thousand `<p>` are no nesting. */
function isTooDeep(html: string): boolean {
  let depth = 0
  for (const [, slash] of html.matchAll(NESTING_TAG)) {
    depth = Math.max(0, depth + (slash ? -1 : 1))
    if (depth > MAX_DEPTH) return true
  }
  return false
}

function linkAttributes(attributes: sanitizeHtml.Attributes): sanitizeHtml.Attributes {
  const { href = '', target: _, rel: _rel, ...rest } = attributes
  const place = href.trim()
  if (/^#[\w.:-]{1,200}$/.test(place)) return { ...rest, href: place }
  const address = addressOf(place, ['http:', 'https:', 'mailto:', 'tel:'])
  if (address === undefined) return rest
  return { ...rest, href: address, target: '_blank', rel: 'noopener noreferrer nofollow' }
}

/** The absolute address; nothing for a relative one, which would point to our own server. */
function addressOf(text: string, protocols: string[]): string | undefined {
  const url = text.length <= MAX_URL_LENGTH ? URL.parse(text) : null
  return url && protocols.includes(url.protocol) ? url.href : undefined
}

function contentIdIn(address: string): string | undefined {
  if (!/^cid:/i.test(address) || address.length > 1_000) return undefined
  const id = address.slice(4).replace(/^<|>$/g, '').trim()
  try {
    return decodeURIComponent(id) || undefined
  } catch {
    return id || undefined
  }
}

/** A backslash with the code of a character, or with the character: `\75rl(` and `\url(` are `url(`. */
const ESCAPE = /\\(?:([0-9a-f]{1,6})[ \t\r\n\f]?|([\s\S]))/gi
const COMMENT = /\/\*[\s\S]*?(?:\*\/|$)/g
const HTML_COMMENT_MARK = /<!--|-->/g
/** Everything that loads something: up to the bracket that closes it, or to the end of the value. */
const LOADING_FUNCTION =
  /(?:url|src|image|image-set|cross-fade|element|expression)\(\s*(?:"[^"\n]*"|'[^'\n]*'|[^"')\s}]*)[^);}]*\)?/gi
const LOADING_RULE = /@(?:import|namespace|charset|document|-moz-document)\b[^;{}]*;?/gi
const RUNNING_PROPERTY = /(?:-moz-binding|behavior)\s*:[^;}]*/gi
const TAG_START = /</g

/**
 * Style rules or declarations that load nothing: without addresses, imports and what old browsers ran. Whatever is taken
 * out leaves a blank, so that its neighbors don't form a new word.
 */
function safeCss(css: string): string {
  return css
    .replace(COMMENT, ' ')
    .replace(ESCAPE, (whole, code?: string, character?: string) => {
      if (code === undefined) return isLetter(character) ? character : whole
      const meant = String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff))
      // The blank ends the code, whatever follows.
      return /^[\w@(-]$/.test(meant) ? meant : `\\${code} `
    })
    .replace(HTML_COMMENT_MARK, ' ')
    .replace(LOADING_RULE, ' ')
    .replace(LOADING_FUNCTION, ' none ')
    .replace(RUNNING_PROPERTY, ' ')
    .replace(TAG_START, '\\3c ')
}

/** A letter that is no hexadecimal digit: a backslash before it changes nothing. */
function isLetter(character = ''): character is string {
  return /^[g-z_-]$/i.test(character)
}
