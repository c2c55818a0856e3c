import { mapStyles, STYLE_ELEMENT } from '../../../formatting/scoped-css.ts'

const BACKGROUND = /(?:^|[;{\s])background(?:-color|-image)?\s*:\s*([^;}]+)/gi
const NO_BACKGROUND = /^(?:none|transparent|inherit|initial|unset|auto|0)\b/i
const WHITE = /^(?:white|#fff(?:fff)?|rgb\(255,\s*255,\s*255\))\s*(?:!important)?$/i
/** Mail programs give words a white background when they were copied from a page. */
const INLINE_ELEMENTS = new Set(['a', 'b', 'em', 'font', 'i', 'p', 'span', 'strong', 'u'])
const COLOR = /(^|[;{\s])color\s*:\s*([^;}!]+)/gi
const WHITE_BACKGROUND =
  /(^|[;{\s])background(?:-color)?\s*:\s*(?:white|#fff(?:fff)?|rgb\(255,\s*255,\s*255\))\s*(?=;|\}|$|!)/gi
/** These take the color of the text around them, or one of the theme. */
const THEMED_COLOR =
  /^(?:inherit|initial|unset|currentcolor|transparent|auto|windowtext|window|canvastext)\b|\bvar\(/i
/** Of a text on a dark background: its lightness in OKLCH. */
const MIN_LIGHTNESS = 0.78

/** Whether a mail has a background that its words were written for. */
export function hasBackground(html: string): boolean {
  for (const [, , css = ''] of html.matchAll(STYLE_ELEMENT)) {
    if (backgroundsIn(css).length > 0) return true
  }
  let isFound = false
  new HTMLRewriter()
    .on('[bgcolor],[style*="background" i]', {
      element(element) {
        const attribute = element.getAttribute('bgcolor')
        const all = backgroundsIn(element.getAttribute('style') ?? '')
        if (attribute) all.push(attribute)
        const isWords = INLINE_ELEMENTS.has(element.tagName)
        if (all.some((value) => !(isWords && WHITE.test(value)))) isFound = true
      },
    })
    .transform(html)
  return isFound
}

function backgroundsIn(css: string): string[] {
  const values = [...css.matchAll(BACKGROUND)].map(([, value = '']) => value.trim())
  return values.filter((value) => !NO_BACKGROUND.test(value))
}

/** A mail without a background, with colors that can be read on the page's own in both themes. */
export function themedColors(html: string): string {
  return new HTMLRewriter()
    .on('[style]', {
      element(element) {
        element.setAttribute('style', themedCss(element.getAttribute('style') ?? ''))
      },
    })
    .on('font[color]', {
      element(element) {
        const style = element.getAttribute('style') ?? ''
        element.setAttribute('style', `${themedCss(`color:${element.getAttribute('color')}`)};${style}`)
        element.removeAttribute('color')
      },
    })
    .transform(mapStyles(html, themedCss))
}

function themedCss(css: string): string {
  return css
    .replace(WHITE_BACKGROUND, '$1background:none')
    .replace(COLOR, (whole, before: string, value: string) => {
      const color = value.trim()
      if (THEMED_COLOR.test(color) || !/^[\w#(),.%\s/-]+$/.test(color)) return whole
      return `${before}color:light-dark(${color},oklch(from ${color} max(l,${MIN_LIGHTNESS}) c h))`
    })
}
