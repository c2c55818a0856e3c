import { and, desc, gte, inArray, lt, type SQL, sql } from 'drizzle-orm'
import { engine, integer as integerColumn, table, text as textColumn } from './columns.ts'
import type { Reader, Transaction } from './database.ts'
import { insertOf, integer, statement, text, value } from './statement.ts'

/**
 * The full-text index. Only this file knows that SQLite has FTS5 and PostgreSQL has `tsvector`. A migration creates the
 * table, because drizzle-kit supports neither. Both get words of only letters and digits, which contain no syntax.
 */
const searchIndex = table('search_index', { rowid: integerColumn().notNull(), text: textColumn().notNull() })

/**
 * FTS5 takes commands as inserts into the column named like the table. The name is capitalized, which SQLite ignores,
 * because Drizzle keeps the columns of only one of two tables with the same name.
 */
const indexCommands = table('Search_index', {
  searchIndex: textColumn().notNull(),
  rank: integerColumn().notNull(),
})

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

/** Those of PostgreSQL whose `number` and `words`, as they are stored, another part of the query selects. */
export function putDocumentsFrom(tx: Pick<Transaction, 'insert'>, source: SQL) {
  return tx.insert(searchIndex).select(sql`select number, cast(words as tsvector) from ${source}`)
}

export async function deleteDocuments(tx: Transaction, numbers: number[]): Promise<void> {
  if (numbers.length > 0) await tx.delete(searchIndex).where(inArray(searchIndex.rowid, numbers))
}

/**
 * Segments of one size that are merged into one. FTS5 merges 4, and writes each document again more often: with 8, about as
 * many segments are searched, because there are fewer sizes.
 */
const SEGMENTS_PER_MERGE = 8

/**
 * FTS5 collects documents in segments and occasionally merges them inside a commit, which takes 50 ms and more. This
 * turns that off, and `mergeIndex` merges in small steps instead. The limit applies only if `mergeIndex` never runs.
 */
export async function mergeInStepsOnly(tx: Transaction): Promise<void> {
  if (engine !== 'sqlite') return
  await tx.insert(indexCommands).values([
    { searchIndex: 'automerge', rank: 0 },
    { searchIndex: 'crisismerge', rank: 1_000 },
    { searchIndex: 'usermerge', rank: SEGMENTS_PER_MERGE },
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

/**
 * Documents that one query of SQLite's index searches: about 50 ms for the most common words. Before its first row,
 * SQLite reads everything about each word that an incomplete one may begin, so smaller ranges would take longer in
 * total.
 */
const NUMBERS_PER_QUERY = engine === 'sqlite' ? 65_536 : Number.MAX_SAFE_INTEGER

/** A part of the matches. */
export interface Matches {
  /** Highest first. Not ranked: ranking would read every match. */
  numbers: number[]
  /** There may be more matches below this number; undefined if there are none. */
  below: number | undefined
}

/** Where to look for matches: `downTo` and above, but below `below`. */
interface NumberRange {
  downTo: number
  below: number
}

/** The highest matching documents in a range, at most `limit`, from a part of the range. `among`: only these match. */
export async function matchingNumbers(
  read: Reader,
  query: IndexQuery,
  { downTo, below, limit, among }: NumberRange & { limit: number; among?: number[] },
): Promise<Matches> {
  const from = Math.max(downTo, below - NUMBERS_PER_QUERY)
  const params = { expression: expressionOf(query), from, below, limit }
  const rows = among
    ? await matchesAmong(read, { ...params, among: JSON.stringify(among) })
    : await matches(read, params)
  const numbers = rows.map(({ number }) => number)
  const last = numbers.at(-1)
  if (last !== undefined && numbers.length >= limit) return { numbers, below: last }
  return { numbers, below: from > downTo ? from : undefined }
}

const insertTexts = insertOf(searchIndex, {
  expressions: engine === 'sqlite' ? {} : { text: (text) => sql`cast(${text} as tsvector)` },
})

const matches = statement(
  'search_index_matches',
  { expression: text, from: integer, below: integer, limit: value<number>() },
  (read: Reader, p) =>
    read
      .select({ number: searchIndex.rowid })
      .from(searchIndex)
      .where(matchesWithin(p))
      .orderBy(desc(searchIndex.rowid))
      .limit(p.limit),
)

const matchesAmong = statement(
  'search_index_matches_among',
  { expression: text, from: integer, below: integer, limit: value<number>(), among: text },
  (read: Reader, p) => {
    const numbers =
      engine === 'sqlite'
        ? sql`select value from json_each(${p.among})`
        : sql`select cast(value as bigint) from jsonb_array_elements_text(cast(${p.among} as jsonb))`
    return (
      read
        .select({ number: searchIndex.rowid })
        .from(searchIndex)
        // An expression. Otherwise FTS5 would run one lookup per number.
        .where(and(matchesWithin(p), sql`(${searchIndex.rowid} + 0) in (${numbers})`))
        .orderBy(desc(searchIndex.rowid))
        .limit(p.limit)
    )
  },
)

function matchesWithin({
  expression,
  from,
  below,
}: Record<'expression' | 'from' | 'below', SQL>): SQL | undefined {
  return and(
    engine === 'sqlite'
      ? sql`search_index match ${expression}`
      : sql`${searchIndex.text} @@ cast(${expression} as tsquery)`,
    gte(searchIndex.rowid, from),
    lt(searchIndex.rowid, below),
  )
}

/** The text of a document as the index stores it. */
export function storedText(words: string[]): string {
  return engine === 'sqlite' ? words.join(' ') : vectorText(words)
}

/** Words with positions in the syntax of `tsvector`, whose own parser would split some words. */
function vectorText(words: string[]): string {
  const places = new Map<string, number[]>()
  words.forEach((word, place) => {
    const at = places.get(word)
    if (at) at.push(place + 1)
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
