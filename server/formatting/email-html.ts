import { type Dialect, markdownToHtml, plainToHtml } from './message-html.ts'

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

/** The HTML of a Markdown text for an email, without a document around it. */
export function markdownToEmailHtml(text: string): string {
  return markdownToHtml(text, EMAIL)
}

/** The same of a plain text: its paragraphs, line breaks and addresses. */
export function plainToEmailHtml(text: string): string {
  return plainToHtml(text, EMAIL)
}

function style(declarations: string): string {
  return ` style="${declarations}"`
}
