import { escapeHtml } from './email-html.ts'
import type { Inline } from './inline.ts'
import { linkParts } from './links.ts'
import { type Block, parseMarkdown } from './markdown.ts'

// The same as in emails, without styles: the page of a website brings its own. Only these elements: p, br, strong, em, a, ul,
// ol, li, code, pre, blockquote.

/** The HTML of a Markdown text for a page. */
export function markdownToPageHtml(text: string): string {
  return blocksToHtml(parseMarkdown(text))
}

/** The same of a plain text: its paragraphs, line breaks and addresses. */
export function plainToPageHtml(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .split(/\n(?:[ \t]*\n)+/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => `<p>${linkParts(paragraph).map(partToHtml).join('')}</p>`)
    .join('')
}

function blocksToHtml(blocks: Block[]): string {
  return blocks.map(blockToHtml).join('')
}

function blockToHtml(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return `<p>${inlinesToHtml(block.children)}</p>`
    case 'quote':
      return `<blockquote>${blocksToHtml(block.blocks)}</blockquote>`
    case 'code block':
      return `<pre><code>${escapeHtml(block.text)}</code></pre>`
    case 'list': {
      const items = block.items.map((item) => `<li>${itemToHtml(item)}</li>`).join('')
      if (block.start === undefined) return `<ul>${items}</ul>`
      return `<ol${block.start === 1 ? '' : ` start="${block.start}"`}>${items}</ol>`
    }
  }
}

/** Text at the start of an item is no paragraph, which would have a gap below it. */
function itemToHtml([first, ...rest]: Block[]): string {
  if (first?.kind !== 'paragraph') return blocksToHtml(first ? [first, ...rest] : [])
  return inlinesToHtml(first.children) + blocksToHtml(rest)
}

function inlinesToHtml(inlines: Inline[]): string {
  return inlines.map(inlineToHtml).join('')
}

function inlineToHtml(inline: Inline): string {
  switch (inline.kind) {
    case 'text':
      return escapeHtml(inline.text)
    case 'break':
      return '<br>'
    case 'code':
      return `<code>${escapeHtml(inline.text)}</code>`
    case 'strong':
      return `<strong>${inlinesToHtml(inline.children)}</strong>`
    case 'emphasis':
      return `<em>${inlinesToHtml(inline.children)}</em>`
    case 'link':
      return linkToHtml(inline.href, inlinesToHtml(inline.children))
  }
}

function partToHtml(part: ReturnType<typeof linkParts>[number]): string {
  const html = escapeHtml(part.text).replaceAll('\n', '<br>')
  return part.kind === 'link' ? linkToHtml(part.href, html) : html
}

/** The page that a link leads to must not reach the one that it is on. */
function linkToHtml(href: string, html: string): string {
  return `<a href="${escapeHtml(href)}" target="_blank" rel="noopener noreferrer nofollow">${html}</a>`
}
