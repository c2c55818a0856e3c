import { decodeHTMLAttribute } from 'entities'
import { mapStyles, scopedCss } from '../../../formatting/scoped-css.ts'

/** Characters. Of a longer message only the text is forwarded. */
const MAX_HTML_LENGTH = 500_000
const CLASS = 'bellhop-forwarded'

export interface ForwardableHtml {
  html: string
  /** Content ids of its images, as they were. */
  shown: Set<string>
}

/**
 * The stored HTML of a mail, so that it can be part of another one: without the mail it quotes, with its images under the
 * new content ids of `contentIds`, and with styles that apply only to it. An image without a new id is left out. Null for
 * HTML that is too long.
 */
export function forwardableHtml(
  html: string,
  contentIds: ReadonlyMap<string, string>,
): ForwardableHtml | null {
  if (html.length > MAX_HTML_LENGTH) return null
  const shown = new Set<string>()
  const own = new HTMLRewriter()
    .on('[data-quote]', {
      element(element) {
        element.remove()
      },
    })
    .transform(html)
  const renamed = new HTMLRewriter()
    .on('img:not([data-remote-src])', {
      element(image) {
        const contentId = decodeHTMLAttribute(image.getAttribute('data-cid') ?? '')
        const newId = contentIds.get(contentId)
        if (newId === undefined) image.remove()
        else {
          shown.add(contentId)
          image.setAttribute('data-cid', newId)
        }
      },
    })
    .transform(own)
  const scoped = mapStyles(renamed, (css) => scopedCss(css, CLASS))
  return { html: `<div class="${CLASS}">${scoped}</div>`, shown }
}

/** Converts the HTML for an email: images refer to the attachments of the email, or to their remote URLs. */
export function forMailPrograms(html: string): string {
  return new HTMLRewriter()
    .on('img[data-cid]', {
      element(image) {
        image.setAttribute('src', `cid:${image.getAttribute('data-cid')}`)
        image.removeAttribute('data-cid')
      },
    })
    .on('img[data-remote-src]', {
      element(image) {
        image.setAttribute('src', image.getAttribute('data-remote-src') ?? '')
        image.removeAttribute('data-remote-src')
      },
    })
    .transform(html)
}
