import { and, eq, sql } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { insertOf, statement } from '../database/statement.ts'
import { messages } from '../database/tables/messages.ts'
import { readMarks } from '../database/tables/threads.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
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
  await deps.database.write(async (tx) => {
    await requireTicket(tx, orgId, ticketId)
    const [message] = await findMessage(tx, { orgId, ticketId, id: messageId })
    if (!message) throw notFound('message')
    await saveMarks(tx, [{ ...mark, messageAt: message.createdAt }])
  })
}

/** Marks the ticket as unread for this agent. Throws 404. */
export async function markUnread(deps: Deps, { orgId, agentId, ticketId }: Mark): Promise<void> {
  await deps.database.write(async (tx) => {
    await requireTicket(tx, orgId, ticketId)
    await tx
      .delete(readMarks)
      .where(
        and(eq(readMarks.orgId, orgId), eq(readMarks.agentId, agentId), eq(readMarks.ticketId, ticketId)),
      )
  })
}

/** A message of that ticket, by its id. */
const findMessage = statement<
  { orgId: string; ticketId: string; id: string },
  { createdAt: number }[],
  Transaction
>('read_marks_message', (tx, p) =>
  tx
    .select({ createdAt: messages.createdAt })
    .from(messages)
    .where(and(eq(messages.orgId, p.orgId), eq(messages.ticketId, p.ticketId), eq(messages.id, p.id))),
)

const saveMarks = insertOf(readMarks, {
  onConflict: {
    target: [readMarks.orgId, readMarks.agentId, readMarks.ticketId],
    set: { messageId: sql`excluded.message_id`, messageAt: sql`excluded.message_at` },
    setWhere: sql`(excluded.message_at, excluded.message_id) > (${readMarks.messageAt}, ${readMarks.messageId})`,
  },
})
