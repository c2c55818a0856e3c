import { customerOf } from '../customers/customers.ts'
import type { Transaction } from '../database/database.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { type NewEvent, recordEvents } from '../events/events.ts'
import { isId } from '../ids.ts'
import { insertMessages, type Message, type Ticket, touchTags, touchTicket } from './queries.ts'
import type { AlsoSave } from './tickets.ts'
import { webhookMessageSent } from './views.ts'

/** In code points, for messages and drafts. */
export const MOST_MESSAGE_LENGTH = 65_536

interface NewAgentMessage {
  /** Made when absent. */
  id?: string
  requestHash?: string | null
  ticketId: string
  text: string
  /** Shown with the message: the name of the key or the agent. */
  agentName: string
  /** Only for an agent with a session. */
  agentId?: string | undefined
}

/** A stored message, its ticket after it, and the event that the caller must record. */
interface AddedMessage {
  message: Message
  ticket: Ticket
  event: NewEvent
}

/** Stores an agent's message and records the event. Throws 404. */
export async function postAgentMessage(
  deps: Deps,
  orgId: string,
  input: NewAgentMessage,
  alsoSave?: AlsoSave<Message>,
): Promise<Message> {
  return deps.database.write(async (tx) => {
    const { message, event } = await addAgentMessage(deps, tx, orgId, input)
    await recordEvents(deps, tx, orgId, [event])
    await alsoSave?.(tx, message)
    return message
  })
}

/**
 * Stores an agent's message; the caller records the event. The ticket's channel sends it (`queued`). The API channel
 * sends nothing: there the webhook `message.sent` delivers it. Locks the ticket's row first. Throws 404.
 */
export async function addAgentMessage(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  input: NewAgentMessage,
): Promise<AddedMessage> {
  const { ticketId } = input
  if (!isId('tkt', ticketId)) throw notFound('ticket')
  const now = deps.clock.now()
  const [ticket] = await touchTicket(tx, { orgId, id: ticketId, updatedAt: now })
  if (!ticket) throw notFound('ticket')
  const message: Message = {
    id: input.id ?? deps.newId('msg'),
    orgId,
    ticketId,
    role: 'agent',
    text: input.text,
    agentId: input.agentId ?? null,
    agentName: input.agentName,
    sending: ticket.channel === 'api' ? 'sent' : 'queued',
    sendError: null,
    requestHash: input.requestHash ?? null,
    createdAt: now,
  }
  await insertMessages(tx, [message])
  if (ticket.tags.length > 0) await touchTags(tx, { orgId, ticketId, updatedAt: now })
  const customer = await customerOf(tx, orgId, ticket.customerId)
  const data = webhookMessageSent({ ...ticket, customer }, message)
  return { message, ticket, event: { type: 'message.sent', ticketId, createdAt: now, data } }
}
