import type { Inline } from './inline.ts'
import { linkParts } from './links.ts'
import { type Block, isEmptyParagraph, parseMarkdown } from './markdown.ts'

/** How the HTML of a message differs from one place to another. */
export interface Dialect {
  /** Attributes of elements, each with a space before it. */
  attributes: Partial<Record<'p' | 'blockquote' | 'pre' | 'code' | 'list' | 'innerList' | 'a', string>>
  lineBreak: string
  /** Keeps repeated spaces, which HTML would collapse. */
  keepsSpaces: boolean
  /** A code block is a `code` inside a `pre`. */
  hasCodeInPre: boolean
  /**
   * Whether the text at the start of an item is no paragraph, which would have a gap below it. `rest` is what follows the
   * text.
   */
  isTight: (rest: Block[]) => boolean
  /** A picture in the text. Without it, pictures are shown elsewhere. */
  image?: (image: Extract<Inline, { kind: 'image' }>) => string
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** The HTML of a Markdown text, without a document around it. */
export function markdownToHtml(text: string, dialect: Dialect): string {
  return blocksToHtml(parseMarkdown(text), dialect)
}

/** The same of a plain text: its paragraphs, line breaks and addresses. */
export function plainToHtml(text: string, dialect: Dialect): string {
  return text
    .replace(/\r\n?/g, '\n')
    .split(/\n(?:[ \t]*\n)+/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => {
      const parts = linkParts(paragraph).map((part) => partToHtml(part, dialect))
      return element('p', dialect.attributes.p, parts.join(''))
    })
    .join('')
}

function blocksToHtml(blocks: Block[], dialect: Dialect): string {
  return blocks.map((block) => blockToHtml(block, dialect)).join('')
}

function blockToHtml(block: Block, dialect: Dialect): string {
  const { attributes } = dialect
  switch (block.kind) {
    case 'paragraph': {
      const inside = inlinesToHtml(block.children, dialect)
      return inside.trim() === '' && !isEmptyParagraph(block) ? '' : element('p', attributes.p, inside)
    }
    case 'quote':
      return element('blockquote', attributes.blockquote, blocksToHtml(block.blocks, dialect))
    case 'code block': {
      const text = escapeHtml(block.text)
      return element('pre', attributes.pre, dialect.hasCodeInPre ? element('code', '', text) : text)
    }
    case 'list':
      return listToHtml(block, attributes.list, dialect)
  }
}

function listToHtml(
  { start, items }: Extract<Block, { kind: 'list' }>,
  attributes: string | undefined,
  dialect: Dialect,
): string {
  const inside = items.map((item) => element('li', '', itemToHtml(item, dialect))).join('')
  if (start === undefined) return element('ul', attributes, inside)
  return element('ol', `${start === 1 ? '' : ` start="${start}"`}${attributes ?? ''}`, inside)
}

function itemToHtml(item: Block[], dialect: Dialect): string {
  const [first, ...rest] = item
  if (first?.kind !== 'paragraph' || !dialect.isTight(rest)) return blocksToHtml(item, dialect)
  const below = rest.map((block) =>
    block.kind === 'list'
      ? listToHtml(block, dialect.attributes.innerList, dialect)
      : blockToHtml(block, dialect),
  )
  return inlinesToHtml(first.children, dialect) + below.join('')
}

function inlinesToHtml(inlines: Inline[], dialect: Dialect): string {
  return inlines.map((inline) => inlineToHtml(inline, dialect)).join('')
}

function inlineToHtml(inline: Inline, dialect: Dialect): string {
  switch (inline.kind) {
    case 'text':
      return textToHtml(inline.text, dialect)
    case 'break':
      return dialect.lineBreak
    case 'code':
      return element('code', dialect.attributes.code, escapeHtml(inline.text))
    case 'strong':
      return element('strong', '', inlinesToHtml(inline.children, dialect))
    case 'emphasis':
      return element('em', '', inlinesToHtml(inline.children, dialect))
    case 'mention':
      return textToHtml(`@${inline.name}`, dialect)
    case 'image':
      return dialect.image?.(inline) ?? ''
    case 'link':
      return linkToHtml(inline.href, inlinesToHtml(inline.children, dialect), dialect)
  }
}

function partToHtml(part: ReturnType<typeof linkParts>[number], dialect: Dialect): string {
  const html = textToHtml(part.text, dialect).replaceAll('\n', dialect.lineBreak)
  return part.kind === 'link' ? linkToHtml(part.href, html, dialect) : html
}

function linkToHtml(href: string, html: string, { attributes }: Dialect): string {
  return element('a', ` href="${escapeHtml(href)}"${attributes.a ?? ''}`, html)
}

function textToHtml(text: string, { keepsSpaces }: Dialect): string {
  const html = escapeHtml(text)
  return keepsSpaces ? html.replace(/ (?= )/g, '&nbsp;') : html
}

function element(name: string, attributes: string | undefined, inside: string): string {
  return `<${name}${attributes ?? ''}>${inside}</${name}>`
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '')
}
