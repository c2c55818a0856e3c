import { and, eq, inArray, sql } from 'drizzle-orm'
import { type Attachment, withAttachments } from '../attachments/queries.ts'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { insertOf, statement } from '../database/statement.ts'
import { suggestions } from '../database/tables/threads.ts'
import { type EventActor, readActors } from '../events/actors.ts'
import { inSlice } from '../responses/row-slices.ts'
import { isOfTicket, type OfTicket, ofTicket, placeInTicket } from '../tickets/rows-of-ticket.ts'

type SuggestionRow = typeof suggestions.$inferSelect

/** A suggestion with its files, and who suggests it as they are called now. */
export type Suggestion = SuggestionRow & { attachments: Attachment[]; by: EventActor }

export const insertSuggestions = insertOf(suggestions)

/** Adds their files and who suggests them. */
export async function completeSuggestions(
  read: Reader,
  orgId: string,
  rows: SuggestionRow[],
): Promise<Suggestion[]> {
  if (rows.length === 0) return []
  const byOf = await readActors(
    read,
    orgId,
    rows.map(({ byId }) => byId),
  )
  const withFiles = await withAttachments(read, orgId, rows)
  return withFiles.map((row) => ({ ...row, by: byOf(row.byId) }))
}

/** Those of a ticket that are open, newest first. */
export async function readOpenSuggestions(read: Reader, of: OfTicket): Promise<Suggestion[]> {
  const open = await openOfTicket(read, of)
  const newestFirst = open.sort(
    (one, other) => other.createdAt - one.createdAt || (one.id < other.id ? 1 : -1),
  )
  return completeSuggestions(read, of.orgId, newestFirst)
}

/** Sorted by the database, it would read all that are closed, too. */
const openOfTicket = statement('suggestions_of_ticket', ofTicket, (read: Reader, p) =>
  read
    .select()
    .from(suggestions)
    .where(and(isOfTicket(suggestions, p), sql`state = 'open'`)),
)

const rowBytes = sql`octet_length(${suggestions.text}) + octet_length(${suggestions.sources})
  + 300 * (1 + ${suggestions.attachmentCount})`

/** The next slice of those of a ticket before a place, newest first. */
export const suggestionsBefore = statement('suggestions_before', placeInTicket, (read: Reader, p) => {
  const { createdAt, id } = suggestions
  const where = and(isOfTicket(suggestions, p), sql`(${createdAt}, ${id}) < (${p.at}, ${p.afterId})`)
  const order = inSlice([createdAt, id], { where, bytes: rowBytes, isDescending: true })
  return read.select().from(suggestions).where(where).orderBy(order)
})

export async function findSuggestion(
  tx: Transaction,
  { orgId, ticketId, id }: OfTicket & { id: string },
): Promise<SuggestionRow | undefined> {
  const [found] = await tx.select().from(suggestions).where(matches(suggestions, { orgId, ticketId, id }))
  return found
}

export async function findSuggestionsById(read: Reader, orgId: string, ids: string[]): Promise<Suggestion[]> {
  if (ids.length === 0) return []
  const found = await read
    .select()
    .from(suggestions)
    .where(and(eq(suggestions.orgId, orgId), inArray(suggestions.id, ids)))
  return completeSuggestions(read, orgId, found)
}
