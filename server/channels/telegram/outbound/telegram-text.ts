import type { TelegramEntity } from '../../../database/tables/bots.ts'
import type { MessageFormat } from '../../../database/tables/messages.ts'
import type { Inline } from '../../../formatting/inline.ts'
import { hrefOfAddress } from '../../../formatting/links.ts'
import { type Block, parseMarkdown } from '../../../formatting/markdown.ts'

export interface TelegramText {
  text: string
  entities: TelegramEntity[]
}

/** Telegram ignores entities beyond this number. */
const MAX_ENTITIES = 100
/** A part ends at a paragraph or a line only if it is not much shorter than it may be. */
const MIN_FILLED = 0.25
const BULLET = '• '
const WEB = /^https?:/
/** Code points that continue the character before them: joined emoji, accents, variants. */
const CONTINUES = /[\u200d\ufe00-\ufe0f\p{M}\p{Emoji_Modifier}]/u

/** A message as Telegram shows it. Web and email addresses are found by Telegram itself. */
export function telegramText({ text, format }: { text: string; format: MessageFormat }): TelegramText {
  if (format === 'plain') return trimmed({ text: text.replace(/\r\n?/g, '\n'), entities: [] })
  const written = new Writing()
  writeBlocks(written, parseMarkdown(text))
  return trimmed({ text: written.text, entities: withoutOverlaps(written.entities) })
}

/**
 * Splits a text into messages of at most `maxLength` UTF-16 units: between paragraphs if possible, else between lines,
 * words or characters, outside of formatting rather than inside. Formatting that continues does so in the next part.
 */
export function splitTelegramText({ text, entities }: TelegramText, maxLength: number): TelegramText[] {
  const parts: TelegramText[] = []
  let start = 0
  while (start < text.length) {
    const end = text.length - start <= maxLength ? text.length : endOfPart(text, entities, start, maxLength)
    const part = trimmed(sliceOf({ text, entities }, start, end))
    if (part.text !== '') parts.push({ ...part, entities: part.entities.slice(0, MAX_ENTITIES) })
    start = end
  }
  return parts
}

class Writing {
  text = ''
  readonly entities: TelegramEntity[] = []
  /** At the start of each further line. */
  #indent = ''

  add(text: string): void {
    this.text += text
  }

  newLine(): void {
    this.text += `\n${this.#indent}`
  }

  formatted(type: Exclude<TelegramEntity['type'], 'text_link'>, write: () => void): void {
    const offset = this.text.length
    write()
    const length = this.text.length - offset
    if (length > 0) this.entities.push({ type, offset, length })
  }

  indented(indent: string, write: () => void): void {
    const before = this.#indent
    this.#indent += indent
    write()
    this.#indent = before
  }
}

/** A blank line is between two blocks, unless the second one is a list. */
function writeBlocks(written: Writing, blocks: Block[], isInQuote = false): void {
  for (const [at, block] of blocks.filter((block) => !isPicture(block)).entries()) {
    if (at > 0 && block.kind !== 'list') written.newLine()
    if (at > 0) written.newLine()
    writeBlock(written, block, isInQuote)
  }
}

/** Only pictures, which are messages of their own. */
function isPicture(block: Block): boolean {
  return (
    block.kind === 'paragraph' && block.children.every(({ kind }) => kind === 'image' || kind === 'break')
  )
}

function writeBlock(written: Writing, block: Block, isInQuote: boolean): void {
  switch (block.kind) {
    case 'paragraph':
      writeInlines(written, block.children)
      break
    case 'code block':
      written.formatted('pre', () => written.add(block.text))
      break
    case 'quote':
      writeQuote(written, block.blocks, isInQuote)
      break
    case 'list':
      writeList(written, block, isInQuote)
      break
  }
}

/** Quotes of Telegram hold no quotes. */
function writeQuote(written: Writing, blocks: Block[], isInQuote: boolean): void {
  if (isInQuote) {
    written.add('> ')
    written.indented('> ', () => writeBlocks(written, blocks, true))
  } else written.formatted('blockquote', () => writeBlocks(written, blocks, true))
}

function writeList(
  written: Writing,
  { start, items }: Extract<Block, { kind: 'list' }>,
  isInQuote: boolean,
): void {
  for (const [at, item] of items.entries()) {
    if (at > 0) written.newLine()
    written.add(start === undefined ? BULLET : `${start + at}. `)
    written.indented('   ', () => {
      const isText = item[0] === undefined || item[0].kind === 'paragraph'
      if (!isText) written.newLine()
      writeBlocks(written, item, isInQuote)
    })
  }
}

function writeInlines(written: Writing, inlines: Inline[]): void {
  for (const inline of inlines) writeInline(written, inline)
}

