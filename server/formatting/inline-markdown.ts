import { canBeImage, type Inline, mentionMark, parseInline } from './inline.ts'
import { ADDRESS, hrefOfAddress, MAX_ADDRESS_LENGTH, safeHref, withoutEnd } from './links.ts'

/** A character of a paragraph, or what is written as one: code, a picture, a mention, a line break. */
interface Cell {
  kind: 'text' | 'code' | 'fixed' | 'break'
  /** Of a picture and a mention, their Markdown. */
  text: string
  strong: boolean
  emphasis: boolean
  href: string | undefined
  /** Of a character of an address, which is a link without marks. */
  address: 'web' | 'mail' | undefined
}
type Style = Pick<Cell, 'strong' | 'emphasis' | 'href'>

const PLAIN: Style = { strong: false, emphasis: false, href: undefined }
const SPACE = /^\s*$/
const WORD = /[\p{L}\p{N}]/u
const DIGIT = /\d/
const FENCE = /^ {0,3}`{3}/m
const LINE_END = /\r\n?|\n/
const BLANK_LINES = /^\n+|\n{2,}|\n+$/
const MARKED = /[*_`[\]]/
const WEB = /^https?:\/\//i
/** A `_` at the start is read as a mark. */
const ADDRESSES = new RegExp(`(?!_)(?:${ADDRESS})`, 'gi')
/** The signs of bold and italic, the usual one first. */
const SIGNS = { strong: ['**', '__'], emphasis: ['_', '*'] }
const OTHER_SIGNS: typeof SIGNS = { strong: ['**', '__'], emphasis: ['*', '_'] }
/** The longest run of a sign that is a mark. */
const MAX_RUN = 3
/** Ways to write the start of a paragraph that are followed further. */
const MAX_WAYS = 24

/** The Markdown of the paragraphs in a piece of text: a blank line begins the next one. */
export function inlineMarkdown(inlines: Inline[]): string[] {
  const plain = plainTextOf(inlines)
  if (plain !== undefined) return plain.split(BLANK_LINES).filter((text) => text !== '')
  const paragraphs: Cell[][] = [[]]
  for (const line of linesOf(settled(cellsOf(inlines)))) {
    const paragraph = paragraphs.at(-1) ?? []
    if (line.every(isSpace)) paragraphs.push([])
    else paragraph.push(...(paragraph.length === 0 ? line.filter(({ kind }) => kind !== 'break') : line))
  }
  return paragraphs.filter((cells) => cells.length > 0).map(paragraphMarkdown)
}

/** The text without space at the ends of its lines, if nothing of it looks like a mark. */
function plainTextOf(inlines: Inline[]): string | undefined {
  const texts = inlines.map((inline) => {
    if (inline.kind === 'break') return '\n'
    return inline.kind === 'text' && !MARKED.test(inline.text) ? inline.text : undefined
  })
  if (texts.includes(undefined)) return undefined
  return texts
    .join('')
    .split(LINE_END)
    .map((line) => line.trimEnd())
    .join('\n')
}

/** Each but the first begins with its break. */
function linesOf(cells: Cell[]): Cell[][] {
  return spansOf(cells, (_, other) => other.kind !== 'break').map(({ from, to }) => cells.slice(from, to))
}

/**
 * Each way to write a paragraph is read again before it is taken; what none of them can say loses its bold and italic, then
 * its links. Backticks that can have no backslash then are kept apart from the address before them.
 */
function paragraphMarkdown(given: Cell[]): string {
  const cells = settled(given)
  const ways = [
    () => written(cells, { isEscaped: false, signs: SIGNS }),
    () => written(cells, { isEscaped: true, signs: SIGNS }),
    () => written(cells, { isEscaped: true, signs: OTHER_SIGNS }),
    () => written(unstyled(cells, { strong: false, emphasis: false }), { isEscaped: true, signs: SIGNS }),
  ]
  // Where a line would begin code, its backticks have a backslash in any case.
  for (const way of FENCE.test(textOf(cells)) ? ways.slice(1) : ways) {
    const { markdown, said } = way()
    if (isSame(settled(cellsOf(parseInline(markdown))), said)) return markdown
  }
  const apart = cells.flatMap((cell, at) =>
    cell.text === '`' && cells[at - 1]?.address === 'web' ? [{ ...cell, text: ' ' }, cell] : [cell],
  )
  return written(unstyled(apart, PLAIN), { isEscaped: true, signs: SIGNS }).markdown
}

