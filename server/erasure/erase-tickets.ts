import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { messages } from '../database/tables/messages.ts'
import { organizations } from '../database/tables/organizations.ts'
import { waitingReplies } from '../database/tables/replies.ts'
import { activities, drafts, notes, readMarks } from '../database/tables/threads.ts'
import { tickets, ticketTags } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { recordEvents } from '../events/events.ts'
import { forgetAnswers } from '../idempotency/forget.ts'
import { replaceDocuments } from '../search/index/documents.ts'
import { threadLocation } from '../threads/send-once.ts'
import { moveCounters, sumOfChanges } from '../tickets/counters.ts'
import type { Ticket } from '../tickets/queries.ts'
import { eraseDeliveries } from '../webhooks/deliveries/erase-deliveries.ts'

/** All tables that hold something of a ticket under its id. */
const OF_TICKETS = [messages, notes, activities, ticketTags, readMarks, drafts, waitingReplies]

/**
 * Deletes tickets whose rows the unit has, and every word of them wherever it stands. The log keeps that there were
 * events, without their bodies.
 */
export async function eraseTickets(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  gone: Ticket[],
): Promise<void> {
  if (gone.length === 0) return
  const now = deps.clock.now()
  const ticketIds = gone.map(({ id }) => id)
  await forgetAnswers(tx, orgId, { ticketIds, locations: ticketIds.map(threadLocation) })
  for (const table of OF_TICKETS) {
    await tx.delete(table).where(and(eq(table.orgId, orgId), inArray(table.ticketId, ticketIds)))
  }
  await tx.delete(tickets).where(and(eq(tickets.orgId, orgId), inArray(tickets.id, ticketIds)))
  await replaceDocuments(
    tx,
    orgId,
    ticketIds.map((ticketId) => ({ ticketId, words: undefined })),
  )
  await recordEvents(
    deps,
    tx,
    orgId,
    ticketIds.map((ticketId) => ({ type: 'ticket.deleted', ticketId, createdAt: now })),
  )
  // The index sees to what is left on the disk (server/search/index/merge-segments.ts).
  await tx
    .update(organizations)
    .set({ erasedEvent: sql`${organizations.lastEvent}` })
    .where(eq(organizations.id, orgId))
  await eraseDeliveries(tx, { orgId, ticketIds, now })
  await moveCounters(tx, orgId, sumOfChanges(gone.map((before) => ({ before }))))
}
