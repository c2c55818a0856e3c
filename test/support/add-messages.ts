import { eq } from 'drizzle-orm'
import { tickets } from '../../server/database/tables/tickets.ts'
import type { Deps } from '../../server/deps.ts'
import { recordEvents } from '../../server/events/events.ts'
import { insertMessages, type Message, newMessage } from '../../server/tickets/queries.ts'

type NewMessage = Partial<Pick<Message, 'role' | 'agentId' | 'agentName' | 'sending' | 'createdAt'>> & {
  text: string
}

/** Adds messages as a channel would, from the customer by default. Open pages get an event. Returns the last id. */
export async function addMessages(
  deps: Deps,
  { orgId, ticketId }: { orgId: string; ticketId: string },
  ...messages: NewMessage[]
): Promise<string> {
  let id = ''
  await deps.database.write(async (tx) => {
    for (const message of messages) {
      id = deps.newId('msg')
      const createdAt = message.createdAt ?? deps.clock.now()
      await insertMessages(tx, [newMessage({ role: 'customer', ...message, id, orgId, ticketId, createdAt })])
    }
    const updatedAt = deps.clock.now()
    await tx.update(tickets).set({ updatedAt }).where(eq(tickets.id, ticketId))
    await recordEvents(deps, tx, orgId, [{ type: 'ticket.updated', ticketId, createdAt: updatedAt }])
  })
  return id
}
