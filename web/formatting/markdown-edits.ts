// What the toolbar and the keys do to a text, as pure functions: from a text and a selection to one replacement, which the
// browser undoes as one step.

/** A text with what is selected in it. */
export interface Selected {
  text: string
  start: number
  end: number
}

/** Replaces the text from `from` to `to`, and selects from `start` to `end` then. */
export interface Edit {
  from: number
  to: number
  insert: string
  start: number
  end: number
}

type MarkName = 'bold' | 'italic' | 'code'
type LineMark = 'bullets' | 'numbers' | 'quote'

/** What a line begins with: quote marks and indentation, then the mark of an item. */
export const LINE_START = /^((?:[ \t]*>[ \t]?)*[ \t]*)(?:([-*])([ \t]+)|(\d{1,3})([.)])([ \t]+))?/
const ITEM_MARK = /^([ \t]*)(?:[-*]|\d{1,3}[.)])[ \t]+/
const QUOTE_MARK = /^> ?/
const FENCE = /^ {0,3}`{3,}/
const WORD = /[\p{L}\p{N}]/u
const FENCE_LINE = '```'

/** Makes the selection bold, italic or code, or undoes that. Without a selection, the word, or what is typed next. */
export function toggleMark(selected: Selected, name: MarkName): Edit {
  const { text, start, end } = trimmed(selected)
  if (start === end) return toggleAtCursor({ text, start, end }, name)
  if (text.slice(start, end).includes('\n')) {
    return name === 'code'
      ? toggleCodeBlock({ text, start, end })
      : toggleMarkInLines({ text, start, end }, name)
  }
  const mark = markAround({ text, start, end }, name)
  if (mark) {
    const from = start - mark.length
    return replaced(from, end + mark.length, text.slice(start, end), 0, 0)
  }
  const inside = markWithin(text.slice(start, end), name)
  if (inside) {
    return replaced(start, end, text.slice(start + inside.length, end - inside.length), 0, 0)
  }
  const added = markFor({ text, start, end }, name)
  return replaced(start, end, added + text.slice(start, end) + added, added.length, added.length)
}

/** Makes lines a list or a quote, or undoes that. */
export function toggleLines({ text, start, end }: Selected, mark: LineMark): Edit {
  const from = lineStart(text, start)
  const to = lineEnd(text, end > start && text[end - 1] === '\n' ? end - 1 : end)
  const lines = text.slice(from, to).split('\n')
  const isSet = lines.every((line) => hasLineMark(line, mark) || (line.trim() === '' && lines.length > 1))
  let count = 0
  const changed = lines.map((line) => {
    const bare = mark === 'quote' ? line.replace(QUOTE_MARK, '') : line.replace(ITEM_MARK, '$1')
    if (isSet) return bare
    if (mark === 'quote') return `> ${line}`
    if (line.trim() === '' && lines.length > 1) return line
    count += 1
    const [indent = ''] = /^[ \t]*/.exec(bare) ?? []
    return `${indent}${mark === 'bullets' ? '-' : `${count}.`} ${bare.slice(indent.length)}`
  })
  const insert = changed.join('\n')
  if (start !== end) return { from, to, insert, start: from, end: from + insert.length }
  const cursor = Math.max(from, start + insert.length - (to - from))
  return { from, to, insert, start: cursor, end: cursor }
}

/** Without the space around what is selected: a mark has to touch the text. */
function trimmed({ text, start, end }: Selected): Selected {
  const inside = text.slice(start, end)
  if (inside.trim() === '') return { text, start: end, end }
  return {
    text,
    start: start + inside.length - inside.trimStart().length,
    end: end - (inside.length - inside.trimEnd().length),
  }
}

function toggleAtCursor(selected: Selected, name: MarkName): Edit {
  const { text, start } = selected
  const mark = name === 'italic' ? '_' : markFor(selected, name)
  const isBetween = text.slice(0, start).endsWith(mark) && text.slice(start).startsWith(mark)
  if (isBetween) return replaced(start - mark.length, start + mark.length, '', 0, 0)
  // Typing at the end of bold text continues after it.
  const opened = text.slice(lineStart(text, start), start).split(mark).length % 2 === 0
  if (opened && text.slice(start).startsWith(mark)) {
    const after = start + mark.length
    return { from: start, to: start, insert: '', start: after, end: after }
  }
  const word = wordAt(text, start)
  if (word) {
    const edit = toggleMark({ text, ...word }, name)
    const cursor = edit.start + start - word.start
    return { ...edit, start: cursor, end: cursor }
  }
  return replaced(start, start, mark + mark, mark.length, mark.length)
}