function writeInline(written: Writing, inline: Inline): void {
  switch (inline.kind) {
    case 'text':
      written.add(inline.text)
      break
    case 'break':
      written.newLine()
      break
    case 'image':
      break
    case 'mention':
      written.add(`@${inline.name}`)
      break
    case 'code':
      written.formatted('code', () => written.add(inline.text))
      break
    case 'strong':
      written.formatted('bold', () => writeInlines(written, inline.children))
      break
    case 'emphasis':
      written.formatted('italic', () => writeInlines(written, inline.children))
      break
    case 'link':
      writeLink(written, inline)
      break
  }
}

/** Telegram links text only to web addresses. Another one follows its text in parentheses. */
function writeLink(written: Writing, { href, children }: Extract<Inline, { kind: 'link' }>): void {
  const start = written.text.length
  const entitiesBefore = written.entities.length
  writeInlines(written, children)
  const text = written.text.slice(start)
  if (text === href || hrefOfAddress(text) === href) return
  if (!WEB.test(href)) {
    written.add(` (${href.replace(/^mailto:/, '')})`)
    return
  }
  // Neither of the two may be in the other.
  const inside = written.entities.splice(entitiesBefore).filter(({ type }) => type !== 'code')
  written.entities.push({ type: 'text_link', offset: start, length: text.length, url: href }, ...inside)
}

/** Code can't be part of bold and italic text, which continues after it. Takes linear time after sorting. */
function withoutOverlaps(entities: TelegramEntity[]): TelegramEntity[] {
  const sorted = entities.toSorted(byPlace)
  const code = sorted.filter(({ type }) => type === 'code' || type === 'pre')
  let first = 0
  const cut = sorted.flatMap((entity) => {
    if (entity.type !== 'bold' && entity.type !== 'italic') return [entity]
    while (first < code.length && endOf(code[first]) <= entity.offset) first += 1
    return around(entity, code, first)
  })
  return cut.sort(byPlace)
}

function around(entity: TelegramEntity, holes: TelegramEntity[], first: number): TelegramEntity[] {
  const pieces: TelegramEntity[] = []
  const end = endOf(entity)
  let from = entity.offset
  for (let at = first; at < holes.length; at++) {
    const hole = holes[at]
    if (!hole || hole.offset >= end) break
    if (hole.offset > from) pieces.push({ ...entity, offset: from, length: hole.offset - from })
    from = endOf(hole)
  }
  if (from < end) pieces.push({ ...entity, offset: from, length: end - from })
  return pieces
}

function endOf(entity: TelegramEntity | undefined): number {
  return entity ? entity.offset + entity.length : 0
}

/** The outer one of two that begin together is first. */
function byPlace(one: TelegramEntity, other: TelegramEntity): number {
  return one.offset - other.offset || other.length - one.length
}

/** Where a part ends that begins at `start`. */
function endOfPart(text: string, entities: TelegramEntity[], start: number, maxLength: number): number {
  const max = start + maxLength
  const min = start + Math.floor(maxLength * MIN_FILLED)
  const near = entities.filter(({ offset, length }) => offset < max && offset + length > min)
  const isFree = (at: number) => !near.some(({ offset, length }) => offset < at && offset + length > at)
  const isAny = () => true
  for (const isAllowed of [isFree, isAny]) {
    for (const separator of ['\n\n', '\n', ' ']) {
      const end = lastBefore(text, separator, { min, max, isAllowed })
      if (end !== undefined) return end
    }
  }
  return characterEnd(text, start, max)
}

/** The end of the last separator that an end is allowed at. */
function lastBefore(
  text: string,
  separator: string,
  { min, max, isAllowed }: { min: number; max: number; isAllowed: (at: number) => boolean },
): number | undefined {
  for (let at = text.lastIndexOf(separator, max); at >= min; at = text.lastIndexOf(separator, at - 1)) {
    if (isAllowed(at)) return at
  }
  return undefined
}

/** The last place before `max` that is not within a character. */
function characterEnd(text: string, start: number, max: number): number {
  const isLowSurrogate = (at: number) => (text.charCodeAt(at) & 0xfc00) === 0xdc00
  for (let end = max; end > Math.max(start, max - 32); end--) {
    const continues = isLowSurrogate(end) || CONTINUES.test(String.fromCodePoint(text.codePointAt(end) ?? 0))
    if (!continues && text[end - 1] !== '\u200d') return end
  }
  return isLowSurrogate(max) ? max - 1 : max
}

function sliceOf({ text, entities }: TelegramText, start: number, end: number): TelegramText {
  const inside = entities.flatMap((entity) => {
    const from = Math.max(entity.offset, start)
    const to = Math.min(entity.offset + entity.length, end)
    return from < to ? [{ ...entity, offset: from - start, length: to - from }] : []
  })
  return { text: text.slice(start, end), entities: inside }
}

/** Trims both ends, because Telegram would, and that would shift the entities. */
function trimmed(given: TelegramText): TelegramText {
  const start = given.text.length - given.text.trimStart().length
  const end = given.text.trimEnd().length
  return start >= end ? { text: '', entities: [] } : sliceOf(given, start, end)
}
