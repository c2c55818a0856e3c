import { and, sql } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { insertOf, statement, text } from '../database/statement.ts'
import { messages } from '../database/tables/messages.ts'
import { readMarks } from '../database/tables/threads.ts'
import { widgetConversations } from '../database/tables/widgets.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { recordEvents } from '../events/events.ts'
import { isId } from '../ids.ts'
import { requireTicket } from '../tickets/queries.ts'

type Mark = {
  orgId: string
  agentId: string
  ticketId: string
}

/** Saves how far an agent has read. A mark never moves back: two pages may be open. Throws 404. */
export async function markRead(deps: Deps, mark: Mark & { messageId: string }): Promise<void> {
  const { orgId, ticketId, messageId } = mark
  if (!isId('msg', messageId)) throw notFound('message')
  await deps.database.write(orgId, async (tx) => {
    const ticket = await requireTicket(tx, orgId, ticketId)
    const [message] = await findMessage(tx, { orgId, ticketId, id: messageId })
    if (!message) throw notFound('message')
    const { agentId } = mark
    await saveMarks(tx, [{ orgId, agentId, ticketId, messageId, messageAt: message.createdAt }])
    if (ticket.channel === 'widget') await showAsSeen(deps, tx, { orgId, ticketId, at: message.createdAt })
  })
}

/** Tells the visitor's page that agents have read their new messages. */
async function showAsSeen(
  deps: Deps,
  tx: Transaction,
  { orgId, ticketId, at }: { orgId: string; ticketId: string; at: number },
): Promise<void> {
  const now = deps.clock.now()
  const seenAt = widgetConversations.seenByAgentAt
  const isNew = sql`exists (select 1 from messages read_message where read_message.ticket_id = ${ticketId}
    and read_message.role = 'customer' and read_message.created_at <= ${at}
    and (${seenAt} is null or read_message.created_at > ${seenAt}))`
  const changed = await tx
    .update(widgetConversations)
    .set({ seenByAgentAt: now })
    .where(and(matches(widgetConversations, { orgId, ticketId }), isNew))
    .returning({ ticketId: widgetConversations.ticketId })
  if (changed.length === 0) return
  recordEvents(deps, tx, orgId, [{ type: 'conversation.seen', ticketId, createdAt: now }])
}

/** Marks the ticket as unread for this agent. Throws 404. */
export async function markUnread(deps: Deps, { orgId, agentId, ticketId }: Mark): Promise<void> {
  await deps.database.write(orgId, async (tx) => {
    await requireTicket(tx, orgId, ticketId)
    await tx.delete(readMarks).where(matches(readMarks, { orgId, agentId, ticketId }))
  })
}

/** A message of that ticket, by its id. */
const findMessage = statement(
  'read_marks_message',
  { orgId: text, ticketId: text, id: text },
  (tx: Transaction, p) =>
    tx.select({ createdAt: messages.createdAt }).from(messages).where(matches(messages, p)),
)

export const saveMarks = insertOf(readMarks, {
  onConflict: {
    target: [readMarks.orgId, readMarks.agentId, readMarks.ticketId],
    set: { messageId: sql`excluded.message_id`, messageAt: sql`excluded.message_at` },
    setWhere: sql`(excluded.message_at, excluded.message_id) > (${readMarks.messageAt}, ${readMarks.messageId})`,
  },
})