function unstyled(cells: Cell[], style: Partial<Style>): Cell[] {
  return settled(cells.map((cell) => ({ ...cell, ...style })))
}

function cellsOf(inlines: Inline[], style: Style = PLAIN): Cell[] {
  return inlines.flatMap((inline) => cellsOfOne(inline, style))
}

function cellsOfOne(inline: Inline, style: Style): Cell[] {
  const { strong, emphasis, href } = style
  const cell = (kind: Cell['kind'], text: string): Cell => ({
    kind,
    text,
    strong,
    emphasis,
    href,
    address: undefined,
  })
  const letters = (text: string) => text.split('').map((one) => cell(one === '\n' ? 'break' : 'text', one))
  switch (inline.kind) {
    case 'text':
      return letters(inline.text.replace(/\r\n?/g, '\n'))
    case 'break':
      return [cell('break', '\n')]
    case 'code':
      return inline.text === '' ? [] : [cell('code', inline.text.replace(/[\r\n]/g, ' '))]
    case 'image': {
      const mark = `![${inline.alt}](${inline.name})`
      const isMark = canBeImage(inline.name) && /^[^[\]\n]{0,200}$/.test(inline.alt)
      return isMark ? [cell('fixed', mark)] : letters(inline.alt)
    }
    case 'mention':
      return [cell('fixed', mentionMark(inline))]
    case 'strong':
      return cellsOf(inline.children, { ...style, strong: true })
    case 'emphasis':
      return cellsOf(inline.children, { ...style, emphasis: true })
    case 'link':
      return cellsOf(inline.children, { ...style, href: style.href ?? safeHref(inline.href) })
  }
}

/** The address of a link as it can be written. Undefined for one that no link may have. */
function destinationOf(address: string): string | undefined {
  const isPaired = withoutPairs(address) === address.replace(/[()]/g, '')
  const encoded = address.replace(/[\s<>[\]]/g, (sign) => encodeURIComponent(sign))
  const href = safeHref(isPaired ? encoded : encoded.replaceAll('(', '%28').replaceAll(')', '%29'))
  const isWritable = href && href.length <= MAX_ADDRESS_LENGTH && !/[\s<>[\]]/.test(href)
  // An address in brackets, of IPv6, can stand in a text only.
  return isWritable ? href : safeHref(address) && hrefOfAddress(address) === address ? address : undefined
}

function withoutPairs(text: string): string {
  let left = text
  for (let next = left; ; left = next) {
    next = left.replace(/\(([^()]*)\)/g, '$1')
    if (next === left) return left
  }
}

/** The cells in the one form that both sides of a comparison have: space has the style of both its sides, or none. */
function settled(given: Cell[]): Cell[] {
  const cells = withJoinedCode(withoutLineEnds(withoutEmptyLinks(given)))
  const separate = withEndedAddresses(cells, settleAddresses(cells))
  settleSpace(separate)
  return separate
}

function withoutEmptyLinks(cells: Cell[]): Cell[] {
  return spansOf(cells, (one, other) => one.href === other.href).flatMap(({ from, to }) => {
    const part = cells.slice(from, to)
    const isEmpty = part.every(isSpace)
    return part.map((cell) => styled(cell, isEmpty ? { ...cell, href: undefined } : cell))
  })
}

/** A copy of a cell in a style. */
function styled({ kind, text }: Cell, { strong, emphasis, href }: Style): Cell {
  return { kind, text, strong, emphasis, href, address: undefined }
}

