import { decodeHTMLAttribute } from 'entities'
import { hasBackground, themedColors } from './frame-theme.ts'

/** The content of a frame. Image URLs are looked up by how the stored HTML refers to the image. */
interface FrameContent {
  isQuoteShown: boolean
  /** URL of an image in the mail; undefined if the mail has no such image. */
  ofContentId(contentId: string): string | undefined
  /** URL of an image from elsewhere; undefined while such images are blocked. */
  ofUrl(url: string): string | undefined
}

/**
 * Protects the page from a mail, in addition to the sanitizer: no scripts run, nothing is loaded from other origins,
 * and no other site can frame it.
 */
export const FRAME_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  // Without `allow-same-origin` its images would be requested without the session.
  'sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox',
].join('; ')

/** Pixels of a side. */
const MIN_IMAGE_SIZE = 4

/**
 * The page makes the frame as high as its content, gives it the color scheme of its theme unless the mail has a background
 * of its own, and marks `search`.
 */
const STYLE = `:root{color-scheme:light}html{display:flow-root;overflow-y:hidden}body{margin:0;padding:8px 12px;color:light-dark(#1a1a1a,#f2f2f0);font:14px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
body>:first-child,body>div:first-child>:first-child{margin-top:0}body>:last-child,body>div:last-child>:last-child{margin-bottom:0}
.blocked-image{padding:0 6px;border:1px dashed;border-radius:3px;opacity:.75}body[data-background]{background:#fff}::highlight(search){background:#f6d98a;color:#1a1a1a}img{max-width:100%;height:auto}table{max-width:100%}pre{white-space:pre-wrap}blockquote{margin:0 0 0 4px;padding-left:12px;border-left:2px solid light-dark(#ccc,#555)}`

/** The page inside the frame, from HTML that is already safe. */
export function framePage(html: string, { isQuoteShown, ofContentId, ofUrl }: FrameContent): string {
  let hidesQuote = false
  const isOnOwn = hasBackground(html)
  const shown = new HTMLRewriter()
    .on('[data-quote]', {
      element(element) {
        if (isQuoteShown) return
        hidesQuote = true
        element.remove()
      },
    })
    .on('img[data-cid]', {
      element(image) {
        show(image, 'data-cid', ofContentId)
      },
    })
    .on('img[data-remote-src]', {
      element(image) {
        show(image, 'data-remote-src', ofUrl)
      },
    })
    .transform(isOnOwn ? html : themedColors(html))
  const marks = `${hidesQuote ? ' data-hides-quote' : ''}${isOnOwn ? ' data-background' : ''}`
  return `<!doctype html><html><head><meta charset="utf-8"><meta name="referrer" content="no-referrer"><style>${STYLE}</style></head><body dir="auto"${marks}>${shown}</body></html>`
}

function show(
  image: HTMLRewriterTypes.Element,
  attribute: string,
  addressOf: (value: string) => string | undefined,
): void {
  const value = image.getAttribute(attribute) ?? ''
  image.removeAttribute(attribute)
  // The rewriter returns attributes as written in the source.
  const address = addressOf(decodeHTMLAttribute(value))
  if (address !== undefined) image.setAttribute('src', address)
  else if (altOf(image) === '') image.setAttribute('hidden', '')
  else image.replace(`<span class="blocked-image">${altOf(image)}</span>`, { html: true })
}

/** What an image says, as it is in the source. An image of a few pixels only tracks who opens the mail. */
function altOf(image: HTMLRewriterTypes.Element): string {
  const sizes = [image.getAttribute('width'), image.getAttribute('height')]
  if (sizes.some((size) => size !== null && Number.parseFloat(size) < MIN_IMAGE_SIZE)) return ''
  return image.getAttribute('alt')?.trim().replaceAll('<', '&lt;') ?? ''
}
