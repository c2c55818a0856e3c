import { expect } from 'bun:test'
import type { Inline } from '../../server/formatting/inline.ts'
import { hrefOfAddress } from '../../server/formatting/links.ts'
import { type Block, parseMarkdown } from '../../server/formatting/markdown.ts'
import { toMarkdown } from '../../server/formatting/to-markdown.ts'
import { type Random, seeded } from './random.ts'

// Documents as an editor has them, and what of them is seen: for tests of the Markdown that is written for them.

/** Checks that so many documents are read back as they were written. */
export function checkDocuments(howMany: number, seed: number): void {
  const random = seeded(seed)
  for (let number = 0; number < howMany; number++) {
    const blocks = createDocument(random)
    const markdown = toMarkdown(blocks)
    const [read, written] = [seenOf(parseMarkdown(markdown)), seenOf(blocks)]
    if (!Bun.deepEquals(read, written)) expect([markdown, read]).toEqual([markdown, written])
  }
}

/** Checks that so many texts of marks in any order lose no letter. Returns the share that also keeps every style. */
export function checkHostileTexts(howMany: number, seed: number): number {
  const random = seeded(seed)
  let kept = 0
  for (let number = 0; number < howMany; number++) {
    const text = createHostileText(random)
    const blocks = parseMarkdown(text)
    const [read, written] = [seenOf(parseMarkdown(toMarkdown(blocks))), seenOf(blocks)]
    if (Bun.deepEquals(read, written)) kept += 1
    else expect([text, lettersOf(read)]).toEqual([text, lettersOf(written)])
  }
  return kept / howMany
}

function pick<Value>(random: Random, values: readonly Value[]): Value {
  return values[random(values.length)] as Value
}

function several<Value>(random: Random, most: number, make: () => Value): Value[] {
  return Array.from({ length: 1 + random(most) }, make)
}

/** Texts that look like marks, but that someone means as they are. */
const WORDS = [
  ...[
    'Hello',
    'your',
    'invoice',
    '2*3',
    '4 * 5',
    'file_name',
    '_',
    '*',
    '**',
    '#1',
    '[x]',
    '[',
    '](',
    '\\',
    '\\*',
  ],
  ...[
    '1.',
    '2)',
    '- ',
    '>',
    '-',
    '`',
    '``',
    'é',
    '👋',
    '日本語',
    '1',
    'a_b_c',
    '____',
    '!',
    'C:\\_tmp',
    '...',
  ],
  ...[
    'https://a.test/a_b*c',
    'ana@example.com',
    '<b>',
    '&amp;',
    '[@Ben](agent:x)',
    '![](a.png)',
    '{{customer.name}}',
  ],
]

/** A document as an agent would format it: words and sentences, lists, quotes and code in each other. */
function createDocument(random: Random, depth = 0): Block[] {
  return several(random, depth === 0 ? 3 : 2, () => createBlock(random, depth))
}

function createBlock(random: Random, depth: number): Block {
  const kind = random(depth < 3 ? 8 : 5)
  if (kind === 5) return { kind: 'quote', blocks: createDocument(random, depth + 1) }
  if (kind > 5) {
    const start = kind === 6 ? undefined : pick(random, [1, 1, 2, 14])
    return { kind: 'list', start, items: several(random, 3, () => createDocument(random, depth + 1)) }
  }
  if (kind === 4) return { kind: 'code block', text: several(random, 3, () => pick(random, CODE)).join('\n') }
  return { kind: 'paragraph', children: createInlines(random) }
}

const CODE = ['let a = 1', '', '  indented', '\ttab', '```', '> no quote', '- no item', '`', '**', '````']

function createInlines(random: Random): Inline[] {
  return several(random, 5, () => createWords(random)).flat()
}

