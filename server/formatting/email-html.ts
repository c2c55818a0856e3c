import { type Dialect, escapeHtml, markdownToHtml, plainToHtml } from './message-html.ts'

// Mail programs ignore style sheets, so each element has its own few declarations. Colors are left to the program, which
// may be dark.

const GAP = 'margin:0 0 1em'
/** Each paragraph reads in the direction of its first word, whatever the language of the reader's program. */
const AUTO = ' dir="auto"'
const EMAIL: Dialect = {
  attributes: {
    p: AUTO + style(GAP),
    blockquote: AUTO + style(`${GAP};border-left:2px solid #999;padding-left:12px`),
    pre: style(
      `${GAP};border:1px solid #999;border-radius:4px;padding:8px 12px;font-family:monospace;white-space:pre-wrap`,
    ),
    code: style('font-family:monospace'),
    list: AUTO + style(`${GAP};padding-left:24px`),
    innerList: AUTO + style('margin:0;padding-left:24px'),
  },
  lineBreak: '<br>\n',
  keepsSpaces: true,
  hasCodeInPre: false,
  isTight: (rest) => rest.every(({ kind }) => kind === 'list'),
}

/** An image in an email. `source` is the attribute with its address. */
export interface EmailImage {
  source: string
  /** Pixels. Null if unknown. */
  width: number | null
  height: number | null
}

/** Outlook for Windows shows an image in its own size unless attributes say another one. */
const MAX_IMAGE_WIDTH = 600

/**
 * The HTML of a Markdown text for an email, without a document around it. Of a picture that isn't among `images`, by the
 * name of its file, only the words instead of it are left.
 */
export function markdownToEmailHtml(text: string, images?: ReadonlyMap<string, EmailImage>): string {
  return markdownToHtml(text, {
    ...EMAIL,
    image({ name, alt }) {
      const image = images?.get(name)
      return image ? emailImage(image, alt) : escapeHtml(alt)
    },
  })
}

/** `alt` is what the writer typed: a file name says nothing to someone who can't see the image. */
export function emailImage({ source, width, height }: EmailImage, alt = ''): string {
  const scale = width === null ? 1 : Math.min(1, MAX_IMAGE_WIDTH / width)
  const scaled = (side: number) => Math.max(1, Math.round(side * scale))
  const size = width === null || height === null ? '' : ` width="${scaled(width)}" height="${scaled(height)}"`
  return `<img ${source}${size} alt="${escapeHtml(alt)}" style="max-width:100%;height:auto">`
}

/** The same of a plain text: its paragraphs, line breaks and addresses. */
export function plainToEmailHtml(text: string): string {
  return plainToHtml(text, EMAIL)
}

function style(declarations: string): string {
  return ` style="${declarations}"`
}
