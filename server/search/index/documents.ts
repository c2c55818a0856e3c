import { and, eq, inArray, max, min, sql } from 'drizzle-orm'
import type { Transaction } from '../../database/database.ts'
import { putDocuments, takeDocumentsOut } from '../../database/full-text.ts'
import { rowsCommand } from '../../database/statement.ts'
import { searchDocuments } from '../../database/tables/search.ts'

/** A ticket as it was read; without words it is gone. */
export interface Read {
  ticketId: string
  words: string[] | undefined
}

/** Takes tickets out of the index and puts them in again as the newest, the last of them on top. */
export async function replaceDocuments(tx: Transaction, orgId: string, read: Read[]): Promise<void> {
  const gone = await forgetNumbers(
    tx,
    orgId,
    read.filter(({ words }) => !words),
  )
  const known = await numbersOf(
    tx,
    orgId,
    read.filter(({ words }) => words),
  )
  await takeDocumentsOut(tx, [...gone, ...known.values()])
  const [highest] = await tx.select({ number: max(searchDocuments.number) }).from(searchDocuments)
  await insertFrom(tx, orgId, (highest?.number ?? 0) + 1, read)
}

/** Puts tickets below all others, the last of them lowest; those that are in stay where they are. */
export async function addOlderDocuments(tx: Transaction, orgId: string, read: Read[]): Promise<void> {
  const known = await numbersOf(tx, orgId, read)
  const missing = read.filter(({ ticketId, words }) => words && !known.has(ticketId))
  const [lowest] = await tx.select({ number: min(searchDocuments.number) }).from(searchDocuments)
  await insertFrom(tx, orgId, (lowest?.number ?? 0) - missing.length, missing.toReversed())
}

/** Puts tickets that are in the index in again with other words, where they are. */
export async function renewDocuments(tx: Transaction, orgId: string, read: Read[]): Promise<void> {
  const known = await numbersOf(tx, orgId, read)
  await takeDocumentsOut(tx, [...known.values()])
  const documents = read.flatMap(({ ticketId, words }) => {
    const number = known.get(ticketId)
    return words && number !== undefined ? [{ number, words }] : []
  })
  await putDocuments(
    tx,
    documents.sort((one, other) => one.number - other.number),
  )
}

// On PostgreSQL a ticket may be deleted while the index is putting it in anew. Both take its row, and get its number by
// the same statement: whichever comes second waits for the other. Else a document could stay that no row knows of.

/** Takes the rows of tickets away; answers the numbers they had. */
async function forgetNumbers(tx: Transaction, orgId: string, gone: Read[]): Promise<number[]> {
  if (gone.length === 0) return []
  const rows = await tx
    .delete(searchDocuments)
    .where(areOf(orgId, gone))
    .returning({ number: searchDocuments.number })
  return rows.map(({ number }) => number)
}

async function numbersOf(tx: Transaction, orgId: string, read: Read[]): Promise<Map<string, number>> {
  if (read.length === 0) return new Map()
  const rows = await tx
    .update(searchDocuments)
    .set({ number: sql`${searchDocuments.number}` })
    .where(areOf(orgId, read))
    .returning({ ticketId: searchDocuments.ticketId, number: searchDocuments.number })
  return new Map(rows.map(({ ticketId, number }) => [ticketId, number]))
}

function areOf(orgId: string, read: Read[]) {
  const ids = read.map(({ ticketId }) => ticketId)
  return and(eq(searchDocuments.orgId, orgId), inArray(searchDocuments.ticketId, ids))
}

async function insertFrom(tx: Transaction, orgId: string, first: number, read: Read[]): Promise<void> {
  const documents = read.flatMap(({ ticketId, words }) => (words ? [{ ticketId, words }] : []))
  const numbered = documents.map((document, place) => ({ ...document, number: first + place }))
  await saveNumbers(
    tx,
    numbered.map(({ ticketId, number }) => ({ orgId, ticketId, number })),
  )
  await putDocuments(tx, numbered)
}

const saveNumbers = rowsCommand<{ orgId: string; ticketId: string; number: number }>(
  'search_documents_save',
  (tx, rows) => {
    const insert = tx
      .insert(searchDocuments)
      .values(rows.map((p) => ({ orgId: p.orgId, ticketId: p.ticketId, number: p.number })))
    return insert.onConflictDoUpdate({
      target: [searchDocuments.orgId, searchDocuments.ticketId],
      set: { number: sql`excluded.number` },
    })
  },
)
