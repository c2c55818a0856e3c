import type { Inline } from '../../../formatting/inline.ts'
import { safeHref } from '../../../formatting/links.ts'
import type { Block } from '../../../formatting/markdown.ts'
import { toMarkdown } from '../../../formatting/to-markdown.ts'

/** A formatted part of a text, as Telegram describes it. Offset and length are in UTF-16 units. */
interface TextEntity {
  type: string
  offset: number
  length: number
  url?: string
}

/** Telegram keeps a hundred, of 4,096 characters. Sorting out more would take long. */
const MAX_ENTITIES = 500
const MAX_LENGTH = 8_192
const QUOTES = ['blockquote', 'expandable_blockquote']
const KEPT = ['bold', 'italic', 'code', 'text_link', 'pre', ...QUOTES]

/**
 * A text with its formatting as Markdown. What Markdown can't say is left out, such as bold inside `2*3`. Returns undefined
 * if nothing is left, and for a text that is too long.
 */
export function markdownOfEntities(text: string, entities: readonly TextEntity[]): string | undefined {
  if (entities.length > MAX_ENTITIES || text.length > MAX_LENGTH) return undefined
  const kept = nested(text, entities.filter(isKept))
  if (kept.length === 0) return undefined
  const markdown = toMarkdown(blocksOf({ text, start: 0, end: text.length, entities: kept }))
  return markdown === text ? undefined : markdown
}

function isKept({ type, url }: TextEntity): boolean {
  if (type === 'text_link') return url !== undefined && safeHref(url) !== undefined
  return KEPT.includes(type)
}

/** In order, outer ones first. One that is outside of the text, or crosses another one, is left out. */
function nested(text: string, entities: TextEntity[]): TextEntity[] {
  const sorted = entities.toSorted((one, other) => one.offset - other.offset || other.length - one.length)
  const ends: number[] = []
  return sorted.filter(({ offset, length }) => {
    const end = offset + length
    if (offset < 0 || length <= 0 || end > text.length) return false
    while ((ends.at(-1) ?? Number.POSITIVE_INFINITY) <= offset) ends.pop()
    if (end > (ends.at(-1) ?? text.length)) return false
    ends.push(end)
    return true
  })
}

interface Part {
  text: string
  start: number
  end: number
  /** The entities within the part. */
  entities: TextEntity[]
}

interface Formatted extends Part {
  type: string
  url: string
}

/** The text between the outermost entities, and those. */
function piecesOf({ text, start, end, entities }: Part): (string | Formatted)[] {
  const pieces: (string | Formatted)[] = []
  let at = start
  let rest = entities
  for (let entity = rest[0]; entity; entity = rest[0]) {
    const { type, offset, length, url = '' } = entity
    const until = offset + length
    const inner = rest.slice(1).filter((one) => one.offset < until)
    rest = rest.slice(1 + inner.length)
    pieces.push(text.slice(at, offset), { type, url, text, start: offset, end: until, entities: inner })
    at = until
  }
  return [...pieces, text.slice(at, end)]
}

function blocksOf(part: Part): Block[] {
  const blocks: Block[] = []
  let children: Inline[] = []
  for (const piece of piecesOf(part)) {
    const block = typeof piece === 'string' ? undefined : blockOf(piece)
    if (block) {
      blocks.push({ kind: 'paragraph', children }, block)
      children = []
    } else children.push(...inlinesOf(piece))
  }
  return [...blocks, { kind: 'paragraph', children }]
}

/** Undefined for what is within a line. */
function blockOf(piece: Formatted): Block | undefined {
  const raw = rawOf(piece)
  if (piece.type === 'pre' || (piece.type === 'code' && raw.includes('\n'))) {
    return { kind: 'code block', text: raw.replace(/\n$/, '') }
  }
  return QUOTES.includes(piece.type) ? { kind: 'quote', blocks: blocksOf(piece) } : undefined
}

function inlinesOf(piece: string | Formatted): Inline[] {
  if (typeof piece === 'string') return [{ kind: 'text', text: piece }]
  const children = () => piecesOf(piece).flatMap(inlinesOf)
  switch (piece.type) {
    case 'bold':
      return [{ kind: 'strong', children: children() }]
    case 'italic':
      return [{ kind: 'emphasis', children: children() }]
    case 'text_link':
      return [{ kind: 'link', href: piece.url, children: children() }]
    case 'code':
    case 'pre':
      return [{ kind: 'code', text: rawOf(piece) }]
    default:
      return children()
  }
}

function rawOf({ text, start, end }: Formatted): string {
  return text.slice(start, end)
}
