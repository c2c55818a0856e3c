import { matches } from '../../../database/matches.ts'
import { widgetConversations } from '../../../database/tables/widgets.ts'
import type { Deps } from '../../../deps.ts'
import { recordEvents } from '../../../events/events.ts'
import type { SignedInVisitor } from '../visitors/visitors.ts'
import { findConversation, findMessage } from './queries.ts'
import { requireConversation, unknownConversation } from './read-conversations.ts'

/**
 * Saves the newest agent message that a visitor has read. It never moves back, because two pages may be open. Agents
 * see it. Throws 404.
 */
export async function markSeen(
  deps: Deps,
  me: SignedInVisitor,
  { id, messageId }: { id: string; messageId: string },
): Promise<void> {
  const { read } = deps.database
  const { orgId, ticketId, place } = await requireConversation(read, me, id)
  const [message] = await findMessage(read, { ...place, id: messageId })
  if (!message) throw unknownConversation()
  const at = message.createdAt
  await deps.database.write(orgId, async (tx) => {
    const isThis = matches(widgetConversations, { orgId, ticketId })
    // Locks the row: another page of the visitor may have seen more.
    await tx.update(widgetConversations).set({ ticketId }).where(isThis)
    const [row] = await findConversation(tx, { orgId, ticketId })
    if (!row || !isAfter({ at, id: messageId }, { at: row.seenMessageAt ?? -1, id: row.seenMessageId }))
      return
    await tx
      .update(widgetConversations)
      .set({ seenMessageId: messageId, seenAt: deps.clock.now() })
      .where(isThis)
    const createdAt = deps.clock.now()
    recordEvents(deps, tx, orgId, [{ type: 'conversation.seen', ticketId, createdAt }])
  })
}

function isAfter(one: { at: number; id: string }, other: { at: number; id: string }): boolean {
  return one.at > other.at || (one.at === other.at && one.id > other.id)
}