/** Code after a backslash can't be written, and two pieces of code side by side are one. */
function withJoinedCode(cells: Cell[]): Cell[] {
  const joined: Cell[] = []
  for (const cell of cells) {
    const last = joined.at(-1)
    if (cell.kind !== 'code') joined.push(cell)
    else if (last?.kind === 'code' && isSameStyle(last, cell))
      joined.splice(-1, 1, { ...last, text: last.text + cell.text })
    else if (last?.kind === 'text' && last.text === '\\') {
      joined.push(...cell.text.split('').map((text): Cell => ({ ...cell, kind: 'text', text })))
    } else joined.push(cell)
  }
  return joined
}

/** Space at the end of a line is not read. */
function withoutLineEnds(cells: Cell[]): Cell[] {
  const kept: Cell[] = []
  const trim = () => {
    for (
      let last = kept.at(-1);
      last?.kind === 'text' && SPACE.test(last.text) && !last.href;
      last = kept.at(-1)
    )
      kept.pop()
  }
  for (const cell of cells) {
    if (cell.kind === 'break') trim()
    kept.push(cell)
  }
  trim()
  return kept
}

function settleSpace(cells: Cell[]): void {
  for (const style of ['strong', 'emphasis'] as const) {
    let from = 0
    let before = false
    for (let at = 0; at <= cells.length; at++) {
      const cell = cells[at]
      if (cell && isSpace(cell)) continue
      const after = cell?.[style] ?? false
      if (from < at) for (const space of cells.slice(from, at)) space[style] = before && after
      before = after
      from = at + 1
    }
  }
}

function isSpace({ kind, text }: Cell): boolean {
  return kind === 'break' || (kind === 'text' && SPACE.test(text))
}

/** A part of the cells. `to` is exclusive. */
interface Span {
  from: number
  to: number
}

/**
 * Finds the addresses in the text. A link that is nothing but its own address becomes text, because that is read as this
 * link again. Within an address, the style doesn't change.
 */
function settleAddresses(cells: Cell[]): Address[] {
  let own = ownLinks(cells)
  let texts: Span[] = []
  let addresses: Address[] = []
  // Followed by a letter, such a link is written with brackets, and the text around it is read anew.
  for (let isStable = false; !isStable; ) {
    texts = textsOf(cells, own)
    addresses = texts.flatMap((text) => addressesIn(cells, text))
    const kept = own.filter(({ from, to }) => addresses.some((one) => one.from === from && one.to === to))
    isStable = kept.length === own.length
    own = kept
  }
  for (const { from, to } of own) for (const cell of cells.slice(from, to)) cell.href = undefined
  for (const cell of cells) cell.href = cell.href && destinationOf(cell.href)
  for (const { from, to, end } of addresses) {
    const address = cells.slice(from, to)
    const [strong, emphasis] = [address.every((cell) => cell.strong), address.every((cell) => cell.emphasis)]
    for (const cell of address) Object.assign(cell, { strong, emphasis })
    for (const cell of cells.slice(from, end)) cell.address = WEB.test(textOf(address)) ? 'web' : 'mail'
  }
  return addresses
}

/** A web address would take along the brackets of a link, a picture or a mention right after it: a space keeps them apart. */
function withEndedAddresses(cells: Cell[], addresses: Address[]): Cell[] {
  const ends = new Set(addresses.filter(({ from }) => cells[from]?.address === 'web').map(({ end }) => end))
  return cells.flatMap((cell, at): Cell[] => {
    const before = cells[at - 1]
    const isTaken =
      ends.has(at) && before?.href === undefined && (cell.kind === 'fixed' || cell.href !== undefined)
    return isTaken ? [{ ...cell, ...PLAIN, kind: 'text', text: ' ', address: undefined }, cell] : [cell]
  })
}

