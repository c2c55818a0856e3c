import { describe, expect, test } from 'bun:test'
import { markdownOfEntities } from '../../server/channels/telegram/inbound/entities-markdown.ts'
import { plainText } from '../../server/formatting/plain-text.ts'

/** The entity around a part of the text. */
function entity(text: string, type: string, part: string, url?: string) {
  const offset = text.indexOf(part)
  return { type, offset, length: part.length, ...(url !== undefined && { url }) }
}

function markdown(text: string, ...given: [type: string, part: string, url?: string][]): string | undefined {
  return markdownOfEntities(
    text,
    given.map(([type, part, url]) => entity(text, type, part, url)),
  )
}

describe('a text with entities becomes Markdown', () => {
  test.each<[string, string, [type: string, part: string, url?: string][]]>([
    ['a bold word', 'a **bold** word', [['bold', 'bold']]],
    ['a bold word', 'a **bold** word', [['bold', 'bold ']]],
    [
      'both at once',
      '***both*** at once',
      [
        ['bold', 'both'],
        ['italic', 'both'],
      ],
    ],
    [
      'one in the other',
      '**one *in* the** other',
      [
        ['bold', 'one in the'],
        ['italic', 'in'],
      ],
    ],
    ['first\nsecond', '**first**\n**second**', [['bold', 'first\nsecond']]],
    [
      'snake_case and `ticks` in bold',
      '**snake\\_case and \\`ticks\\`** in bold',
      [['bold', 'snake_case and `ticks`']],
    ],
    ['run `x` now', 'run `` `x` `` now', [['code', '`x`']]],
    ['see\nlet a = 1\nthere', 'see\n```\nlet a = 1\n```\nthere', [['pre', 'let a = 1']]],
    ['He said\nno way\nto me', 'He said\n> no way\nto me', [['blockquote', 'no way']]],
    [
      'our shop',
      '[our shop](https://a.example/x_(1)%20y)'.replace('(1)', '%281%29'),
      [['text_link', 'our shop', 'https://a.example/x_(1) y']],
    ],
    ['- 1\n> 2\n3. bold', '\\- 1\n\\> 2\n3\\. **bold**', [['bold', 'bold']]],
    ['https://a.example/a_b_c is *new*', 'https://a.example/a_b_c is \\***new**\\*', [['bold', 'new']]],
    ['👋🏽 grüße 日本', '👋🏽 **grüße** 日本', [['bold', 'grüße']]],
  ])('%j', (text, expected, entities) => {
    expect(markdown(text, ...entities)).toBe(expected)
  })

  test('unless it has nothing that Markdown knows', () => {
    const text = 'Write to @ana or https://a.example, #now, hidden'
    expect(markdownOfEntities(text, [])).toBeUndefined()
    expect(
      markdown(
        text,
        ['mention', '@ana'],
        ['url', 'https://a.example'],
        ['hashtag', '#now'],
        ['spoiler', 'hidden'],
      ),
    ).toBeUndefined()
    expect(markdown(text, ['text_link', 'hidden', 'javascript:alert(1)'])).toBeUndefined()
  })

  test('unless it would not be read as the same text again', () => {
    // Between digits, a star is a multiplication.
    expect(markdown('234', ['italic', '3'])).toBeUndefined()
  })

  test('whatever entities say, and never with another text', () => {
    const parts = [
      'a',
      ' ',
      '\n',
      '*',
      '_',
      '`',
      '[',
      ']',
      '(',
      ')',
      '> ',
      '- ',
      '1. ',
      '👋',
      '\\',
      'https://a.example/_b',
      '9',
    ]
    const types = ['bold', 'italic', 'code', 'pre', 'blockquote', 'text_link', 'url', 'of_tomorrow']
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((seed / 2_147_483_648) * below)
    }
    const pick = <T>(from: T[]): T => from[random(from.length)] as T
    let formatted = 0
    for (let round = 0; round < 5_000; round += 1) {
      const text = Array.from({ length: 1 + random(12) }, () => pick(parts)).join('')
      const entities = Array.from({ length: 1 + random(4) }, () => ({
        type: pick(types),
        offset: random(text.length + 2) - 1,
        length: random(text.length + 2) - 1,
        url: 'https://b.example',
      }))
      const made = markdownOfEntities(text, entities)
      if (made === undefined) continue
      formatted += 1
      const read = plainText(made, 'text').replaceAll(/[\s>]+/g, '')
      expect([text, entities, read]).toEqual([text, entities, text.replaceAll(/[\s>]+/g, '')])
    }
    expect(formatted).toBeGreaterThan(1_000)
  })

  test('in little time for the longest text with the most entities', () => {
    const text = '*_`[a](b) https://x.example/ > - 1. '.repeat(1_900)
    const entities = Array.from({ length: 500 }, (_, at) => ({ type: 'bold', offset: at * 60, length: 40 }))
    const before = process.cpuUsage()
    markdownOfEntities(text, entities)
    markdownOfEntities(
      text,
      entities.map((one) => ({ ...one, offset: 0, length: text.length })),
    )
    const { user } = process.cpuUsage(before)
    expect(user / 1_000).toBeLessThan(1_000)
  })
})
