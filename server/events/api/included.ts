import { and, eq, inArray } from 'drizzle-orm'
import { withAttachments } from '../../attachments/queries.ts'
import type { Reader } from '../../database/database.ts'
import { messages } from '../../database/tables/messages.ts'
import { messageColumns, type TicketWithCustomer } from '../../tickets/queries.ts'
import { viewListedTicket, viewSentMessage } from '../../tickets/views.ts'

/** A ticket as lists show it, with the id of its customer. */
export function viewTicketOfEvent(ticket: TicketWithCustomer) {
  const listed = viewListedTicket(ticket)
  return { ...listed, customer: { ...listed.customer, id: ticket.customer.id } }
}

const { id, ...ofMessage } = messageColumns

/** Messages as a ticket shows them, each with its ticket. */
export async function readMessages(read: Reader, orgId: string, ids: string[]) {
  if (ids.length === 0) return []
  const found = await read
    .select({
      id,
      ticketId: messages.ticketId,
      agentId: messages.agentId,
      authorName: messages.authorName,
      ...ofMessage,
    })
    .from(messages)
    .where(and(eq(messages.orgId, orgId), inArray(messages.id, ids)))
  return inOrder(await withAttachments(read, orgId, found), ids)
}

export type MessageOfEvent = Awaited<ReturnType<typeof readMessages>>[number]

export function viewMessageOfEvent(message: MessageOfEvent) {
  return { ...viewSentMessage(message), ticketId: message.ticketId }
}

function inOrder<Row extends { id: string }>(rows: Row[], ids: string[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((one) => byId.get(one) ?? [])
}
