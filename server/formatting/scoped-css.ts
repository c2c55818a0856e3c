export const STYLE_ELEMENT = /(<style(?:\s[^>]*)?>)([\s\S]*?)(<\/style>)/gi
/** Characters. */
const MAX_CSS_LENGTH = 100_000
const MEDIA_QUERY = /^@media\b[\w\s():,.>=/-]*$/i
/** A selector of the page itself, which is the element with the class. */
const PAGE = /^(?:(?:html|:root)(?![\w-])\s*>?\s*)?(body(?![\w-]))?/i
const STRING = /"[^"\n\r\f]*"|'[^'\n\r\f]*'/g
const INNER_BRACKETS = /\([^()[\]]*\)|\[[^()[\]]*\]/g
const MAX_BRACKET_DEPTH = 4

/** HTML with other rules in its `<style>` elements. */
export function mapStyles(html: string, change: (css: string) => string): string {
  return html.replace(
    STYLE_ELEMENT,
    (_, open: string, css: string, close: string) => open + change(css) + close,
  )
}

/**
 * Style rules that apply only inside of the elements with a class, so that a mail can be part of another page. Takes rules
 * and media queries. Leaves out all others, and what browsers could read in another way: it could reach outside.
 */
export function scopedCss(css: string, className: string): string {
  if (css.length > MAX_CSS_LENGTH) return ''
  let written = ''
  let isInMedia = false
  let selectors: string | undefined
  /** Blocks that are open and left out. */
  let skipped = 0
  const pieces = css.split(/([{}])/)
  for (let at = 1; at < pieces.length; at += 2) {
    const text = pieces[at - 1]?.trim() ?? ''
    const isOpening = pieces[at] === '{'
    if (skipped > 0) skipped += isOpening ? 1 : -1
    else if (isOpening && selectors !== undefined) {
      selectors = undefined
      skipped = 2
    } else if (isOpening && !isInMedia && MEDIA_QUERY.test(text) && isPlain(text)) {
      isInMedia = true
      written += `${text}{`
    } else if (isOpening) {
      selectors = scopedSelectors(text, className)
      if (selectors === undefined) skipped = 1
    } else if (selectors !== undefined) {
      if (isPlain(text)) written += `${selectors}{${text}}`
      selectors = undefined
    } else if (isInMedia) {
      isInMedia = false
      written += '}'
    }
  }
  return isInMedia ? `${written}}` : written
}

function scopedSelectors(text: string, className: string): string | undefined {
  const selectors = text.split(',').map((selector) => selector.trim())
  if (/[@;]/.test(text) || selectors.includes('') || !selectors.every(isPlain)) return undefined
  return selectors.map((selector) => scoped(selector, className)).join(',')
}

function scoped(selector: string, className: string): string {
  const [page = '', body] = PAGE.exec(selector) ?? []
  const rest = selector.slice(page.length)
  return body || rest === '' ? `.${className}${rest}` : `.${className} ${rest}`
}

/** Whether all strings and brackets are closed, and nothing has to be decoded. */
function isPlain(text: string): boolean {
  let rest = text.replaceAll(STRING, '')
  for (let depth = 0; depth < MAX_BRACKET_DEPTH; depth++) rest = rest.replaceAll(INNER_BRACKETS, '')
  return !/["'()[\]]/.test(rest) && !/[\\<]|\/\*/.test(text)
}
