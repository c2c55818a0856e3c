import { and, desc, eq, sql } from 'drizzle-orm'
import type { Transaction } from '../../../database/database.ts'
import { messages } from '../../../database/tables/messages.ts'
import { widgetConversations } from '../../../database/tables/widgets.ts'
import type { Deps } from '../../../deps.ts'

/** How long a visitor has to read an answer in the widget before it goes out by email. */
export const TIME_TO_READ_MS = 10 * 60_000

/**
 * Plans the email that a visitor of the widget gets if they don't read an answer. A visitor who wrote last by email has left the
 * page, and gets it at once.
 */
export async function scheduleUnreadEmail(
  deps: Deps,
  tx: Transaction,
  { orgId, id: ticketId }: { orgId: string; id: string },
): Promise<void> {
  const [newest] = await tx
    .select({ email: messages.email })
    .from(messages)
    .where(and(eq(messages.orgId, orgId), eq(messages.ticketId, ticketId), eq(messages.role, 'customer')))
    .orderBy(desc(messages.createdAt), desc(messages.id))
    .limit(1)
  const dueAt = deps.clock.now() + (newest?.email ? 0 : TIME_TO_READ_MS)
  await tx
    .update(widgetConversations)
    .set({ emailDueAt: sql`coalesce(${widgetConversations.emailDueAt}, ${dueAt})` })
    .where(and(eq(widgetConversations.orgId, orgId), eq(widgetConversations.ticketId, ticketId)))
}
