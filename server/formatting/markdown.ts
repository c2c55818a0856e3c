import { type Inline, parseInline } from './inline.ts'

// The formatting of agents' messages: a small part of Markdown, for the server and for the page. Unlike in CommonMark,
// a line break stays one, and a list ends at the first line that isn't its own: agents write mail, not documents. This
// file and what it imports know no framework and no database.

/** A part of a message below another. */
export type Block =
  | { kind: 'paragraph'; children: Inline[] }
  | { kind: 'quote'; blocks: Block[] }
  /** `start` is the number of the first item; without it, the list has bullets. */
  | { kind: 'list'; start: number | undefined; items: Block[][] }
  | { kind: 'code block'; text: string }

/** UTF-16 units: twice the longest message. Longer texts have no formatting. */
const MAX_LENGTH = 131_072
/** Quotes and lists in each other. Deeper marks are text. */
export const MAX_DEPTH = 4

export const FENCE = /^ {0,3}(`{3,})[^`]*$/
export const QUOTE = /^ {0,3}> ?/
export const ITEM = /^([ \t]*)(?:[-*]|(\d{1,3})[.)])(?:[ \t]+(?=\S)|[ \t]*$)/
/** A line with nothing but this space is an empty paragraph: several blank lines are read as one. */
export const EMPTY_PARAGRAPH = '\u00a0'
const EMPTY_LINE = new RegExp(`^[ \\t]*${EMPTY_PARAGRAPH}[ \\t]*$`)
const INDENT = /^[ \t]*/
const TAB_WIDTH = 4
/** A line that is indented by this much more than an item belongs to it. */
const ITEM_INDENT = 2
/** A backslash before a mark at the start of a line makes it text. Of several, one is taken: the others are text too. */
const ESCAPED_START = /^(\s*\\*)\\(?=[->])|^(\s*\d{1,3}\\*)\\(?=[.)])/

/** Reads the Markdown of a message. Every text is valid: what isn't formatting stays as it is written. */
export function parseMarkdown(text: string): Block[] {
  if (text.length > MAX_LENGTH) return [{ kind: 'paragraph', children: [{ kind: 'text', text }] }]
  return parseBlocks(markdownLines(text), 0)
}

/** The lines of a text, whatever they end with. */
export function markdownLines(text: string): string[] {
  return text.replace(/\r\n?/g, '\n').split('\n')
}

/** A block and the lines it is written in. `to` is exclusive. */
interface BlockInLines {
  block: Block
  from: number
  to: number
}

/** The same of a text in lines, for an editor that keeps what no one changes. */
export function parseWithLines(lines: string[]): BlockInLines[] {
  return readBlocks({ lines, depth: 0, at: 0 })
}

/** The names of the pictures in a text. */
export function imageNames(text: string): Set<string> {
  return new Set(inlinesIn(parseMarkdown(text)).flatMap((one) => (one.kind === 'image' ? one.name : [])))
}

type Mention = Extract<Inline, { kind: 'mention' }>

/** Whom a text mentions, in order. Someone may be mentioned twice. */
export function mentionsIn(text: string): Mention[] {
  return inlinesIn(parseMarkdown(text)).filter((inline) => inline.kind === 'mention')
}

/** Every piece of text, those that contain others too. */
function inlinesIn(blocks: Block[]): Inline[] {
  const withParts = (inlines: Inline[]): Inline[] =>
    inlines.flatMap((inline) => ('children' in inline ? [inline, ...withParts(inline.children)] : inline))
  return blocks.flatMap((block) => {
    if (block.kind === 'paragraph') return withParts(block.children)
    if (block.kind === 'quote') return inlinesIn(block.blocks)
    return block.kind === 'list' ? block.items.flatMap(inlinesIn) : []
  })
}

interface Reading {
  lines: string[]
  depth: number
  at: number
}

function parseBlocks(lines: string[], depth: number): Block[] {
  return readBlocks({ lines, depth, at: 0 }).map(({ block }) => block)
}

function readBlocks(reading: Reading): BlockInLines[] {
  const blocks: BlockInLines[] = []
  while (reading.at < reading.lines.length) {
    const from = reading.at
    const line = reading.lines[from] ?? ''
    if (isBlank(line)) reading.at += 1
    else blocks.push({ block: readBlock(reading, line), from, to: reading.at })
  }
  return blocks
}

function readBlock(reading: Reading, line: string): Block {
  if (EMPTY_LINE.test(line)) {
    reading.at += 1
    return { kind: 'paragraph', children: [{ kind: 'text', text: EMPTY_PARAGRAPH }] }
  }
  const fence = FENCE.exec(line)?.[1]
  if (fence) return readCodeBlock(reading, fence)
  if (reading.depth < MAX_DEPTH) {
    if (QUOTE.test(line)) return readQuote(reading)
    const item = itemOf(line)
    if (item && !isBlank(item.text)) return readList(reading, item)
  }
  return readParagraph(reading)
}

