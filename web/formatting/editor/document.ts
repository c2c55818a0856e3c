import type { Fragment, Mark, Node } from 'prosemirror-model'
import type { Inline } from '../../../server/formatting/inline.ts'
import { hrefOfAddress } from '../../../server/formatting/links.ts'
import {
  type Block,
  EMPTY_PARAGRAPH,
  isEmptyParagraph,
  markdownLines,
  parseWithLines,
} from '../../../server/formatting/markdown.ts'
import { toMarkdown } from '../../../server/formatting/to-markdown.ts'
import { schema } from './schema.ts'

const { nodes, marks } = schema

/** How a part of a document was written. It stays as it is until someone edits it. */
interface Source {
  text: string
  /** Blank lines before it, which stay while it follows the same part. */
  gap: string
  after: Node | undefined
}

const sources = new WeakMap<Node, Source>()
/** What was written for a part. */
const written = new WeakMap<Node, string>()

const FENCE_END = /\n[ \t]*`{3,}\s*$/
const TRAILING_SPACE = /\s+$/

/** The document of a Markdown text. Keeps space at the end, because someone may be typing there. */
export function documentOf(markdown: string): Node {
  const lines = markdownLines(markdown)
  const parts: Node[] = []
  let end = 0
  for (const { block, from, to } of parseWithLines(lines)) {
    const part = nodeOf(block)
    const text = lines.slice(from, to).join('\n')
    // Code without an end would go on in what follows.
    if (block.kind !== 'code block' || FENCE_END.test(text)) {
      const gap = lines
        .slice(end, from)
        .map((line) => `${line}\n`)
        .join('')
      sources.set(part, { text, gap: parts.length === 0 ? gap : `\n${gap}`, after: parts.at(-1) })
    }
    parts.push(part)
    end = to
  }
  return nodes.doc.create(null, withTrailingSpace(parts, markdown))
}

/** A space after the last word, or the next line or paragraph, if it ends with a paragraph. */
function withTrailingSpace(parts: Node[], markdown: string): Node[] {
  const [space = ''] = TRAILING_SPACE.exec(markdown) ?? []
  const last = parts.at(-1)
  if (!last) return [nodes.paragraph.create()]
  if (space === '' || last.type !== nodes.paragraph) return parts
  const breaks = space.split('\n').length - 1
  if (breaks > 1) return [...parts, nodes.paragraph.create()]
  const added = breaks === 1 ? nodes.hard_break.create() : schema.text(space)
  return [...parts.slice(0, -1), last.copy(last.content.addToEnd(added))]
}

/** The Markdown of a document. Parts that no one edited stay byte for byte. Empty paragraphs at the end are left out. */
export function markdownOf(doc: Node): string {
  let text = ''
  /** Empty paragraphs that stay if something follows. */
  let empty = ''
  let last: Node | undefined
  for (const group of groupsOf(doc)) {
    const [part] = group
    const source = group.length === 1 ? sources.get(part) : undefined
    const own = source?.text ?? writtenFor(group)
    const isEmpty = own.trim() === ''
    if (isEmpty && part.type !== nodes.paragraph) continue
    const isAfterList = last?.type === nodes.bullets || last?.type === nodes.numbers
    const isUnchanged = source && source.after === last
    const gap = isUnchanged ? source.gap : last ? gapBetween(last, part) : ''
    if (isEmpty) empty += gap + EMPTY_PARAGRAPH
    else {
      // After a list, space at the start would belong to that.
      text += empty + gap + (isAfterList && !isUnchanged ? own.trimStart() : own)
      empty = ''
    }
    last = group.at(-1)
  }
  return text
}

/** The parts, and lists of one kind side by side together: they are written as one. */
function groupsOf(doc: Node): [Node, ...Node[]][] {
  const groups: [Node, ...Node[]][] = []
  for (const part of doc.children) {
    const group = groups.at(-1)
    const isList = part.type === nodes.bullets || part.type === nodes.numbers
    if (group && isList && group[0].type === part.type) group.push(part)
    else groups.push([part])
  }
  return groups
}

function writtenFor(group: [Node, ...Node[]]): string {
  const known = group.length === 1 ? written.get(group[0]) : undefined
  if (known !== undefined) return known
  const text = toMarkdown(group.map(blockOf))
  if (group.length === 1) written.set(group[0], text)
  return text
}

/** As between two blocks in to-markdown.ts. */
function gapBetween(part: Node, next: Node): string {
  const isJoined =
    part.type === nodes.paragraph &&
    (next.type === nodes.bullets || (next.type === nodes.numbers && next.attrs.start === 1))
  return isJoined ? '\n' : '\n\n'
}

/** The blocks that a piece of a document is made of. Empty paragraphs stay between others. */
export function blocksOf({ content }: Fragment): Block[] {
  const isEmpty = ({ type, childCount }: Node) => type === nodes.paragraph && childCount === 0
  const last = content.findLastIndex((part) => !isEmpty(part))
  return content.map((part, at) => (isEmpty(part) && at > 0 && at < last ? EMPTY_BLOCK : blockOf(part)))
}

const EMPTY_BLOCK: Block = { kind: 'paragraph', children: [{ kind: 'text', text: EMPTY_PARAGRAPH }] }

function blockOf(node: Node): Block {
  switch (node.type) {
    case nodes.quote:
      return { kind: 'quote', blocks: blocksOf(node.content) }
    case nodes.bullets:
    case nodes.numbers: {
      const start = node.type === nodes.numbers ? Number(node.attrs.start) : undefined
      return { kind: 'list', start, items: node.children.map((item) => blocksOf(item.content)) }
    }
    case nodes.code_block:
      return { kind: 'code block', text: node.textContent }
    default:
      return { kind: 'paragraph', children: node.children.map(inlineOf) }
  }
}

function inlineOf(node: Node): Inline {
  const has = (name: string) => node.marks.find(({ type }) => type.name === name)
  const link = has('link')
  let inline = plainInlineOf(node, has('code') !== undefined)
  if (has('emphasis')) inline = { kind: 'emphasis', children: [inline] }
  if (has('strong')) inline = { kind: 'strong', children: [inline] }
  return link ? { kind: 'link', href: String(link.attrs.href), children: [inline] } : inline
}

function plainInlineOf({ type, attrs, text = '' }: Node, isCode: boolean): Inline {
  switch (type) {
    case nodes.hard_break:
      return { kind: 'break' }
    case nodes.image:
      return { kind: 'image', name: attrs.name, alt: attrs.alt }
    case nodes.mention:
      return { kind: 'mention', of: attrs.of, id: attrs.id, name: attrs.name }
    default:
      return { kind: isCode ? 'code' : 'text', text }
  }
}

function nodeOf(block: Block): Node {
  switch (block.kind) {
    case 'paragraph':
      return nodes.paragraph.create(null, isEmptyParagraph(block) ? [] : inlineNodes(block.children, []))
    case 'quote':
      return nodes.quote.create(null, nodesOf(block.blocks))
    case 'code block':
      return nodes.code_block.create(null, block.text === '' ? null : schema.text(block.text))
    case 'list': {
      const items = block.items.map((item) => nodes.item.create(null, nodesOf(item)))
      return block.start === undefined
        ? nodes.bullets.create(null, items)
        : nodes.numbers.create({ start: block.start }, items)
    }
  }
}

/** There is always a line to type in. */
export function nodesOf(blocks: Block[]): Node[] {
  return blocks.length === 0 ? [nodes.paragraph.create()] : blocks.map(nodeOf)
}

function inlineNodes(inlines: Inline[], style: readonly Mark[]): Node[] {
  return inlines.flatMap((inline) => inlineNode(inline, style))
}

function inlineNode(inline: Inline, style: readonly Mark[]): Node[] {
  switch (inline.kind) {
    case 'text':
      return inline.text === '' ? [] : [schema.text(inline.text, style)]
    case 'code':
      return inline.text === '' ? [] : [schema.text(inline.text, marks.code.create().addToSet(style))]
    case 'break':
      return [nodes.hard_break.create(null, null, style)]
    case 'image':
      return [nodes.image.create({ name: inline.name, alt: inline.alt }, null, style)]
    case 'mention':
      return [nodes.mention.create({ of: inline.of, id: inline.id, name: inline.name }, null, style)]
    case 'strong':
    case 'emphasis':
      return inlineNodes(inline.children, marks[inline.kind].create().addToSet(style))
    case 'link': {
      const children = inlineNodes(inline.children, style)
      // An address in the text is a link by itself, wherever it leads after an edit.
      const text = children.map((child) => child.textContent).join('')
      if (hrefOfAddress(text) === inline.href) return children
      return inlineNodes(inline.children, marks.link.create({ href: inline.href }).addToSet(style))
    }
  }
}

/**
 * The position in a document for a position in the Markdown it was made of: both have the visible letters, in the same
 * order.
 */
export function placeOf(doc: Node, markdown: string, at: number): number {
  let [read, place] = [0, 1]
  for (const { letter, pos } of lettersOf(doc)) {
    const found = markdown.indexOf(letter, read)
    if (found < 0) continue
    if (found >= at) return markdown.slice(read, at).includes('\n') ? pos : place
    read = found + 1
    place = pos + 1
  }
  return at >= markdown.length ? doc.content.size - 1 : place
}

function lettersOf(doc: Node): { letter: string; pos: number }[] {
  const letters: { letter: string; pos: number }[] = []
  doc.descendants(({ type, text = '' }, pos) => {
    if (type === nodes.hard_break) letters.push({ letter: '\n', pos })
    for (const [at, letter] of text.split('').entries()) letters.push({ letter, pos: pos + at })
  })
  return letters
}
