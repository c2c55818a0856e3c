import { and, desc, inArray, lt, sql } from 'drizzle-orm'
import { engine, integer, table, text } from './columns.ts'
import type { Reader, Transaction } from './database.ts'
import { insertOf, integerParameter, statement, textParameter } from './statement.ts'

/**
 * The full-text index. Only this file knows that SQLite has FTS5 and PostgreSQL has `tsvector`. A migration creates the
 * table, because drizzle-kit supports neither. Both get words of only letters and digits, which contain no syntax.
 */
const searchIndex = table('search_index', { rowid: integer().notNull(), text: text().notNull() })

/**
 * FTS5 takes commands as inserts into the column named like the table. The name is capitalized, which SQLite ignores,
 * because Drizzle keeps the columns of only one of two tables with the same name.
 */
const indexCommands = table('Search_index', { searchIndex: text().notNull(), rank: integer().notNull() })

/** Adjacent words. With `isOpenEnded`, the last one is a prefix. */
export interface WordPhrase {
  words: string[]
  isOpenEnded: boolean
}

/** Phrases that a document must all contain, and phrases that it must not contain. */
export interface IndexQuery {
  required: WordPhrase[]
  excluded: WordPhrase[]
}

interface Document {
  number: number
  words: string[]
}

/** Inserts documents in ascending order of numbers. FTS5 flushes its buffer whenever a number is lower than the last. */
export async function putDocuments(tx: Transaction, documents: Document[]): Promise<void> {
  await insertTexts(
    tx,
    documents.map(({ number, words }) => ({ rowid: number, text: storedText(words) })),
  )
}

export async function deleteDocuments(tx: Transaction, numbers: number[]): Promise<void> {
  if (numbers.length > 0) await tx.delete(searchIndex).where(inArray(searchIndex.rowid, numbers))
}

/**
 * FTS5 collects documents in segments and occasionally merges them inside a commit, which takes 50 ms and more. This
 * turns that off, and `mergeIndex` merges in small steps instead. The limit applies only if `mergeIndex` never runs.
 */
export async function mergeInStepsOnly(tx: Transaction): Promise<void> {
  if (engine !== 'sqlite') return
  await tx.insert(indexCommands).values([
    { searchIndex: 'automerge', rank: 0 },
    { searchIndex: 'crisismerge', rank: 1_000 },
  ])
}

/**
 * Merges about `pages` pages of segments. Returns whether there was anything to merge. `isWhole` starts a merge of all
 * segments into one, which later steps continue; after the last step nothing of removed documents is left.
 */
export async function mergeIndex(tx: Transaction, pages: number, { isWhole = false } = {}): Promise<boolean> {
  if (engine !== 'sqlite') return false
  const before = await totalChanges(tx)
  await tx.insert(indexCommands).values({ searchIndex: 'merge', rank: isWhole ? -pages : pages })
  // The command itself counts as one change.
  return (await totalChanges(tx)) - before >= 2
}

async function totalChanges(tx: Transaction): Promise<number> {
  const [row] = await tx.select({ changes: sql<number>`total_changes()` }).from(sql`(select 1) as one`)
  return row?.changes ?? 0
}

/** Numbers of matching documents below a number, highest first. Not ranked: ranking would read every match. */
export async function matchingNumbers(
  read: Reader,
  query: IndexQuery,
  { below, limit }: { below: number; limit: number },
): Promise<number[]> {
  const rows = await matchesBelow(read, { expression: expressionOf(query), below, limit })
  return rows.map(({ number }) => number)
}

const insertTexts = insertOf(searchIndex, {
  expressions: engine === 'sqlite' ? {} : { text: (text) => sql`cast(${text} as tsvector)` },
})

const matchesBelow = statement<
  { expression: string; below: number; limit: number },
  { number: number }[],
  Reader
>('search_index_matches', (read, p) => {
  const expression = textParameter(p.expression)
  const isMatch =
    engine === 'sqlite'
      ? sql`search_index match ${expression}`
      : sql`${searchIndex.text} @@ cast(${expression} as tsquery)`
  return read
    .select({ number: searchIndex.rowid })
    .from(searchIndex)
    .where(and(isMatch, lt(searchIndex.rowid, integerParameter(p.below))))
    .orderBy(desc(searchIndex.rowid))
    .limit(p.limit)
})

function storedText(words: string[]): string {
  return engine === 'sqlite' ? words.join(' ') : vectorText(words)
}

/** Words with positions in the syntax of `tsvector`, whose own parser would split some words. */
function vectorText(words: string[]): string {
  const places = new Map<string, number[]>()
  words.forEach((word, place) => {
    const known = places.get(word)
    if (known) known.push(place + 1)
    else places.set(word, [place + 1])
  })
  return Array.from(places, ([word, at]) => `'${word}':${at.join(',')}`).join(' ')
}

function expressionOf({ required, excluded }: IndexQuery): string {
  return engine === 'sqlite' ? fts5Expression(required, excluded) : tsqueryOf(required, excluded)
}

function fts5Expression(required: WordPhrase[], excluded: WordPhrase[]): string {
  const phrase = ({ words, isOpenEnded }: WordPhrase) => `"${words.join(' ')}"${isOpenEnded ? ' *' : ''}`
  return [`(${required.map(phrase).join(' AND ')})`, ...excluded.map(phrase)].join(' NOT ')
}

function tsqueryOf(required: WordPhrase[], excluded: WordPhrase[]): string {
  const phrase = ({ words, isOpenEnded }: WordPhrase) =>
    `(${words.map((word) => `'${word}'`).join(' <-> ')}${isOpenEnded ? ':*' : ''})`
  return [...required.map(phrase), ...excluded.map((one) => `!${phrase(one)}`)].join(' & ')
}