function createWords(random: Random): Inline[] {
  const words = several(random, 3, () => pick(random, WORDS)).join(' ')
  const text: Inline = { kind: 'text', text: words }
  const space: Inline = { kind: 'text', text: ' ' }
  const name = pick(random, ['Ben Weber', 'Ana [HR]', 'Zoë'])
  const style = pick(random, STYLES)
  switch (random(10)) {
    case 0:
      return [{ kind: 'break' }, text, space]
    case 1:
      return [{ kind: 'code', text: pick(random, ['x', '`', ' a ', 'a`b', '**', 'a\\']) }, space]
    case 2:
      return [{ kind: 'mention', of: 'agent', id: 'agt_1', name: name.replace(/[[\]]/g, '') }, space]
    case 3:
      return [{ kind: 'image', name: 'photo.png', alt: '' }, space]
    case 4:
    case 5:
    case 6: {
      // The words of a style that an agent selects begin and end with a letter.
      const inner = pick(random, ['bold', 'two words', 'a_b', '2*3 x', 'über'])
      return [style([{ kind: 'text', text: inner }]), space]
    }
    default:
      return [text, space]
  }
}

const STYLES: ((children: Inline[]) => Inline)[] = [
  (children) => ({ kind: 'strong', children }),
  (children) => ({ kind: 'emphasis', children }),
  (children) => ({ kind: 'link', href: 'https://a.test/x_(1)', children }),
  (children) => ({ kind: 'strong', children: [{ kind: 'emphasis', children }] }),
  (children) => ({ kind: 'emphasis', children: [{ kind: 'link', href: 'mailto:ana@b.test', children }] }),
  (children) => ({ kind: 'strong', children: [...children, { kind: 'emphasis', children }] }),
]

const PIECES = [
  ...[
    'a',
    'b c',
    ' ',
    '  ',
    '\n',
    '\n\n',
    '*',
    '**',
    '_',
    '__',
    '***',
    '`',
    '``',
    '```\n',
    '[',
    ']',
    '(',
    ')',
    '9',
  ],
  ...[
    '](https://b.test)',
    '[x](https://c.test/d)',
    '> ',
    '- ',
    '1. ',
    '2) ',
    '  - ',
    '   ',
    '👋',
    '\\',
    '.',
    '!',
  ],
  ...[
    'https://a.example/_b',
    'ana@x.test',
    '![](p.png)',
    '[@Ben](agent:agt_1)',
    'é',
    '\t',
    '-',
    '>',
    '**bold** ',
    '_it_',
  ],
  ...['word', '"', '\\>'],
]

/** A text of marks in any order. */
function createHostileText(random: Random): string {
  return several(random, 14, () => pick(random, PIECES)).join('')
}

/** A piece of a paragraph with all that is seen of it. */
interface Seen {
  kind: 'text' | 'code' | 'image' | 'mention'
  text: string
  strong: boolean
  emphasis: boolean
  href: string | undefined
}
type SeenBlock =
  | Seen[]
  | { quote: SeenBlock[] }
  | { code: string }
  | { start: number | undefined; items: SeenBlock[][] }

/** What is seen of blocks: no empty parts, and no style of space at its edge. Two lists of one kind look like one. */
export function seenOf(blocks: Block[], isInItem = false): SeenBlock[] {
  const seen: SeenBlock[] = []
  for (const block of blocks) {
    const last = seen.at(-1)
    switch (block.kind) {
      case 'paragraph': {
        const isIndented = last ? 'items' in last : isInItem
        for (const [at, paragraph] of paragraphsOf(cellsOf(block.children)).entries()) {
          const own = piecesOf(isIndented && at === 0 ? withoutStart(paragraph) : paragraph)
          if (own.length > 0) seen.push(own)
        }
        break
      }
      case 'code block':
        seen.push({ code: block.text })
        break
      case 'quote': {
        const quote = seenOf(block.blocks)
        if (quote.length > 0) seen.push({ quote })
        break
      }
      case 'list': {
        const items = block.items.map((item) => seenOf(item, true))
        const first = items.findIndex((item) => item.length > 0)
        if (first < 0) break
        const start = block.start === undefined ? undefined : block.start + first
        const isContinued = last && 'items' in last && (last.start === undefined) === (start === undefined)
        if (isContinued) last.items.push(...items.slice(first))
        else seen.push({ start, items: items.slice(first) })
      }
    }
  }
  return seen
}

