import { fold } from '../../../server/search/fold.ts'

const WORD_START = 8
const CONSECUTIVE = 5
const EXACT_START = 12
/** Skipped letters lower the score a little, so that short names win. */
const SKIPPED_LETTER = 0.1

/** Scores how well the letters of `typed` match a text in order. Undefined when they don't. */
export function fuzzyScore(text: string, typed: string): number | undefined {
  const letters = fold(text)
  const query = fold(typed).replaceAll(' ', '')
  if (letters.startsWith(fold(typed)))
    return EXACT_START + query.length * WORD_START - letters.length * SKIPPED_LETTER
  let score = 0
  let at = -1
  for (const letter of query) {
    const next = nextMatch(letters, letter, at)
    if (next < 0) return undefined
    score += 1 + (next === at + 1 ? CONSECUTIVE : 0) + (isWordStart(letters, next) ? WORD_START : 0)
    at = next
  }
  return score - letters.length * SKIPPED_LETTER
}

/** The next letter, or else the next one that starts a word, or else any later one. */
function nextMatch(letters: string, letter: string, at: number): number {
  if (letters[at + 1] === letter) return at + 1
  const next = letters.indexOf(letter, at + 1)
  for (let index = next; index >= 0; index = letters.indexOf(letter, index + 1)) {
    if (isWordStart(letters, index)) return index
  }
  return next
}

function isWordStart(letters: string, index: number): boolean {
  return index === 0 || !/[\p{L}\p{N}]/u.test(letters[index - 1] ?? ' ')
}
