import type { Inline } from './inline.ts'
import { linkParts } from './links.ts'
import { type Block, parseMarkdown } from './markdown.ts'

// Mail programs ignore style sheets, so each element has its own few declarations. Colors are left to the program, which
// may be dark.

const GAP = 'margin:0 0 1em'
const STYLES = {
  paragraph: GAP,
  quote: `${GAP};border-left:2px solid #999;padding-left:12px`,
  list: `${GAP};padding-left:24px`,
  innerList: 'margin:0;padding-left:24px',
  codeBlock: `${GAP};border:1px solid #999;border-radius:4px;padding:8px 12px;font-family:monospace;white-space:pre-wrap`,
  code: 'font-family:monospace',
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** The HTML of a Markdown text for an email, without a document around it. */
export function markdownToEmailHtml(text: string): string {
  return blocksToHtml(parseMarkdown(text))
}

/** The same of a plain text: its paragraphs, line breaks and addresses. */
export function plainToEmailHtml(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .split(/\n(?:[ \t]*\n)+/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => element('p', STYLES.paragraph, linkParts(paragraph).map(partToHtml).join('')))
    .join('')
}

function blocksToHtml(blocks: Block[]): string {
  return blocks.map(blockToHtml).join('')
}

function blockToHtml(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return element('p', STYLES.paragraph, inlinesToHtml(block.children))
    case 'quote':
      return element('blockquote', STYLES.quote, blocksToHtml(block.blocks))
    case 'code block':
      return element('pre', STYLES.codeBlock, escapeHtml(block.text))
    case 'list':
      return listToHtml(block, STYLES.list)
  }
}

function listToHtml({ start, items }: Extract<Block, { kind: 'list' }>, style: string): string {
  const inside = items.map((item) => `<li>${itemToHtml(item)}</li>`).join('')
  if (start === undefined) return element('ul', style, inside)
  return `<ol${start === 1 ? '' : ` start="${start}"`} style="${style}">${inside}</ol>`
}

/** Text followed by a list is no paragraph, which would have a gap below it. */
function itemToHtml(item: Block[]): string {
  const isText = item.every(({ kind }, at) => kind === (at === 0 ? 'paragraph' : 'list'))
  if (!isText) return blocksToHtml(item)
  return item
    .map((block) => {
      if (block.kind === 'paragraph') return inlinesToHtml(block.children)
      return block.kind === 'list' ? listToHtml(block, STYLES.innerList) : ''
    })
    .join('')
}

function inlinesToHtml(inlines: Inline[]): string {
  return inlines.map(inlineToHtml).join('')
}

function inlineToHtml(inline: Inline): string {
  switch (inline.kind) {
    case 'text':
      return textToHtml(inline.text)
    case 'break':
      return '<br>\n'
    case 'code':
      return element('code', STYLES.code, escapeHtml(inline.text))
    case 'strong':
      return `<strong>${inlinesToHtml(inline.children)}</strong>`
    case 'emphasis':
      return `<em>${inlinesToHtml(inline.children)}</em>`
    case 'link':
      return linkToHtml(inline.href, inlinesToHtml(inline.children))
  }
}

function partToHtml(part: ReturnType<typeof linkParts>[number]): string {
  const html = textToHtml(part.text).replaceAll('\n', '<br>\n')
  return part.kind === 'link' ? linkToHtml(part.href, html) : html
}

function linkToHtml(href: string, html: string): string {
  return `<a href="${escapeHtml(href)}">${html}</a>`
}

/** HTML would make one space of several. */
function textToHtml(text: string): string {
  return escapeHtml(text).replace(/ (?= )/g, '&nbsp;')
}

function element(name: string, style: string, inside: string): string {
  return `<${name} style="${style}">${inside}</${name}>`
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '')
}
