import { describe, expect, test } from 'bun:test'
import { hrefOf, linkAt, pasteAsLink, putLink } from '../../web/formatting/link-edits.ts'
import { type Edit, type Selected, toggleLines, toggleMark } from '../../web/formatting/markdown-edits.ts'
import { continueLine } from '../../web/formatting/typing.ts'

// A text is written with its cursor as ¦, or with what is selected between « and ».

function read(written: string): Selected {
  const cursor = written.indexOf('¦')
  if (cursor >= 0) return { text: written.replace('¦', ''), start: cursor, end: cursor }
  const [start, end] = [written.indexOf('«'), written.indexOf('»') - 1]
  return { text: written.replace('«', '').replace('»', ''), start, end }
}

function write({ text }: Selected, edit: Edit | undefined): string | undefined {
  if (!edit) return undefined
  const { from, to, insert, start, end } = edit
  const after = text.slice(0, from) + insert + text.slice(to)
  if (start === end) return `${after.slice(0, start)}¦${after.slice(start)}`
  return `${after.slice(0, start)}«${after.slice(start, end)}»${after.slice(end)}`
}

type Action = (selected: Selected) => Edit | undefined

const ACTIONS: Record<string, [action: Action, cases: [before: string, after: string | undefined][]]> = {
  bold: [
    (selected) => toggleMark(selected, 'bold'),
    [
      ['a «b» c', 'a **«b»** c'],
      ['a **«b»** c', 'a «b» c'],
      ['a «**b**» c', 'a «b» c'],
      ['a __«b»__ c', 'a «b» c'],
      ['a« b »c', 'a **«b»** c'],
      ['_«b»_', '_**«b»**_'],
      ['*«b»*', '***«b»***'],
      ['***«b»***', '*«b»*'],
      ['re«fund»able', 're**«fund»**able'],
      ['a ¦', 'a **¦**'],
      ['a **¦**', 'a ¦'],
      ['a **b¦**', 'a **b**¦'],
      ['a refu¦nd b', 'a **refu¦nd** b'],
      ['a **refu¦nd** b', 'a refu¦nd b'],
      ['«a\nb»', '«**a**\n**b**»'],
      ['«**a**\n**b**»', '«a\nb»'],
      ['«**a**\nb»', '«**a**\n**b**»'],
      ['«- a\n\n- b»', '«- **a**\n\n- **b**»'],
      ['«> 1. a\nb »', '«> 1. **a**\n**b**» '],
      ['¦', '**¦**'],
      ['\n¦', '\n**¦**'],
    ],
  ],
  italic: [
    (selected) => toggleMark(selected, 'italic'),
    [
      ['a «b» c', 'a _«b»_ c'],
      ['a _«b»_ c', 'a «b» c'],
      ['a *«b»* c', 'a «b» c'],
      ['**«b»**', '**_«b»_**'],
      ['**_«b»_**', '**«b»**'],
      ['re«fund»able', 're*«fund»*able'],
      ['这是«重点»内容', '这是*«重点»*内容'],
      ['a ¦ b', 'a _¦_ b'],
      ['**b**¦', '**b**_¦_'],
    ],
  ],
  code: [
    (selected) => toggleMark(selected, 'code'),
    [
      ['a «b» c', 'a `«b»` c'],
      ['a `«b»` c', 'a «b» c'],
      ['«a`b»', '``«a`b»``'],
      ['``«a`b»``', '«a`b»'],
      ['x\n«a\nb»\ny', 'x\n«```\na\nb\n```»\ny'],
      ['«```\na\nb\n```»', '«a\nb»'],
      ['x\na«a\nb»b', 'x\n«```\naa\nbb\n```»'],
    ],
  ],
  'a bulleted list': [
    (selected) => toggleLines(selected, 'bullets'),
    [
      ['¦', '- ¦'],
      ['a¦b', '- a¦b'],
      ['- a¦b', 'a¦b'],
      ['- ¦', '¦'],
      ['«a\n\nb»', '«- a\n\n- b»'],
      ['«- a\n- b»', '«a\nb»'],
      ['«- a\nb»', '«- a\n- b»'],
      ['«1. a\n2. b»', '«- a\n- b»'],
      ['x\n«a\n»y', 'x\n«- a»\ny'],
      ['  a¦', '  - a¦'],
    ],
  ],
  'a numbered list': [
    (selected) => toggleLines(selected, 'numbers'),
    [
      ['«a\nb\n\nc»', '«1. a\n2. b\n\n3. c»'],
      ['«1. a\n2. b»', '«a\nb»'],
      ['«- a\n- b»', '«1. a\n2. b»'],
      ['¦', '1. ¦'],
    ],
  ],
  'a quote': [
    (selected) => toggleLines(selected, 'quote'),
    [
      ['a¦', '> a¦'],
      ['> a¦', 'a¦'],
      ['«a\n\nb»', '«> a\n> \n> b»'],
      ['«> a\n> b»', '«a\nb»'],
      ['«- a\n- b»', '«> - a\n> - b»'],
    ],
  ],
  Enter: [
    continueLine,
    [
      ['- a¦', '- a\n- ¦'],
      ['- a¦b', '- a\n- ¦b'],
      ['* a¦', '* a\n* ¦'],
      ['1. a¦', '1. a\n2. ¦'],
      ['9) a¦', '9) a\n10) ¦'],
      ['  - a¦', '  - a\n  - ¦'],
      ['- a\n- ¦', '- a\n¦'],
      ['1. a\n2. ¦', '1. a\n¦'],
      ['> a¦', '> a\n> ¦'],
      ['> a\n> ¦', '> a\n¦'],
      ['> - a¦', '> - a\n> - ¦'],
      ['> - ¦', '> ¦'],
      ['- «a»', '- \n- ¦'],
      ['a¦', undefined],
      ['¦- a', undefined],
      ['-a¦', undefined],
      ['```\n- a¦', undefined],
      ['```\na\n```\n- a¦', '```\na\n```\n- a\n- ¦'],
      ['2024 was¦', undefined],
    ],
  ],
  'pasting https://a.test/x': [
    (selected) => pasteAsLink(selected, ' https://a.test/x\n'),
    [
      ['see «our guide».', 'see [our guide](https://a.test/x)¦.'],
      ['«[1] note»', '[\\[1\\] note](https://a.test/x)¦'],
      ['see ¦', undefined],
      ['«https://b.test»', undefined],
      ['«two\nlines»', undefined],
      ['« »', undefined],
      ['```\n«code»\n```', undefined],
    ],
  ],
  'pasting text': [(selected) => pasteAsLink(selected, 'see https://a.test'), [['«a»', undefined]]],
  'pasting a script': [(selected) => pasteAsLink(selected, 'javascript:alert(1)'), [['«a»', undefined]]],
}

