import type { Transaction } from '../database/database.ts'
import { actingAs, type Deps } from '../deps.ts'
import { recordEvents } from '../events/events.ts'
import { changeRow } from '../tickets/change-ticket.ts'
import { counterChanges, moveCounters } from '../tickets/counters.ts'
import { addAgentMessage } from '../tickets/messages.ts'
import type { WaitingReply } from './queries.ts'

/**
 * A reply becomes a message, and its ticket gets the status that was chosen with it, in the unit that takes the reply
 * away. The message has the reply's own number, so that one reply is never two messages.
 */
export async function sendReply(deps: Deps, tx: Transaction, reply: WaitingReply): Promise<void> {
  const { orgId, ticketId, agentId, agentName, text, thenStatus } = reply
  const asAuthor = actingAs(deps, { kind: 'agent', id: agentId, name: agentName })
  const input = { id: messageIdOf(reply.id), ticketId, agentId, agentName, text }
  const { ticket, event } = await addAgentMessage(asAuthor, tx, orgId, input)
  const now = deps.clock.now()
  const change = thenStatus === null ? {} : { status: thenStatus }
  const changed = await changeRow(asAuthor, tx, ticket, { change, assignable: new Set(), now })
  const updated = { type: 'ticket.updated' as const, ticketId, createdAt: now }
  await recordEvents(asAuthor, tx, orgId, changed ? [event, updated] : [event])
  if (changed) await moveCounters(tx, orgId, counterChanges(changed.before, changed.after))
}

/** `msg_…` of `rpl_…`. */
export function messageIdOf(replyId: string): string {
  return `msg_${replyId.slice('rpl_'.length)}`
}