/** The links that are their own address. */
function ownLinks(cells: Cell[]): Span[] {
  return spansOf(
    cells,
    (one, other) => one.kind === 'text' && other.kind === 'text' && one.href === other.href,
  ).filter(({ from, to }) => {
    const { href } = cells[from] ?? {}
    return href !== undefined && hrefOfAddress(textOf(cells.slice(from, to))) === href
  })
}

/** The parts in which an address can be. */
function textsOf(cells: Cell[], own: Span[]): Span[] {
  const plain = new Set(own.flatMap(({ from, to }) => cells.slice(from, to)))
  const hrefOf = (cell: Cell) => (plain.has(cell) ? undefined : cell.href)
  return spansOf(
    cells,
    (one, other) => one.kind === 'text' && other.kind === 'text' && hrefOf(one) === hrefOf(other),
  ).filter(({ from }) => cells[from]?.kind === 'text')
}

function spansOf(cells: Cell[], isSame: (one: Cell, other: Cell) => boolean): Span[] {
  const spans: Span[] = []
  let from = 0
  for (let at = 1; at <= cells.length; at++) {
    const [one, other] = [cells[at - 1], cells[at]]
    if (one && other && isSame(one, other)) continue
    spans.push({ from, to: at })
    from = at
  }
  return cells.length === 0 ? [] : spans
}

/** `end` is where the reader stops to look for more of it, after punctuation. */
interface Address extends Span {
  end: number
}

function addressesIn(cells: Cell[], { from, to }: Span): Address[] {
  return [...textOf(cells.slice(from, to)).matchAll(ADDRESSES)].map(({ 0: found, index }) => {
    const address = withoutEnd(found, '*_')
    const start = from + index
    return { from: start, to: start + address.length, end: start + found.length }
  })
}

function textOf(cells: Cell[]): string {
  return cells.reduce((all, { text }) => all + text, '')
}

function isSameStyle(one: Style, other: Style): boolean {
  return one.strong === other.strong && one.emphasis === other.emphasis && one.href === other.href
}

function isSame(cells: Cell[], others: Cell[]): boolean {
  return (
    cells.length === others.length &&
    cells.every((cell, at) => {
      const other = others[at]
      return other && cell.kind === other.kind && cell.text === other.text && isSameStyle(cell, other)
    })
  )
}

/** A mark that is open, with how it was written: `**`, `_`, `[`. */
interface Open {
  style: 'strong' | 'emphasis' | 'href'
  sign: string
  href?: string
}

/** One way to write the cells up to a place: its last part, and what comes before. */
interface Way {
  before: Way | undefined
  markdown: string
  /** What is written last, as far as it decides what can follow. */
  end: string
  open: Open[]
  /** The lowest one is taken: what it leaves out counts most, then what it writes otherwise than agents do. */
  cost: number
  /** The part, which is read in this style. */
  cells: Cell[]
  style: Style
}

const COST = { leftOut: 1_000, opened: 10, unusual: 1 }

interface Manner {
  /** Whether signs in the text have a backslash wherever they could be marks. */
  isEscaped: boolean
  signs: typeof SIGNS
}

/**
 * The best way to write the cells. Wherever the style changes, it is decided in which order marks end and begin, and with
 * which signs.
 */
function written(cells: Cell[], { isEscaped, signs }: Manner): { markdown: string; said: Cell[] } {
  const ticks = tickRuns(textOf(cells.filter(({ kind }) => kind !== 'code')))
  let ways: Way[] = [{ before: undefined, markdown: '', end: '', open: [], cost: 0, cells: [], style: PLAIN }]
  for (const part of partsOf(cells)) {
    ways = bestOf(ways, part, rawOf(part, isEscaped, ticks), signs)
  }
  const [best] = bestOf(ways, [], '', signs)
  const parts: Way[] = []
  for (let way = best; way; way = way.before) parts.unshift(way)
  return {
    markdown: parts.map(({ markdown }) => markdown).join(''),
    said: settled(parts.flatMap(({ cells, style }) => cells.map((cell) => styled(cell, style)))),
  }
}