for (const [name, [action, cases]] of Object.entries(ACTIONS)) {
  describe(`${name}:`, () => {
    for (const [before, after] of cases) {
      test(JSON.stringify(before), () => expect(write(read(before), action(read(before)))).toBe(after))
    }
  })
}

test('the link around the cursor is found, with its text and its address', () => {
  const written = 'a [x \\[1\\]](https://a.test/(y)) and [gui¦de](https://b.test) c'
  expect(linkAt(read(written))).toMatchObject({ label: 'guide', address: 'https://b.test' })
  expect(linkAt(read(written.replace('¦', '').replace('x', '¦x')))).toMatchObject({
    label: 'x [1]',
    address: 'https://a.test/(y)',
  })
  expect(linkAt(read('a¦ [x](https://a.test)'))).toBeUndefined()
})

test('a link whose text is its address is only the address', () => {
  expect(putLink({ from: 0, to: 0 }, '', 'https://a.test')).toMatchObject({ insert: 'https://a.test' })
  expect(putLink({ from: 0, to: 0 }, 'our\nguide', 'https://a.test')).toMatchObject({
    insert: '[our guide](https://a.test)',
  })
})

const ADDRESSES: [typed: string, href: string | undefined][] = [
  ['https://a.test/x', 'https://a.test/x'],
  [' example.com ', 'https://example.com'],
  ['www.example.com/a?b#c', 'https://www.example.com/a?b#c'],
  ['example.com:8080/x', 'https://example.com:8080/x'],
  ['ana@example.com', 'mailto:ana@example.com'],
  ['mailto:ana@example.com', 'mailto:ana@example.com'],
  ['https://a.test/a b', 'https://a.test/a%20b'],
  ['https://a.test/a(b)', 'https://a.test/a(b)'],
  ['https://a.test/a)b', 'https://a.test/a%29b'],
  ['https://a.test/[a]', 'https://a.test/%5Ba%5D'],
  ['javascript:alert(1)', undefined],
  ['data:text/html,x', undefined],
  ['/settings', undefined],
  ['our guide', undefined],
  ['guide', undefined],
  ['', undefined],
]

describe('an address as someone types it:', () => {
  for (const [typed, href] of ADDRESSES) {
    test(JSON.stringify(typed), () => expect(hrefOf(typed)).toBe(href))
  }
})
