import { expect, test } from 'bun:test'
import { parseMarkdown } from '../../server/formatting/markdown.ts'
import { toMarkdown } from '../../server/formatting/to-markdown.ts'
import {
  createDocument,
  createHostileText,
  lettersOf,
  randomNumbers,
  seenOf,
} from '../support/markdown-documents.ts'

const DOCUMENTS = 100_000
/** Of texts that no one writes, such as bold that begins within an address. */
const MIN_SHARE = 0.998

test('100,000 documents are read back as they were written', () => {
  const random = randomNumbers(3)
  for (let at = 0; at < DOCUMENTS; at++) {
    const blocks = createDocument(random)
    const markdown = toMarkdown(blocks)
    const [read, given] = [seenOf(parseMarkdown(markdown)), seenOf(blocks)]
    if (!Bun.deepEquals(read, given)) expect([markdown, read]).toEqual([markdown, given])
  }
}, 600_000)

test('of 100,000 texts of marks in any order none loses a letter, and nearly none its style', () => {
  const random = randomNumbers(4)
  let same = 0
  for (let at = 0; at < DOCUMENTS; at++) {
    const text = createHostileText(random)
    const given = seenOf(parseMarkdown(text))
    const read = seenOf(parseMarkdown(toMarkdown(parseMarkdown(text))))
    if (Bun.deepEquals(read, given)) same += 1
    else expect([text, lettersOf(read)]).toEqual([text, lettersOf(given)])
  }
  expect(same / DOCUMENTS).toBeGreaterThan(MIN_SHARE)
}, 600_000)