/** The pieces of one style. Space at their ends is a piece too: a mark that has to end early ends before it. */
function partsOf(cells: Cell[]): Cell[][] {
  return spansOf(cells, isSameStyle).flatMap(({ from, to }) => {
    const piece = cells.slice(from, to)
    const start = piece.findIndex((cell) => !isSpace(cell))
    const end = piece.findLastIndex((cell) => !isSpace(cell)) + 1
    return [
      piece.slice(0, Math.max(0, start)),
      piece.slice(Math.max(0, start), end),
      piece.slice(end),
    ].filter((part) => part.length > 0)
  })
}

function bestOf(ways: Way[], part: Cell[], raw: string, signs: typeof SIGNS): Way[] {
  const next = new Map<string, Way>()
  for (const way of ways) {
    for (const open of nestings(part[0] ?? PLAIN, way.open, signs)) {
      const key = open.map(({ style, sign }) => style + sign).join()
      const continued = continueWay(way, open, part, raw, signs)
      if (continued && continued.cost < (next.get(key)?.cost ?? Number.POSITIVE_INFINITY))
        next.set(key, continued)
    }
  }
  return [...next.values()].sort((one, other) => one.cost - other.cost).slice(0, MAX_WAYS)
}

/** The marks that can be open for a style, outer ones first: all of it, or less. Those that are open already stay as they are written. */
function nestings(style: Style, open: Open[], signs: typeof SIGNS): Open[][] {
  const marks: Open[][] = []
  if (style.strong) marks.push(signs.strong.map((sign) => ({ style: 'strong', sign })))
  if (style.emphasis) marks.push(signs.emphasis.map((sign) => ({ style: 'emphasis', sign })))
  if (style.href !== undefined) marks.push([{ style: 'href', sign: '[', href: style.href }])
  const found: Open[][] = [[]]
  const add = (before: Open[], left: Open[][]) => {
    for (const choices of left) {
      for (const choice of choices) {
        const nesting = [...before, open.find((one) => isSameMark(one, choice)) ?? choice]
        found.push(nesting)
        add(
          nesting,
          left.filter((other) => other !== choices),
        )
      }
    }
  }
  add([], marks)
  return found
}

function isSameMark(one: Open, other: Open): boolean {
  return one.sign === other.sign && one.href === other.href
}

/** Ends and begins marks, then writes some cells. Returns undefined if that would be read otherwise. */
function continueWay(
  way: Way,
  open: Open[],
  cells: Cell[],
  raw: string,
  signs: typeof SIGNS,
): Way | undefined {
  let kept = 0
  while (kept < open.length && kept < way.open.length && open[kept] === way.open[kept]) kept += 1
  const ended = way.open.slice(kept).reverse()
  const begun = open.slice(kept)
  // A word character before an address would be a part of it, or hide it.
  if (cells[0]?.address && begun.at(-1)?.sign.startsWith('_')) return undefined
  if (!canChange(way.end, ended, begun, raw)) return undefined
  const change = ended.map(endOf).join('') + begun.map(({ sign }) => sign).join('')
  const style = {
    strong: has(open, 'strong'),
    emphasis: has(open, 'emphasis'),
    href: open.find(({ href }) => href)?.href,
  }
  const first = cells[0] ?? PLAIN
  const isLess = (first.strong && !style.strong) || (first.emphasis && !style.emphasis)
  const letters = isLess ? cells.filter((cell) => !isSpace(cell)).length : 0
  const leftOut =
    (first.strong && !style.strong ? letters : 0) +
    (first.emphasis && !style.emphasis ? letters : 0) +
    (first.href === style.href ? 0 : cells.length)
  const unusual = begun.filter(({ style, sign }) => style !== 'href' && signs[style].indexOf(sign) > 0).length
  return {
    before: way,
    markdown: change + raw,
    end: (way.end + change + raw).slice(-2),
    open,
    cost: way.cost + leftOut * COST.leftOut + begun.length * COST.opened + unusual * COST.unusual,
    cells,
    style,
  }
}

