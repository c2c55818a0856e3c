import type { MessageFormat } from '../database/tables/messages.ts'
import { type Inline, parseInline } from './inline.ts'
import { hrefOfAddress } from './links.ts'
import { type Block, isEmptyParagraph, parseMarkdown } from './markdown.ts'

/** `address`: the address of a link follows its text in parentheses. `text`: only its text is left. */
type Links = 'address' | 'text'

/** The text of a message without marks: for the text part of an email, the search index and previews. */
export function plainTextOf(
  { text, format }: { text: string; format: MessageFormat },
  links?: Links,
): string {
  return format === 'markdown' ? plainText(text, links) : text
}

/** `[cid:image001.png@01D9]` of Outlook, and `[image: logo.png]` of Gmail, where a mail has an image. */
const IMAGE_MARK = /\[(?:cid|image):[^\]\n]{1,300}\]/gi

/** For previews, which show no images. */
export function withoutImageMarks(text: string): string {
  return text.replaceAll(IMAGE_MARK, ' ')
}

/** A Markdown text without its marks. */
export function plainText(text: string, links: Links = 'address'): string {
  return linesOf(parseMarkdown(text), links).join('\n')
}

/** Whether Markdown changes how a text looks, other than making its addresses links. */
export function isFormatted(text: string): boolean {
  const blocks = parseMarkdown(text)
  const isMarkless = withoutSpace(linesOf(blocks, 'address').join('')) === withoutSpace(text)
  return !isMarkless || blocks.some(({ kind }) => kind !== 'paragraph')
}

/** A text from elsewhere, such as a customer's name, as it has to be written within a line to look the same. */
export function escapeMarkdown(text: string): string {
  const isPlain = !/[*`]/.test(text) && textOfAll(parseInline(text), 'address') === text
  return isPlain ? text : text.replace(/[*_`[\]]/g, '\\$&')
}

/** A blank line is between two blocks, unless the second one is a list. */
function linesOf(blocks: Block[], links: Links): string[] {
  const lines: string[] = []
  for (const block of blocks) {
    const own = linesOfBlock(block, links)
    // A paragraph that is only a picture.
    const isPicture = block.kind === 'paragraph' && own.every((line) => line.trim() === '')
    if (isPicture && !isEmptyParagraph(block)) continue
    if (lines.length > 0 && block.kind !== 'list') lines.push('')
    lines.push(...own)
  }
  return lines
}

function linesOfBlock(block: Block, links: Links): string[] {
  switch (block.kind) {
    case 'paragraph':
      return isEmptyParagraph(block) ? [''] : textOfAll(block.children, links).split('\n')
    case 'code block':
      return block.text.split('\n')
    case 'quote':
      return linesOf(block.blocks, links).map((line) => (line === '' ? '>' : `> ${line}`))
    case 'list':
      return block.items.flatMap((item, at) => {
        const mark = block.start === undefined ? '- ' : `${block.start + at}. `
        const indent = ' '.repeat(mark.length)
        const lines = item.length > 0 ? linesOf(item, links) : ['']
        return lines.map((line, place) => (place === 0 ? mark : line && indent) + line)
      })
  }
}

function textOfAll(inlines: Inline[], links: Links): string {
  return inlines.map((inline) => textOf(inline, links)).join('')
}

function textOf(inline: Inline, links: Links): string {
  switch (inline.kind) {
    case 'text':
    case 'code':
      return inline.text
    case 'break':
      return '\n'
    case 'mention':
      return `@${inline.name}`
    case 'image':
      return inline.alt && `[${inline.alt}]`
    case 'strong':
    case 'emphasis':
      return textOfAll(inline.children, links)
    case 'link': {
      const text = textOfAll(inline.children, links)
      const isAddress = text === inline.href || hrefOfAddress(text) === inline.href
      return isAddress || links === 'text' ? text : `${text} (${inline.href.replace(/^mailto:/, '')})`
    }
  }
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '')
}
