import type { Deps } from '../../server/deps.ts'
import { recordEvents } from '../../server/events/events.ts'
import {
  insertMessages,
  type Message,
  newMessage,
  touchTags,
  touchWithMessage,
} from '../../server/tickets/queries.ts'

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
  await deps.database.write(undefined, async (tx) => {
    for (const message of messages) {
      id = deps.newId('msg')
      const createdAt = message.createdAt ?? deps.clock.now()
      await insertMessages(tx, [newMessage({ role: 'customer', ...message, id, orgId, ticketId, createdAt })])
    }
    const updatedAt = deps.clock.now()
    const effect = messages.at(-1)?.role === 'agent' ? 'answer' : 'question'
    const [ticket] = await touchWithMessage(tx, { orgId, id: ticketId, at: updatedAt, effect })
    if (ticket) await touchTags(tx, ticket)
    recordEvents(deps, tx, orgId, [{ type: 'ticket.updated', ticketId, createdAt: updatedAt }])
  })
  return id
}