/** Code that isn't closed continues to the end. */
function readCodeBlock(reading: Reading, fence: string): Block {
  const start = reading.at + 1
  const closing = new RegExp(`^ {0,3}\`{${fence.length},}\\s*$`)
  let end = start
  while (end < reading.lines.length && !closing.test(reading.lines[end] ?? '')) end += 1
  reading.at = end + 1
  return { kind: 'code block', text: reading.lines.slice(start, end).join('\n') }
}

function readQuote(reading: Reading): Block {
  const { lines, depth } = reading
  const start = reading.at
  while (QUOTE.test(lines[reading.at] ?? '')) reading.at += 1
  const quoted = lines.slice(start, reading.at).map((line) => line.replace(QUOTE, ''))
  return { kind: 'quote', blocks: parseBlocks(quoted, depth + 1) }
}

interface Item {
  indent: number
  number: number | undefined
  /** The line without its mark, and where it begins. */
  text: string
  width: number
}

function readList(reading: Reading, first: Item): Block {
  const { lines, depth } = reading
  const items: Block[][] = []
  for (let item: Item | undefined = first; item; item = nextItem(reading, first)) {
    const { text, width } = item
    const inItem = [text]
    reading.at += 1
    for (let end = endOfItemLine(reading, first); end > reading.at; end = endOfItemLine(reading, first)) {
      for (; reading.at < end; reading.at++) {
        inItem.push(unindented(lines[reading.at] ?? '', width))
      }
    }
    items.push(parseBlocks(inItem, depth + 1))
  }
  return { kind: 'list', start: first.number, items }
}

/** The end of the next line of an item, with the blank lines before it. If there is none, the place of reading. */
function endOfItemLine(reading: Reading, { indent }: Item): number {
  const next = afterBlanks(reading)
  const isOfItem = next < reading.lines.length && indentOf(reading.lines[next] ?? '') >= indent + ITEM_INDENT
  return isOfItem ? next + 1 : reading.at
}

function nextItem(reading: Reading, first: Item): Item | undefined {
  const at = afterBlanks(reading)
  const item = itemOf(reading.lines[at] ?? '')
  if (!item || (item.number === undefined) !== (first.number === undefined)) return undefined
  reading.at = at
  return item
}

function afterBlanks({ lines, at }: Reading): number {
  let next = at
  while (next < lines.length && isBlank(lines[next] ?? '')) next += 1
  return next
}

/** Up to a blank line, or a line that begins something else. */
function readParagraph(reading: Reading): Block {
  const { lines } = reading
  const start = reading.at
  do reading.at += 1
  while (reading.at < lines.length && !endsParagraph(lines[reading.at] ?? '', reading.depth))
  const written = lines.slice(start, reading.at).map((line) => line.trimEnd().replace(ESCAPED_START, '$1$2'))
  return { kind: 'paragraph', children: parseInline(written.join('\n')) }
}

function endsParagraph(line: string, depth: number): boolean {
  if (isBlank(line) || EMPTY_LINE.test(line) || FENCE.test(line)) return true
  if (depth >= MAX_DEPTH) return false
  if (QUOTE.test(line)) return true
  const item = itemOf(line)
  // A sentence may break before a number, such as a date.
  return item !== undefined && !isBlank(item.text) && (item.number ?? 1) === 1
}

function isBlank(line: string): boolean {
  return line.trim() === '' && !EMPTY_LINE.test(line)
}

/** Whether a paragraph was left empty. */
export function isEmptyParagraph({ children: [first, ...others] }: { children: Inline[] }): boolean {
  return first?.kind === 'text' && first.text === EMPTY_PARAGRAPH && others.length === 0
}

function itemOf(line: string): Item | undefined {
  const match = ITEM.exec(line)
  if (!match) return undefined
  const [mark, , number] = match
  return {
    indent: indentOf(line),
    number: number === undefined ? undefined : Number(number),
    text: line.slice(mark.length),
    width: widthOf(mark),
  }
}

function indentOf(line: string): number {
  return widthOf(INDENT.exec(line)?.[0] ?? '')
}

function widthOf(text: string): number {
  return text.length + (TAB_WIDTH - 1) * (text.split('\t').length - 1)
}

/** The line without indentation up to a width. */
function unindented(line: string, width: number): string {
  let at = 0
  for (let passed = 0; passed < width && /[ \t]/.test(line[at] ?? ''); at++) {
    passed += line[at] === '\t' ? TAB_WIDTH : 1
  }
  return line.slice(at)
}
