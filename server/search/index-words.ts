import { fold } from './fold.ts'

/** Longer words are cut, in the index and in a query alike. */
const MAX_WORD_LENGTH = 64

/** Scripts without spaces: each character is a word, and adjacent ones are searched for as a phrase. */
const UNSPACED = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}]'
const WORD = new RegExp(`${UNSPACED}|(?:(?!${UNSPACED})[\\p{L}\\p{N}])+`, 'gu')
/** The same in unfolded text, where letters still have their accents. */
const UNFOLDED_WORD = new RegExp(`${UNSPACED}\\p{M}*|(?:(?!${UNSPACED})[\\p{L}\\p{N}\\p{M}])+`, 'gu')
const ASCII = /^[\0-\x7f]*$/
const ASCII_WORD = /[a-z0-9]+/g

/** The words of a text as both engines store them and look for them: without case, accents and width. */
export function wordsOf(text: string): string[] {
  const folded = fold(text)
  const words = folded.match(ASCII.test(folded) ? ASCII_WORD : WORD) ?? []
  return words.map((word) => (word.length > MAX_WORD_LENGTH ? word.slice(0, MAX_WORD_LENGTH) : word))
}

/** Words, folded, with the places where each starts and ends in the text. */
export function* wordsWithPlaces(text: string): Generator<{ word: string; start: number; end: number }> {
  for (const match of text.matchAll(UNFOLDED_WORD)) {
    const [word] = wordsOf(match[0])
    if (word) yield { word, start: match.index, end: match.index + match[0].length }
  }
}

// Private-use characters: both engines treat them as letters, and no word of a text contains one.
const ORGANIZATION = '\uE000'
const CUSTOMER = '\uE001'
const NOWHERE = '\uE002'
const CUSTOMERS = '\uE003'
const COMPANY = '\uE004'

/** A word in every document of an organization, so that a search never reads another organization's matches. */
export function organizationWord(orgId: string): string {
  return `${ORGANIZATION}${orgId.replace('_', '')}`
}

/** The same for the documents of its customers, which no search for tickets reads. */
export function customersWord(orgId: string): string {
  return `${CUSTOMERS}${orgId.replace('_', '')}`
}

/** A word of the customer's name or address, so that `from:` looks at nothing else. */
export function customerWord(word: string): string {
  return CUSTOMER + word
}

/** A word of the customer's company, for `company:`. */
export function companyWord(word: string): string {
  return COMPANY + word
}

/** A word in no document: a query of only symbols, which no index stores, finds nothing. */
export const NOWHERE_WORD = NOWHERE
