import { and, desc, inArray, lt, sql } from 'drizzle-orm'
import { engine, integer, table, text } from './columns.ts'
import type { Reader, Transaction } from './database.ts'
import { integerParameter, rowsCommand, statement, textParameter } from './statement.ts'

/**
 * The full-text index: the one place that knows that SQLite has FTS5 and PostgreSQL `tsvector`. The migration made the
 * table, for drizzle-kit knows neither. Both are given words of letters and digits only, so nothing in them is syntax.
 */
const searchIndex = table('search_index', { rowid: integer().notNull(), text: text().notNull() })

/**
 * How FTS5 is told what to do: a row for the column that is called as the table. Written with a capital, which is the
 * same to SQLite: of two tables with one name Drizzle remembers the columns of one only.
 */
const indexCommands = table('Search_index', { searchIndex: text().notNull(), rank: integer().notNull() })

/** Words that stand side by side; with an open end the last one may go on. */
export interface WordPhrase {
  words: string[]
  isOpenEnded: boolean
}

/** Phrases that a document must contain, all of them, and phrases that it must not. */
export interface IndexQuery {
  required: WordPhrase[]
  excluded: WordPhrase[]
}

export interface Document {
  number: number
  words: string[]
}

/** Puts documents in, numbers ascending: FTS5 would write its buffer out at each step down. */
export async function putDocuments(tx: Transaction, documents: Document[]): Promise<void> {
  await insertTexts(
    tx,
    documents.map(({ number, words }) => ({ number, text: storedText(words) })),
  )
}

export async function takeDocumentsOut(tx: Transaction, numbers: number[]): Promise<void> {
  if (numbers.length > 0) await tx.delete(searchIndex).where(inArray(searchIndex.rowid, numbers))
}

/**
 * FTS5 collects what it is given in segments and merges them now and then inside of a commit, for 50 ms and more; so it
 * is asked not to, and `mergeIndex` does it in small steps. Its limit is a backstop for a program that never does.
 */
export async function mergeInStepsOnly(tx: Transaction): Promise<void> {
  if (engine !== 'sqlite') return
  await tx.insert(indexCommands).values([
    { searchIndex: 'automerge', rank: 0 },
    { searchIndex: 'crisismerge', rank: 1_000 },
  ])
}

/**
 * Merges about so many pages of segments; answers whether there was anything to do. `isWhole` begins to merge all there
 * is into one segment, which the next steps go on with: behind the last of them nothing is left of what was taken out.
 */
export async function mergeIndex(tx: Transaction, pages: number, { isWhole = false } = {}): Promise<boolean> {
  if (engine !== 'sqlite') return false
  const before = await totalChanges(tx)
  await tx.insert(indexCommands).values({ searchIndex: 'merge', rank: isWhole ? -pages : pages })
  // The command itself counts as one.
  return (await totalChanges(tx)) - before >= 2
}

async function totalChanges(tx: Transaction): Promise<number> {
  const [row] = await tx.select({ changes: sql<number>`total_changes()` }).from(sql`(select 1) as one`)
  return row?.changes ?? 0
}

/** Numbers of matching documents below a number, highest first; ranking would take as long as there are matches. */
export async function matchingNumbers(
  read: Reader,
  query: IndexQuery,
  { below, limit }: { below: number; limit: number },
): Promise<number[]> {
  const rows = await matchesBelow(read, { expression: expressionOf(query), below, limit })
  return rows.map(({ number }) => number)
}

const insertTexts = rowsCommand<{ number: number; text: string }>('search_index_put', (tx, rows) =>
  tx.insert(searchIndex).values(
    rows.map((p) => ({
      rowid: p.number,
      text: engine === 'sqlite' ? p.text : sql`cast(${p.text} as tsvector)`,
    })),
  ),
)

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

/** Words with their places, as `tsvector` reads them; its own parser of text would take some words apart. */
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
