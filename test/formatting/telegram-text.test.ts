import { describe, expect, test } from 'bun:test'
import { splitTelegramText, telegramText } from '../../server/channels/telegram/outbound/telegram-text.ts'

const MAX = 4_096

function rendered(text: string) {
  return telegramText({ text, format: 'markdown' })
}

/** Each entity as the text that it is about. */
function marked({ text, entities }: ReturnType<typeof rendered>) {
  return entities.map((entity) => [
    entity.type,
    text.slice(entity.offset, entity.offset + entity.length),
    ...(entity.type === 'text_link' ? [entity.url] : []),
  ])
}

describe('an answer with formatting', () => {
  test('has it in Telegram, counted as Telegram counts', () => {
    const given = rendered('👋 **Hi** _Ana_, see [the guide](https://acme.example/a_(b)) and `npm test`.')
    expect(given.text).toBe('👋 Hi Ana, see the guide and npm test.')
    expect(marked(given)).toEqual([
      ['bold', 'Hi'],
      ['italic', 'Ana'],
      ['text_link', 'the guide', 'https://acme.example/a_(b)'],
      ['code', 'npm test'],
    ])
    // The hand is two UTF-16 units.
    expect(given.entities[0]?.offset).toBe(3)
  })

  test('shows lists, quotes and code as they look in a chat', () => {
    const given = rendered(
      'Steps:\n\n1. Open it\n2. Press **Go**\n   - twice\n\n> It was\n> > like this\n\n```\nlet a = 1\n```',
    )
    expect(given.text).toBe(
      'Steps:\n1. Open it\n2. Press Go\n   • twice\n\nIt was\n\n> like this\n\nlet a = 1',
    )
    expect(marked(given)).toEqual([
      ['bold', 'Go'],
      ['blockquote', 'It was\n\n> like this'],
      ['pre', 'let a = 1'],
    ])
  })

  test('has no code within bold text or a link, which Telegram does not know', () => {
    expect(marked(rendered('**run `npm test` now** [`here`](https://acme.example/)'))).toEqual([
      ['bold', 'run '],
      ['code', 'npm test'],
      ['bold', ' now'],
      ['text_link', 'here', 'https://acme.example/'],
    ])
  })

  test('leaves addresses to Telegram, and names those that it does not link', () => {
    const given = rendered(
      'https://acme.example/x, ana@acme.example, [write to us](mailto:help@acme.example)',
    )
    expect(given).toEqual({
      text: 'https://acme.example/x, ana@acme.example, write to us (help@acme.example)',
      entities: [],
    })
  })

  test('stays as it is written when it is plain', () => {
    const given = telegramText({ text: '  **not** bold\r\n_here_\n', format: 'plain' })
    expect(given).toEqual({ text: '**not** bold\n_here_', entities: [] })
  })
})

describe('a long answer', () => {
  test('is split between paragraphs, and nothing is lost', () => {
    const paragraphs = Array.from({ length: 40 }, (_, at) => `${at} ${'word '.repeat(90).trim()}`)
    const parts = splitTelegramText({ text: paragraphs.join('\n\n'), entities: [] }, MAX)
    expect(parts.map(({ text }) => text).join('\n\n')).toBe(paragraphs.join('\n\n'))
    expect(parts).toHaveLength(5)
    for (const { text } of parts) {
      expect(text.length).toBeLessThanOrEqual(MAX)
      expect(text).toMatch(/^\d+ word/)
    }
  })

  test('is split between lines, words, or characters when it has no paragraphs', () => {
    const lines = splitTelegramText({ text: 'a line\n'.repeat(1_000).trim(), entities: [] }, MAX)
    expect(lines.every(({ text }) => text.startsWith('a line') && text.endsWith('a line'))).toBe(true)
    const words = splitTelegramText({ text: 'words '.repeat(1_000).trim(), entities: [] }, MAX)
    expect(words.every(({ text }) => text.startsWith('words') && text.endsWith('words'))).toBe(true)
    const family = '👨‍👩‍👧'
    const emoji = splitTelegramText({ text: family.repeat(1_000), entities: [] }, MAX)
    expect(emoji.map(({ text }) => text).join('')).toBe(family.repeat(1_000))
    expect(emoji.every(({ text }) => text.startsWith('👨') && text.endsWith('👧'))).toBe(true)
  })

  test('keeps formatting whole if it can, and goes on with it in the next part if it cannot', () => {
    const before = 'x'.repeat(3_000)
    const quote = `${'quoted '.repeat(300).trim()}\n${'more '.repeat(50).trim()}`
    const whole = splitTelegramText(rendered(`${before}\n\n> ${quote.replace('\n', '\n> ')}`), MAX)
    expect(whole.map((part) => marked(part))).toEqual([[], [['blockquote', quote]]])

    const code = Array.from({ length: 400 }, (_, at) => `line ${at} of the program`).join('\n')
    const cut = splitTelegramText(rendered(`\`\`\`\n${code}\n\`\`\``), MAX)
    expect(cut.map(({ text }) => text).join('\n')).toBe(code)
    for (const part of cut) expect(marked(part)).toEqual([['pre', part.text]])
  })

  test('has at most the hundred entities for each message that Telegram reads', () => {
    const [part] = splitTelegramText(rendered('**a** b '.repeat(300)), MAX)
    expect(part?.entities).toHaveLength(100)
  })
})
