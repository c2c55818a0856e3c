import { customerOf } from '../customers/customers.ts'
import type { Transaction } from '../database/database.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { type NewEvent, recordEvents } from '../events/events.ts'
import { isId } from '../ids.ts'
import { insertMessages, type Message, type Ticket, touchTags, touchTicket } from './queries.ts'
import type { AlsoSave } from './tickets.ts'
import { webhookMessageSent } from './views.ts'

/** Code points; a draft of one may be as long. */
export const MOST_MESSAGE_LENGTH = 65_536

export interface NewAgentMessage {
  /** Made when absent. */
  id?: string
  requestHash?: string | null
  ticketId: string
  text: string
  /** Shown with the message: the key's name, or the agent's. */
  agentName: string
  /** Only of an agent who is signed in. */
  agentId?: string | undefined
}

/** A message that is stored, its ticket as it is with it, and what the log is still to be told. */
export interface AddedMessage {
  message: Message
  ticket: Ticket
  event: NewEvent
}

/** Stores an agent's message and tells the log. Throws 404. */
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
 * Stores an agent's message in a unit that tells the log of it afterwards. It leaves through the ticket's own channel
 * (`queued`); the API channel has no transport, there `message.sent` tells the integrator. Begins with the ticket's
 * row. Throws 404.
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
