import type { Wanted, WordPhrase } from '../database/full-text.ts'
import { isLongEnough, type Query } from './grammar.ts'
import { wordsOf } from './normalize.ts'

// Signs for private use: both engines take them for letters, and no text that is folded (words.ts) keeps one.
const ORGANIZATION = '\uE000'
/** Words with this before them are the customer's, so that `from:` looks at nothing else. */
const FROM = '\uE001'
/** Stands in no document: what is looked for by signs, which no index keeps. */
const NOWHERE = '\uE002'

/** Stands in every document of an organization: one organization's search never goes through another's. */
export function organizationWord(orgId: string): string {
  return `${ORGANIZATION}${orgId.replace('_', '')}`
}

/** The words by which a ticket is found under its customer. */
export function customerWords(customer: { name: string; email: string | null }): string[] {
  return [...wordsOf(customer.name), ...wordsOf(customer.email ?? '')].map((word) => FROM + word)
}

/** What a document has to hold to be found; undefined when a query looks for nothing in the text. */
export function wantedWords(orgId: string, query: Query): Wanted | undefined {
  const from = query.terms.filter((term) => term.key === 'from')
  if (query.phrases.length === 0 && from.length === 0 && !query.isOfSignsOnly) return undefined
  const asked = [
    ...from.map(({ isNegated, value }) => ({ isNegated, ...customerPhrase(value) })),
    ...query.phrases,
  ]
  const those = (isNegated: boolean): WordPhrase[] =>
    asked
      .filter((phrase) => phrase.isNegated === isNegated)
      .map(({ words, isOpenEnded }) => ({ words, isOpenEnded }))
  return {
    has: [
      { words: [organizationWord(orgId)], isOpenEnded: false },
      ...those(false),
      ...(query.isOfSignsOnly ? [{ words: [NOWHERE], isOpenEnded: false }] : []),
    ],
    hasNot: those(true),
  }
}

function customerPhrase(value: string): WordPhrase {
  const words = wordsOf(value)
  return { words: words.map((word) => FROM + word), isOpenEnded: isLongEnough(words) }
}
