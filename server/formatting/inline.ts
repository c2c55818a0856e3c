import { ADDRESS, hrefOfAddress, MAX_ADDRESS_LENGTH, safeHref, withoutEnd } from './links.ts'
import { shownAddress } from './shown-address.ts'

/** A piece of formatted text within a paragraph. */
export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'strong' | 'emphasis'; children: Inline[] }
  | { kind: 'link'; href: string; children: Inline[] }
  | { kind: 'code'; text: string }
  /** A picture of the message, by the name of its file. `alt` is what is shown instead, as it is written; can be empty. */
  | { kind: 'image'; name: string; alt: string }
  /** A colleague or a team who is told of a note, by the name that it had when it was written. */
  | { kind: 'mention'; of: 'agent' | 'team'; id: string; name: string }
  | { kind: 'break' }

type Mention = Extract<Inline, { kind: 'mention' }>

/** The marks of bold and italic text, and the bracket that begins a link. */
type Mark = '*' | '**' | '_' | '__' | '['

/** Formatting that has begun. Until its end is found, its mark may be text. */
interface Frame {
  mark: Mark | ''
  children: Inline[]
}

interface Reading {
  text: string
  /** Outermost first. The first one is the paragraph. */
  frames: Frame[]
  /** Where the runs of backticks are that were not passed yet, by their length. Found when first needed. */
  backticks: Map<number, number[]> | undefined
}

/** `![](photo.png)`: where a picture of the message stands. A path or an address is no file of the message. */
const IMAGE = String.raw`!\[[^\[\]\n]{0,200}\]\([^()[\]\n/:]{1,250}\.(?:png|jpe?g|gif)\)`
const IMAGE_PARTS = /^!\[(.*)\]\((.*)\)$/
/** `[@Ben Weber](agent:agt_…)` or `[@Billing](team:…)`. */
const MENTION = String.raw`\[@[^\[\]\n]{1,200}\]\((?:agent|team):[a-z0-9_]{1,64}\)`
const MAX_NAME_LENGTH = 200
const MENTION_PARTS = /^\[@(.*)\]\((agent|team):(.*)\)$/
/** Characters that can change how the text looks. Marks within an address are part of it. */
const TOKEN = new RegExp(`\\\\[*_\`[\\]]|${IMAGE}|${MENTION}|\`+|\\*+|_+|[[\\]\\n]|${ADDRESS}`, 'gi')
/** Right after an address, they end formatting. */
const MARKS = '*_'
const DESTINATION = new RegExp(`\\(([^\\s<>[\\]]{1,${MAX_ADDRESS_LENGTH}})`, 'y')
const SPACE = /^\s?$/
const WORD = /[\p{L}\p{N}]/u
const DIGIT = /\d/

/** The mark of a picture. `canBeImage` says which names it can have. */
export function imageMark(name: string): string {
  return `![](${name})`
}

/** Whether the name of a file can stand in the mark of a picture. */
export function canBeImage(name: string): boolean {
  return new RegExp(`^${IMAGE}$`, 'i').test(imageMark(name))
}

/** A mention as it is written. A bracket in a name would end it. */
export function mentionMark({ of, id, name }: Omit<Mention, 'kind'>): string {
  return `[@${name
    .replace(/[[\]\s]+/g, ' ')
    .trim()
    .slice(0, MAX_NAME_LENGTH)}](${of}:${id})`
}

/**
 * Reads bold, italic, links, code and line breaks of a paragraph. Marks without a counterpart stay text. Takes linear
 * time: each mark is open at most once, so that formatting is nested at most five deep and its start is never far.
 */
export function parseInline(text: string): Inline[] {
  const root: Frame = { mark: '', children: [] }
  const reading: Reading = { text, frames: [root], backticks: undefined }
  const tokens = new RegExp(TOKEN)
  let end = 0
  for (let match = tokens.exec(text); match; match = tokens.exec(text)) {
    addText(reading, text.slice(end, match.index))
    end = readToken(reading, match[0], match.index)
    tokens.lastIndex = end
  }
  addText(reading, text.slice(end))
  dissolveAbove(reading, 0)
  return root.children
}

/** Returns where the text continues. */
function readToken(reading: Reading, token: string, start: number): number {
  const end = start + token.length
  switch (token[0]) {
    case '\n':
      add(reading, { kind: 'break' })
      return end
    case '\\':
      addText(reading, token.slice(1))
      return end
    case '!': {
      const [, alt = '', name = ''] = IMAGE_PARTS.exec(token) ?? []
      add(reading, { kind: 'image', name, alt })
      return end
    }
    case '`':
      return readCode(reading, token, end)
    case '[':
      if (token.length === 1) open(reading, '[')
      else {
        const [, name = '', of, id = ''] = MENTION_PARTS.exec(token) ?? []
        add(reading, { kind: 'mention', of: of === 'team' ? 'team' : 'agent', id, name })
      }
      return end
    case ']':
      return readLinkEnd(reading, end)
    case '*':
    case '_':
      readMarks(reading, token, start)
      return end
    default:
      return readAddress(reading, token, start)
  }
}

/** Code ends at a run of as many backticks. Without one, the backticks are text. */
function readCode(reading: Reading, ticks: string, start: number): number {
  const end = nextBackticks(reading, ticks.length, start)
  if (end === undefined) {
    addText(reading, ticks)
    return start
  }
  const code = reading.text.slice(start, end).replaceAll('\n', ' ')
  const isPadded = code.startsWith(' ') && code.endsWith(' ') && code.trim() !== ''
  add(reading, { kind: 'code', text: isPadded ? code.slice(1, -1) : code })
  return end + ticks.length
}