const PLAIN = { strong: false, emphasis: false, href: undefined }

/** One for each character. */
function cellsOf(inlines: Inline[], style: Omit<Seen, 'kind' | 'text'> = PLAIN): Seen[] {
  return inlines.flatMap((inline) => cellsOfOne(inline, style))
}

function cellsOfOne(inline: Inline, style: Omit<Seen, 'kind' | 'text'>): Seen[] {
  switch (inline.kind) {
    case 'strong':
    case 'emphasis':
      return cellsOf(inline.children, { ...style, [inline.kind]: true })
    case 'link': {
      const children = cellsOf(inline.children, style)
      const href = inline.href.replaceAll('[', '%5B').replaceAll(']', '%5D')
      const text = children.map((child) => child.text).join('')
      // An address in the text is a link anyway.
      const isAddress = hrefOfAddress(text)?.replaceAll('[', '%5B').replaceAll(']', '%5D') === href
      return isAddress || text.trim() === '' ? children : children.map((child) => ({ ...child, href }))
    }
    case 'break':
      return [{ kind: 'text', text: '\n', ...style }]
    case 'image':
      return [{ kind: 'image', text: `${inline.alt} ${inline.name}`, ...style }]
    case 'mention':
      return [{ kind: 'mention', text: `${inline.of} ${inline.id} ${inline.name}`, ...style }]
    case 'code':
      return [{ kind: 'code', text: inline.text, ...style }]
    case 'text':
      return inline.text.split('').map((text) => ({ kind: 'text', text, ...style }))
  }
}

function isSpace({ kind, text }: Seen): boolean {
  return kind === 'text' && text.trim() === ''
}

function paragraphsOf(cells: Seen[]): Seen[][] {
  const lines: Seen[][] = [[]]
  for (const cell of cells) {
    if (cell.kind === 'text' && cell.text === '\n') lines.push([])
    else lines.at(-1)?.push(cell)
  }
  const paragraphs: Seen[][] = [[]]
  for (const line of lines) {
    const own = withoutEnd(line)
    const paragraph = paragraphs.at(-1)
    if (own.every(isSpace)) paragraphs.push([])
    else if (paragraph?.length) paragraph.push({ kind: 'text', text: '\n', ...PLAIN }, ...own)
    else paragraph?.push(...own)
  }
  return paragraphs
}

function withoutEnd(cells: Seen[]): Seen[] {
  const end = cells.findLastIndex((cell) => !isSpace(cell) || cell.href !== undefined)
  return cells.slice(0, end + 1)
}

function withoutStart(cells: Seen[]): Seen[] {
  return cells.slice(
    Math.max(
      0,
      cells.findIndex((cell) => !isSpace(cell) || cell.href !== undefined),
    ),
  )
}

function piecesOf(given: Seen[]): Seen[] {
  const cells = given.map((cell) => ({ ...cell }))
  const visible = cells.filter((cell) => !isSpace(cell))
  let passed = 0
  for (const cell of cells) {
    const [before, after] = [visible[passed - 1], visible[passed]]
    if (cell === after) passed += 1
    else {
      cell.strong = (before?.strong && after?.strong) ?? false
      cell.emphasis = (before?.emphasis && after?.emphasis) ?? false
    }
  }
  const pieces: Seen[] = []
  for (const cell of cells) {
    const last = pieces.at(-1)
    const isSame =
      last?.kind === cell.kind &&
      last.strong === cell.strong &&
      last.emphasis === cell.emphasis &&
      last.href === cell.href
    if (isSame && (cell.kind === 'text' || cell.kind === 'code')) last.text += cell.text
    else pieces.push({ ...cell })
  }
  return pieces
}

/** All letters that are seen, whatever their style. */
function lettersOf(seen: SeenBlock[]): string {
  return seen
    .map((block) => {
      if (Array.isArray(block)) return block.map(({ text }) => text).join('')
      if ('quote' in block) return lettersOf(block.quote)
      return 'code' in block ? block.code : block.items.map(lettersOf).join('')
    })
    .join('')
    .replaceAll(/\s+/g, '')
}