function has(open: Open[], style: Open['style']): boolean {
  return open.some((one) => one.style === style)
}

function endOf({ sign, href }: Open): string {
  return href === undefined ? sign : `](${href})`
}

/** A mark in the text of a change: what of it ends and begins there. */
interface Run {
  sign: string
  ends: number
  begins: number
}

/** Whether the reader takes the marks as they are meant (see `readMarks` in inline.ts). */
function canChange(before: string, ended: Open[], begun: Open[], raw: string): boolean {
  if (ended.length + begun.length === 0) return true
  if (before.endsWith('\\') && !before.endsWith('\\\\')) return false
  let text = ''
  const runs: (Run & { from: number })[] = []
  const write = (piece: string, isEnd: boolean) => {
    const last = runs.at(-1)
    const isMark = piece[0] === '*' || piece[0] === '_'
    if (isMark) {
      const joined = last && last.from + last.ends + last.begins === text.length && last.sign === piece[0]
      const run = joined ? last : { sign: piece[0] ?? '', ends: 0, begins: 0, from: text.length }
      if (!joined) runs.push(run)
      if (isEnd) run.ends += piece.length
      else run.begins += piece.length
    }
    text += piece
  }
  for (const one of ended) write(endOf(one), true)
  for (const { sign } of begun) write(sign, false)
  return runs.every(({ sign, ends, begins, from }) => {
    if (ends + begins > MAX_RUN || (ends > 0 && begins > 0)) return false
    const previous = text[from - 1] ?? before.at(-1) ?? ''
    const following = text[from + ends + begins] ?? raw[0] ?? ''
    if (sign === '*' && DIGIT.test(previous) && DIGIT.test(following)) return false
    const [inside, outside] = ends > 0 ? [previous, following] : [following, previous]
    return !SPACE.test(inside) && !(sign === '_' && WORD.test(outside))
  })
}

/** The text of cells of one style. Escaped, a sign is text wherever it stands; without, it may be a mark. */
function rawOf(cells: Cell[], isEscaped: boolean, ticks: Set<number>): string {
  return cells
    .map((cell, at) => {
      if (cell.kind === 'code') return codeMarkdown(cell.text, ticks)
      return isEscaped && cell.kind === 'text' && needsEscape(cells, at) ? `\\${cell.text}` : cell.text
    })
    .join('')
}

function needsEscape(cells: Cell[], at: number): boolean {
  const { text = '', address } = cells[at] ?? {}
  if (!MARKED.test(text) || address) return false
  const [before, after] = [letterOf(cells[at - 1]), letterOf(cells[at + 1])]
  if (text === '[' || text === ']') return true
  if (text === '`') return !followsAddress(cells, at)
  if (before === undefined || after === undefined) return true
  if (text === '_') return !(WORD.test(before) && WORD.test(after))
  return !(SPACE.test(before) && SPACE.test(after)) && !(DIGIT.test(before) && DIGIT.test(after))
}

/** A backslash after an address would be a part of it. */
function followsAddress(cells: Cell[], at: number): boolean {
  let before = at - 1
  while (cells[before]?.text === '`') before -= 1
  return cells[before]?.address === 'web'
}

function letterOf(cell: Cell | undefined): string | undefined {
  return cell && (cell.kind === 'text' || cell.kind === 'break') ? cell.text : undefined
}

/** Between as many backticks as are nowhere side by side in it or in the text around it. */
function codeMarkdown(code: string, others: Set<number>): string {
  const runs = tickRuns(code)
  let length = 1
  while (runs.has(length) || others.has(length)) length += 1
  const ticks = '`'.repeat(length)
  const isPadded = /^`|`$/.test(code) || (/^ .* $/s.test(code) && code.trim() !== '')
  return isPadded ? `${ticks} ${code} ${ticks}` : ticks + code + ticks
}

/** How many backticks are side by side. */
function tickRuns(text: string): Set<number> {
  return new Set((text.match(/`+/g) ?? []).map((run) => run.length))
}
