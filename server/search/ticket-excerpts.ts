import { sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import type { ExpensiveRead } from '../database/expensive-reads.ts'
import { matches } from '../database/matches.ts'
import { statement, text } from '../database/statement.ts'
import { messages } from '../database/tables/messages.ts'
import { notes } from '../database/tables/threads.ts'
import { plainTextOf, withoutImageMarks } from '../formatting/plain-text.ts'
import { excerptOf } from './excerpt.ts'

/** How much of a thread is searched for an excerpt, newest first. */
const EXCERPT_MESSAGES = 10
const EXCERPT_SOURCE_LENGTH = 4_000

/**
 * Adds text around the search words, where a message or a note has some. Splitting long threads into words takes a while, so other requests run between tickets.
 */
export async function withExcerpts<Row extends { id: string }>(
  read: Reader,
  {
    orgId,
    rows,
    terms,
    hasNotes = true,
    expensive,
  }: { orgId: string; rows: Row[]; terms: string[]; hasNotes?: boolean; expensive: ExpensiveRead },
): Promise<(Row & { excerpt?: string })[]> {
  if (terms.length === 0) return rows
  const found: (Row & { excerpt?: string })[] = []
  for (const row of rows) {
    const excerpt = excerptOf(await textsOf(read, { orgId, ticketId: row.id, hasNotes }), terms)
    found.push(excerpt === undefined ? row : { ...row, excerpt })
    await expensive.examined(1)
  }
  return found
}

/** The newest messages and notes of a ticket, newest first. */
async function textsOf(
  read: Reader,
  { orgId, ticketId, hasNotes }: { orgId: string; ticketId: string; hasNotes: boolean },
): Promise<string[]> {
  const texts = [
    ...(await newestMessages(read, { orgId, ticketId })),
    ...(hasNotes ? await newestNotes(read, { orgId, ticketId }) : []),
  ]
  return texts
    .sort((one, other) => other.createdAt - one.createdAt)
    .map((text) => withoutImageMarks(plainTextOf(text)))
}

const newestMessages = newestTexts('messages', messages)
const newestNotes = newestTexts('notes', notes)

function newestTexts(name: string, table: typeof messages | typeof notes) {
  return statement(`inbox_newest_${name}`, { orgId: text, ticketId: text }, (read: Reader, p) =>
    read
      .select({
        text: sql<string>`substr(text, 1, ${sql.raw(String(EXCERPT_SOURCE_LENGTH))})`,
        format: table.format,
        createdAt: table.createdAt,
      })
      .from(table)
      .where(matches(table, p))
      .orderBy(sql`created_at desc, id desc`)
      .limit(EXCERPT_MESSAGES),
  )
}
