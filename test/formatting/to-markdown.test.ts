import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import company from '../../server/demo/company.yaml'
import stories from '../../server/demo/stories.yaml'
import { parseMarkdown } from '../../server/formatting/markdown.ts'
import { toMarkdown } from '../../server/formatting/to-markdown.ts'
import { blocksOf, documentOf, markdownOf } from '../../web/formatting/editor/document.ts'
import { checkDocuments, checkHostileTexts, seenOf } from '../support/markdown-documents.ts'

/** A hundred thousand are tried in test/faults/markdown-documents.test.ts. */
const DOCUMENTS = 3_000

test('a document is read back as it was written', () => checkDocuments(DOCUMENTS, 1))

test('the texts of the demo and of the tests are read back as they were, untouched and written anew', async () => {
  const texts = new Set([...textsIn([company, stories]), ...(await textsOfTests())])
  expect(texts.size).toBeGreaterThan(5_000)
  for (const text of texts) {
    const seen = seenOf(parseMarkdown(text))
    const document = documentOf(text)
    for (const markdown of [markdownOf(document), toMarkdown(blocksOf(document.content))]) {
      const read = seenOf(parseMarkdown(markdown))
      if (!Bun.deepEquals(read, seen)) expect([text, markdown, read]).toEqual([text, markdown, seen])
    }
  }
})

test('no text of marks in any order loses a letter or shows a mark', () => {
  checkHostileTexts(DOCUMENTS, 2)
})

describe('a text is written without needless marks:', () => {
  test.each([
    'Hi **Ana**,\n\n_two_ steps in [our guide](https://a.test/guide):\n1. Open `Billing`\n2. Choose\n   - a card',
    '> My invoice is missing.\n\n```\n<b>code</b>\n```',
    'file_name, 2*3*4, [x] and 5 * 6 at https://a.test/a_b',
    'Due on\n15. May',
    '***both*** of _it_ and un*believ*able',
    '[@Ben Weber](agent:agt_01m7yggb08e14a59wse62r3t6t) knows **more**',
    '![](photo.png)',
    'One\n\n\u00a0\n\n> two\n>\n> \u00a0\n>\n> three\n\n- a\n\n  \u00a0\n\n  b\n\n\u00a0\n- c\n\n\u00a0\n- d',
  ])('%j', (text) => {
    expect(toMarkdown(parseMarkdown(text))).toBe(text.replace('***both***', '**_both_**'))
  })
})

describe('what Markdown cannot say is left out:', () => {
  const strong = (text: string) => ({ kind: 'strong' as const, children: [{ kind: 'text' as const, text }] })
  const text = (words: string) => ({ kind: 'text' as const, text: words })
  test('bold between digits', () => {
    expect(toMarkdown([{ kind: 'paragraph', children: [text('2'), strong('3'), text('4')] }])).toBe('234')
  })
  test('a list without text', () => {
    expect(toMarkdown([{ kind: 'list', start: 1, items: [[], []] }])).toBe('')
  })
  test('a link that could run a script', () => {
    const children = [{ kind: 'link' as const, href: 'javascript:alert(1)', children: [text('x')] }]
    expect(toMarkdown([{ kind: 'paragraph', children }])).toBe('x')
  })
})

/** All texts in a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** What the code of the tests has in quotes. */
async function textsOfTests(): Promise<string[]> {
  const top = join(import.meta.dir, '..')
  const files = await Array.fromAsync(new Bun.Glob('**/*.ts').scan({ cwd: top, absolute: true }))
  const sources = await Promise.all(files.map((file) => Bun.file(file).text()))
  return sources.flatMap((source) =>
    [...source.matchAll(/'((?:[^'\\\n]|\\.)+)'/g)].map(([, text = '']) =>
      text.replaceAll('\\n', '\n').replaceAll(/\\(.)/g, '$1'),
    ),
  )
}
