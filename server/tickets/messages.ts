import { customerOf } from '../customers/customers.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { recordEvents } from '../events/events.ts'
import { isId } from '../ids.ts'
import { insertMessage, type Message, touchTags, touchTicket } from './rows.ts'
import type { AlsoSave } from './tickets.ts'
import { webhookMessageSent } from './views.ts'

export interface NewAgentMessage {
  ticketId: string
  text: string
  /** Shown with the message: the key's name, or the agent's. */
  agentName: string
  /** Only of an agent who is signed in. */
  agentId?: string | undefined
}

/**
 * Stores an agent's message. It leaves through the ticket's own channel afterwards (`queued`); the API channel has
 * no transport, there `message.sent` tells the integrator.
 */
export async function postAgentMessage(
  deps: Deps,
  orgId: string,
  input: NewAgentMessage,
  alsoSave?: AlsoSave<Message>,
): Promise<Message> {
  const { ticketId } = input
  if (!isId('tkt', ticketId)) throw notFound('ticket')
  return deps.database.write(async (tx) => {
    const now = deps.clock.now()
    const [ticket] = await touchTicket(tx, { orgId, id: ticketId, updatedAt: now })
    if (!ticket) throw notFound('ticket')
    const message: Message = {
      id: deps.newId('msg'),
      orgId,
      ticketId,
      role: 'agent',
      text: input.text,
      agentId: input.agentId ?? null,
      agentName: input.agentName,
      sending: ticket.channel === 'api' ? 'sent' : 'queued',
      createdAt: now,
    }
    await insertMessage(tx, message)
    if (ticket.tags.length > 0) await touchTags(tx, { orgId, ticketId, updatedAt: now })
    const customer = await customerOf(tx, orgId, ticket.customerId)
    const data = webhookMessageSent({ ...ticket, customer }, message)
    await recordEvents(deps, tx, orgId, [{ type: 'message.sent', ticketId, createdAt: now, data }])
    await alsoSave?.(tx, message)
    return message
  })
}
