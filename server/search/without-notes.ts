import type { Reader } from '../database/database.ts'
import type { ExpensiveRead } from '../database/expensive-reads.ts'
import type { IndexQuery, WordPhrase } from '../database/full-text.ts'
import { wordsWithoutNotes } from './index/read-documents.ts'
import type { SortKey } from './queries.ts'

/** The cost of reading the messages of one ticket again, in rows. */
const ROWS_PER_TICKET = 20

/**
 * Those of the found tickets that the search finds without their notes, for keys that may not read them. The index has the
 * notes and the messages of a ticket in one document, so the messages of a ticket with notes are read again: a millisecond
 * for a long thread. A search that excludes words reads those of every ticket again.
 */
export async function* keysWithoutNotes(
  read: Reader,
  {
    orgId,
    keys,
    query: { required, excluded },
    expensive,
  }: { orgId: string; keys: SortKey[]; query: IndexQuery; expensive: ExpensiveRead },
): AsyncGenerator<SortKey> {
  const isRequired = excluded.length > 0
  for (const key of keys) {
    const words = await wordsWithoutNotes(read, { orgId, ticketId: key.id }, { isRequired })
    const has = (phrase: WordPhrase) => words === undefined || hasPhrase(words, phrase)
    if (required.every(has) && !(words && excluded.some(has))) yield key
    await expensive.examined(words ? ROWS_PER_TICKET : 1)
  }
}

/** As the index matches: the words of a phrase follow each other, and the last one may be the beginning of a word. */
function hasPhrase(words: string[], { words: phrase, isOpenEnded }: WordPhrase): boolean {
  const last = phrase.length - 1
  return words.some((_, start) =>
    phrase.every((word, place) => {
      const found = words[start + place]
      return isOpenEnded && place === last ? found?.startsWith(word) : found === word
    }),
  )
}