/** The text is read forward, so each run is passed once. */
function nextBackticks(reading: Reading, length: number, from: number): number | undefined {
  reading.backticks ??= backticksOf(reading.text)
  const places = reading.backticks.get(length) ?? []
  while ((places.at(-1) ?? from) < from) places.pop()
  return places.at(-1)
}

/** The places of the runs of each length, the last ones first. */
function backticksOf(text: string): Map<number, number[]> {
  const places = new Map<number, number[]>()
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    const known = places.get(run.length)
    if (known) known.push(index)
    else places.set(run.length, [index])
  }
  for (const found of places.values()) found.reverse()
  return places
}

/** A plain address is a link. In the text of a link, it ends with that text. */
function readAddress(reading: Reading, token: string, start: number): number {
  const isInLink = reading.frames.some(({ mark }) => mark === '[')
  const inText = isInLink ? (token.split(']', 1)[0] ?? token) : token
  const address = withoutEnd(inText, MARKS)
  const href = hrefOfAddress(address)
  if (href) add(reading, { kind: 'link', href, children: [{ kind: 'text', text: shownAddress(address) }] })
  else addText(reading, address)
  return start + address.length
}

/** `]` ends a link if an address in parentheses follows. */
function readLinkEnd(reading: Reading, end: number): number {
  const at = frameOf(reading, '[')
  if (at < 0) {
    addText(reading, ']')
    return end
  }
  const destination = destinationAt(reading.text, end)
  const href = destination && safeHref(destination)
  dissolveAbove(reading, at)
  const frame = reading.frames[at]
  if (!href || !frame || frame.children.length === 0) {
    dissolveAbove(reading, at - 1)
    addText(reading, ']')
    return end
  }
  reading.frames.pop()
  add(reading, { kind: 'link', href, children: frame.children.flatMap(withoutLinks) })
  return end + destination.length + 2
}

/** `(https://example.com/a_(b))`, without its parentheses. Those in the address are paired. */
function destinationAt(text: string, start: number): string | undefined {
  DESTINATION.lastIndex = start
  const written = DESTINATION.exec(text)?.[1] ?? ''
  let depth = 1
  for (let at = 0; at < written.length; at++) {
    if (written[at] === '(') depth += 1
    else if (written[at] === ')') depth -= 1
    if (depth === 0) return written.slice(0, at)
  }
  return undefined
}

function withoutLinks(inline: Inline): Inline[] {
  if (inline.kind === 'link') return inline.children
  if (inline.kind !== 'strong' && inline.kind !== 'emphasis') return [inline]
  return [{ ...inline, children: inline.children.flatMap(withoutLinks) }]
}

/** One mark is italic, two are bold, three are both. More are text, such as a line to fill in. */
function readMarks(reading: Reading, run: string, start: number): void {
  const sign = run.startsWith('*') ? '*' : '_'
  const { canOpen, canClose } = roleOf(reading.text, sign, start, start + run.length)
  const double = sign === '*' ? '**' : '__'
  const meanings: Mark[][] = [[], [sign], [double], [double, sign]]
  const marks = meanings[run.length] ?? []
  const innerFirst = marks.toSorted((one, other) => frameOf(reading, other) - frameOf(reading, one))
  const closed = canClose ? innerFirst.filter((mark) => close(reading, mark)) : []
  const left = run.slice(closed.join('').length)
  if (left === '') return
  if (closed.length > 0 || marks.length === 0 || !canOpen) addText(reading, left)
  else for (const mark of marks) open(reading, mark)
}

/**
 * Formatting begins before a visible character and ends after one. Within a word, `_` is part of it (`file_name`), and
 * between digits `*` is a multiplication.
 */
function roleOf(text: string, sign: '*' | '_', start: number, end: number) {
  const before = text[start - 1] ?? ''
  const after = text[end] ?? ''
  const isText = sign === '*' && DIGIT.test(before) && DIGIT.test(after)
  return {
    canOpen: !SPACE.test(after) && !isText && !(sign === '_' && WORD.test(before)),
    canClose: !SPACE.test(before) && !isText && !(sign === '_' && WORD.test(after)),
  }
}

/** The same mark, if it is open already, turned out to be text. */
function open(reading: Reading, mark: Mark): void {
  const at = frameOf(reading, mark)
  if (at > 0) dissolve(reading, at)
  reading.frames.push({ mark, children: [] })
}

/** Returns false if the mark isn't open. Marks that were opened within it and not closed are text. */
function close(reading: Reading, mark: Mark): boolean {
  const at = frameOf(reading, mark)
  if (at < 0) return false
  dissolveAbove(reading, at)
  const children = reading.frames.pop()?.children ?? []
  add(reading, { kind: mark.length === 2 ? 'strong' : 'emphasis', children })
  return true
}

function frameOf(reading: Reading, mark: Mark): number {
  return reading.frames.findIndex((frame) => frame.mark === mark)
}

function dissolveAbove(reading: Reading, at: number): void {
  while (reading.frames.length > at + 1) dissolve(reading, reading.frames.length - 1)
}

/** Makes the mark of a frame text, and what follows it a part of the frame around it. */
function dissolve({ frames }: Reading, at: number): void {
  const [frame] = frames.splice(at, 1)
  const around = frames[at - 1]
  if (!frame || !around) return
  appendText(around, frame.mark)
  for (const child of frame.children) {
    if (child.kind === 'text') appendText(around, child.text)
    else around.children.push(child)
  }
}

function add({ frames }: Reading, inline: Inline): void {
  frames.at(-1)?.children.push(inline)
}

function addText({ frames }: Reading, text: string): void {
  const frame = frames.at(-1)
  if (frame) appendText(frame, text)
}

function appendText({ children }: Frame, text: string): void {
  if (text === '') return
  const last = children.at(-1)
  if (last?.kind === 'text') last.text += text
  else children.push({ kind: 'text', text })
}
