import { expect, test } from 'bun:test'
import { checkDocuments, checkHostileTexts } from '../support/markdown-documents.ts'

const DOCUMENTS = 100_000
/** Of texts that no one writes, such as bold that begins within an address. */
const MIN_SHARE = 0.998

test('100,000 documents are read back as they were written', () => {
  checkDocuments(DOCUMENTS, 3)
}, 600_000)

test('of 100,000 texts of marks in any order none loses a letter, and nearly none its style', () => {
  expect(checkHostileTexts(DOCUMENTS, 4)).toBeGreaterThan(MIN_SHARE)
}, 600_000)