/** The word around a place within it. */
function wordAt(text: string, at: number): { start: number; end: number } | undefined {
  if (!isWord(text[at - 1]) || !isWord(text[at])) return undefined
  let [start, end] = [at, at]
  while (isWord(text[start - 1])) start -= 1
  while (isWord(text[end])) end += 1
  return { start, end }
}

function isWord(letter: string | undefined): boolean {
  return letter !== undefined && WORD.test(letter)
}

/** `_` doesn't work within a word, and code with a backtick needs two around it. */
function markFor({ text, start, end }: Selected, name: MarkName): string {
  if (name === 'bold') return '**'
  if (name === 'code') return text.slice(start, end).includes('`') ? '``' : '`'
  return isWord(text[start - 1]) || isWord(text[end]) ? '*' : '_'
}

const MARKS: Record<MarkName, string[]> = { bold: ['**', '__'], italic: ['_', '*'], code: ['``', '`'] }

/** The mark directly around the selection. `*` around text isn't a half of `**`. */
function markAround({ text, start, end }: Selected, name: MarkName): string | undefined {
  return MARKS[name].find((mark) => {
    const isMark = text.startsWith(mark, start - mark.length) && text.startsWith(mark, end)
    const [before, after] = [runLength(text, start - 1, -1), runLength(text, end, 1)]
    return start > 0 && isMark && isOfMark(before, mark, name) && isOfMark(after, mark, name)
  })
}

/** The mark at both ends of what is selected. */
function markWithin(text: string, name: MarkName): string | undefined {
  return MARKS[name].find((mark) => {
    if (text.length <= 2 * mark.length || !text.startsWith(mark) || !text.endsWith(mark)) return false
    const [before, after] = [runLength(text, 0, 1), runLength(text, text.length - 1, -1)]
    return isOfMark(before, mark, name) && isOfMark(after, mark, name)
  })
}

/** Three marks mean bold and italic. */
function isOfMark(count: number, mark: string, name: MarkName): boolean {
  return count === mark.length || (count === 3 && name !== 'code')
}

/** How many times the character at a place repeats. */
function runLength(text: string, at: number, step: 1 | -1): number {
  let length = 0
  while (text[at] !== undefined && text[at + step * length] === text[at]) length += 1
  return length
}

function toggleMarkInLines({ text, start, end }: Selected, name: MarkName): Edit {
  const lines = text.slice(start, end).split('\n')
  const parts = lines.map((line, at) => {
    const isWhole = at > 0 || start === lineStart(text, start)
    const length = isWhole ? (LINE_START.exec(line)?.[0].length ?? 0) : 0
    const content = line.slice(length).trimEnd()
    return { before: line.slice(0, length), content, after: line.slice(length + content.length) }
  })
  const isSet = parts.every(({ content }) => content === '' || markWithin(content, name) !== undefined)
  const insert = parts
    .map(({ before, content, after }) => {
      if (content === '') return before + after
      const mark = markWithin(content, name)
      const bare = mark === undefined ? content : content.slice(mark.length, -mark.length)
      const added = isSet ? '' : (mark ?? markFor({ text: content, start: 0, end: content.length }, name))
      return before + added + bare + added + after
    })
    .join('\n')
  return { from: start, to: end, insert, start, end: start + insert.length }
}

function toggleCodeBlock({ text, start, end }: Selected): Edit {
  const [from, to] = [lineStart(text, start), lineEnd(text, end)]
  const code = text.slice(from, to)
  const lines = code.split('\n')
  const isFenced = FENCE.test(lines[0] ?? '') && FENCE.test(lines.at(-1) ?? '')
  const insert = isFenced ? lines.slice(1, -1).join('\n') : `${FENCE_LINE}\n${code}\n${FENCE_LINE}`
  return { from, to, insert, start: from, end: from + insert.length }
}

function hasLineMark(line: string, mark: LineMark): boolean {
  if (mark === 'quote') return QUOTE_MARK.test(line)
  const sign = ITEM_MARK.exec(line)?.[0].trim()
  return sign !== undefined && /\d/.test(sign) === (mark === 'numbers')
}

/** Whether a place is between two lines of backticks. */
export function isInCodeBlock({ text, start }: Selected): boolean {
  const before = text.slice(0, lineStart(text, start))
  return before.split('\n').filter((line) => FENCE.test(line)).length % 2 === 1
}

/** Selects the inserted text without a number of characters at its ends. */
function replaced(from: number, to: number, insert: string, atStart: number, atEnd: number): Edit {
  return { from, to, insert, start: from + atStart, end: from + insert.length - atEnd }
}

export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
}

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}
