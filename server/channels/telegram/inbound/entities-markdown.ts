import type { Inline } from '../../../formatting/inline.ts'
import { ADDRESS, safeHref } from '../../../formatting/links.ts'
import { type Block, parseMarkdown } from '../../../formatting/markdown.ts'

/** A formatted part of a text, as Telegram describes it. Offset and length are in UTF-16 units. */
interface TextEntity {
  type: string
  offset: number
  length: number
  url?: string
}

/** Telegram keeps a hundred. Sorting out more of them would take long. */
const MAX_ENTITIES = 500
const BLOCKS = ['pre', 'blockquote', 'expandable_blockquote']
const KEPT = ['bold', 'italic', 'code', 'text_link', ...BLOCKS]
/** Marks that begin formatting anywhere, and those that do at the start of a line. */
const MARKS = /[*_`[\]]/g
const LINE_START = /^(\s*)([->]|\d{1,3}[.)])/gm
const ADDRESSES = new RegExp(ADDRESS, 'gi')

/**
 * A text with its formatting as Markdown. Returns undefined if it has none that Markdown knows, and for the rare text whose
 * Markdown would not be read as the same text again: that is better left plain.
 */
export function markdownOfEntities(text: string, entities: readonly TextEntity[]): string | undefined {
  if (entities.length > MAX_ENTITIES) return undefined
  const kept = nested(text, entities.filter(isKept))
  if (kept.length === 0) return undefined
  const markdown = render({ text, start: 0, end: text.length, entities: kept })
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\s+$/g, '')
  return lettersOf(parseMarkdown(markdown)) === letters(text) ? markdown : undefined
}

function isKept({ type, url }: TextEntity): boolean {
  if (type === 'text_link') return url !== undefined && destinationOf(url) !== undefined
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

function render({ text, start, end, entities }: Part): string {
  let markdown = ''
  let at = start
  let rest = entities
  for (let entity = rest[0]; entity; entity = rest[0]) {
    const { offset, length } = entity
    const until = offset + length
    const inner = rest.slice(1).filter((one) => one.offset < until)
    rest = rest.slice(1 + inner.length)
    markdown += escaped(text.slice(at, offset), markdown === '' || markdown.endsWith('\n'))
    markdown += formatted(entity, { text, start: offset, end: until, entities: inner }, markdown)
    // A block ends its line itself.
    at = markdown.endsWith('\n') && text[until] === '\n' ? until + 1 : until
  }
  return markdown + escaped(text.slice(at, end), markdown === '' || markdown.endsWith('\n'))
}

function formatted({ type, url = '' }: TextEntity, part: Part, before: string): string {
  const { text, start, end } = part
  const raw = text.slice(start, end)
  const newLine = before === '' || before.endsWith('\n') ? '' : '\n'
  switch (type) {
    case 'bold':
      return marked('**', render(part))
    case 'italic':
      return marked('*', render(part))
    case 'text_link':
      return `[${render(part).replaceAll(/\s*\n\s*/g, ' ')}](${destinationOf(url)})`
    case 'code':
      return raw.includes('\n') ? `${newLine}${codeBlock(raw)}\n` : code(raw)
    case 'pre':
      return `${newLine}${codeBlock(raw)}\n`
    default: {
      const quoted = render(part).replace(/\s+$/, '')
      return `${newLine}${quoted.replaceAll(/^/gm, '> ')}\n`
    }
  }
}

/** Each line separately, because marks must be next to what they format. */
function marked(mark: string, inner: string): string {
  return inner.replaceAll(/^([^\S\n]*)(\S.*?)([^\S\n]*)$/gm, `$1${mark}$2${mark}$3`)
}

function code(raw: string): string {
  const fence = '`'.repeat(longestTicks(raw) + 1)
  const isPadded = /^[` ]|[` ]$/.test(raw)
  return isPadded ? `${fence} ${raw} ${fence}` : `${fence}${raw}${fence}`
}

function codeBlock(raw: string): string {
  const fence = '`'.repeat(Math.max(3, longestTicks(raw) + 1))
  return `${fence}\n${raw.replace(/\n$/, '')}\n${fence}`
}

function longestTicks(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
}

/** The same text as Markdown. Marks within an address are part of it. */
function escaped(text: string, isLineStart: boolean): string {
  let markdown = ''
  let at = 0
  for (const { 0: address, index } of text.matchAll(ADDRESSES)) {
    markdown += text.slice(at, index).replace(MARKS, '\\$&') + address
    at = index + address.length
  }
  markdown += text.slice(at).replace(MARKS, '\\$&')
  return markdown.replace(LINE_START, (found, space: string, mark: string, offset: number) => {
    if (offset === 0 && !isLineStart) return found
    return mark.length > 1 ? `${space}${mark.slice(0, -1)}\\${mark.slice(-1)}` : `${space}\\${mark}`
  })
}

/** The address of a link as Markdown reads it; undefined for one that no link may have. */
function destinationOf(url: string): string | undefined {
  const encoded = url.replaceAll(/[\s<>[\]()]/g, (character) =>
    character === '(' || character === ')'
      ? `%${character.charCodeAt(0).toString(16)}`
      : encodeURIComponent(character),
  )
  return safeHref(encoded) ? encoded : undefined
}

/** The visible characters, without spaces and quote marks. */
function lettersOf(blocks: Block[]): string {
  return blocks.map(lettersOfBlock).join('')
}

function lettersOfBlock(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return lettersOfAll(block.children)
    case 'code block':
      return letters(block.text)
    case 'quote':
      return lettersOf(block.blocks)
    case 'list':
      return block.items.map(lettersOf).join('')
  }
}

function lettersOfAll(inlines: Inline[]): string {
  return inlines
    .map((inline) => {
      if (inline.kind === 'break') return ''
      if (inline.kind === 'image') return letters(inline.alt)
      if (inline.kind === 'mention') return letters(inline.name)
      return 'children' in inline ? lettersOfAll(inline.children) : letters(inline.text)
    })
    .join('')
}

function letters(text: string): string {
  return text.replaceAll(/\s+/g, '')
}
