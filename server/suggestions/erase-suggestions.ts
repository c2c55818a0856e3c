import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { attachments } from '../database/tables/attachments.ts'
import { events } from '../database/tables/events.ts'
import { messages } from '../database/tables/messages.ts'
import { suggestions } from '../database/tables/threads.ts'

/**
 * Deletes what other tickets have of answers to messages that are in these now: they were moved, and their words may be in
 * the answers. Returns the numbers of the events that have bodies, and the hashes of the files.
 */
export async function eraseMovedSuggestions(
  tx: Transaction,
  { orgId, ticketIds, others }: { orgId: string; ticketIds: string[]; others: string[] },
): Promise<{ moved: number[]; files: string[] }> {
  const answered = tx
    .select({ id: messages.id })
    .from(messages)
    .where(and(eq(messages.orgId, orgId), inArray(messages.ticketId, ticketIds)))
  const found = await tx
    .select({ id: suggestions.id })
    .from(suggestions)
    .where(
      and(
        eq(suggestions.orgId, orgId),
        inArray(suggestions.ticketId, others),
        inArray(suggestions.answers, answered),
      ),
    )
  if (found.length === 0) return { moved: [], files: [] }
  const ids = found.map(({ id }) => id)
  const logged = await tx
    .select({ number: events.number })
    .from(events)
    .where(
      and(
        eq(events.orgId, orgId),
        inArray(events.ticketId, others),
        // Literally, for the partial index.
        sql`body is not null`,
        inArray(events.messageId, ids),
      ),
    )
  const moved = logged.map(({ number }) => number)
  return { moved, files: await deleteSuggestions(tx, ids) }
}

/** Returns the hashes of their files: the caller deletes those after the unit, unless something else refers to them. */
export async function deleteSuggestions(tx: Transaction, ids: string[]): Promise<string[]> {
  await tx.delete(suggestions).where(inArray(suggestions.id, ids))
  const files = await tx
    .delete(attachments)
    .where(inArray(attachments.ownerId, ids))
    .returning({ hash: attachments.hash })
  return files.map(({ hash }) => hash)
}
