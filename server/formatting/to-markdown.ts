import type { Inline } from './inline.ts'
import { inlineMarkdown } from './inline-markdown.ts'
import { type Block, EMPTY_PARAGRAPH, FENCE, ITEM, isEmptyParagraph, MAX_DEPTH, QUOTE } from './markdown.ts'

// Writes what markdown.ts reads. What the grammar can't say is left out, such as bold inside `2*3`, a list without text, or
// two lists of one kind after each other: nobody is shown marks instead.

const MAX_NUMBER = 999
const LEADING_SPACE = /^\s+/
/** A mark at the start of a line that needs a backslash to be text. */
const LINE_MARK = /^(\s*)(\\*[->]|\*)/
const NUMBER_MARK = /^(\s*\d{1,3})(\\*[.)])/
const ESCAPED = /^\s*(?:\d{1,3}\\+[.)]|\\+[->])/
const TICKS = /^( {0,3})(`+)/

/** Where blocks are written. */
interface Place {
  depth: number
  /** Whether the first line follows the mark of an item. */
  isItem: boolean
}

/** The Markdown of blocks. Read again, they are the same but for what can't be written. */
export function toMarkdown(blocks: Block[]): string {
  return linesOf(blocks, { depth: 0, isItem: false }).join('\n')
}

/** A blank line is between two blocks, unless the second one is a list that can follow a sentence. */
function linesOf(blocks: Block[], place: Place): string[] {
  const lines: string[] = []
  let last: Block['kind'] | undefined
  for (const block of writableBlocks(blocks, place.depth)) {
    const isIndented = (place.isItem && last === undefined) || last === 'list'
    const own = linesOfBlock(block, place, isIndented)
    if (own.length === 0) continue
    const isJoined = last === 'paragraph' && block.kind === 'list' && (block.start ?? 1) === 1
    if (last && !isJoined) lines.push('')
    lines.push(...own)
    last = block.kind
  }
  return lines
}

/** A block, and of a list the lines of its items. */
type Writable =
  | Exclude<Block, { kind: 'list' }>
  | { kind: 'list'; start: number | undefined; items: string[][] }

/** Without what can't be nested deeper, without empty items at the start of a list, and with lists joined that would be read as one. */
function writableBlocks(blocks: Block[], depth: number): Writable[] {
  const writable: Writable[] = []
  for (const block of blocks) {
    if (block.kind === 'paragraph' || block.kind === 'code block') writable.push(block)
    else if (depth >= MAX_DEPTH) writable.push(...writableBlocks(flattened(block), depth))
    else if (block.kind === 'quote') writable.push(block)
    else {
      const lines = block.items.map((item) => linesOf(item, { depth: depth + 1, isItem: true }))
      const empty = lines.findIndex((item) => item.length > 0)
      if (empty < 0) continue
      const items = lines.slice(empty)
      const start = block.start === undefined ? undefined : block.start + empty
      const before = writable.at(-1)
      const isContinued = before?.kind === 'list' && (before.start === undefined) === (start === undefined)
      if (isContinued) before.items.push(...items)
      else writable.push({ kind: 'list', start, items })
    }
  }
  return writable
}

function flattened(block: Extract<Block, { kind: 'quote' | 'list' }>): Block[] {
  return block.kind === 'quote' ? block.blocks : block.items.flat()
}

function linesOfBlock(block: Writable, { depth }: Place, isIndented: boolean): string[] {
  switch (block.kind) {
    case 'paragraph':
      return isEmptyParagraph(block) ? [EMPTY_PARAGRAPH] : linesOfParagraph(block.children, isIndented)
    case 'code block': {
      const runs = block.text.match(/`+/g) ?? []
      const fence = '`'.repeat(runs.reduce((length, run) => Math.max(length, run.length + 1), 3))
      return [fence, ...block.text.split('\n'), fence]
    }
    case 'quote':
      return linesOf(block.blocks, { depth: depth + 1, isItem: false }).map((line) =>
        line === '' ? '>' : `> ${line}`,
      )
    case 'list':
      return block.items.flatMap((item, at) => {
        const number = Math.min((block.start ?? 0) + at, MAX_NUMBER)
        const mark = block.start === undefined ? '-' : `${number}.`
        const indent = ' '.repeat(mark.length + 1)
        const [first, ...rest] = item
        const lines = rest.map((line) => (line === '' ? '' : indent + line))
        return [first === undefined ? mark : `${mark} ${first}`, ...lines]
      })
  }
}

/** After a list or the mark of an item, space at the start would belong to that. */
function linesOfParagraph(children: Inline[], isIndented: boolean): string[] {
  return inlineMarkdown(children).flatMap((written, place) => {
    const lines = (isIndented && place === 0 ? written.replace(LEADING_SPACE, '') : written).split('\n')
    const escaped = lines.map((line, at) => escapedStart(line, at === 0))
    return place === 0 ? escaped : ['', ...escaped]
  })
}

/** A sentence may break before a number, such as a date, unless that is 1. */
function escapedStart(line: string, isFirst: boolean): string {
  if (FENCE.test(line))
    return line.replace(TICKS, (_, space: string, ticks: string) => space + ticks.replaceAll('`', '\\`'))
  const number = ITEM.exec(line)?.[2]
  const isNumber = number !== undefined && (isFirst || Number(number) === 1)
  if (ESCAPED.test(line) || isNumber || QUOTE.test(line) || (ITEM.test(line) && number === undefined)) {
    return line.replace(LINE_MARK, '$1\\$2').replace(NUMBER_MARK, '$1\\$2')
  }
  return line
}
