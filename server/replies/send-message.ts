import type { Transaction } from '../database/database.ts'
import { type Actor, actingAs, type Deps } from '../deps.ts'
import { recordEvents } from '../events/events.ts'
import { counterChanges, moveCounters } from '../tickets/counters.ts'
import { addAgentMessage } from '../tickets/messages.ts'
import type { Message, Ticket } from '../tickets/queries.ts'
import { changeRow } from '../tickets/update-ticket.ts'
import { assignsOnReply, deleteScheduled, type ScheduledMessage } from './queries.ts'

/**
 * Turns a scheduled message into a message of the ticket, under the same id, and gives the ticket the status that was
 * chosen with it. `assignable` holds the agents whose rows the unit has locked.
 */
export async function sendMessage(
  deps: Deps,
  tx: Transaction,
  { scheduled, assignable }: { scheduled: ScheduledMessage; assignable: Set<string> },
): Promise<Message> {
  const { orgId, id, ticketId, agentId, agentName, text, requestHash } = scheduled
  await deleteScheduled(tx, scheduled)
  const asAuthor = actingAs(deps, authorOf(scheduled))
  const input = { id, ticketId, agentId: agentId ?? undefined, agentName, text, requestHash }
  const { message, ticket, event } = await addAgentMessage(asAuthor, tx, orgId, input)
  const now = deps.clock.now()
  const change = {
    ...(scheduled.thenStatus !== null && { status: scheduled.thenStatus }),
    ...((await isToAssign(tx, { ticket, agentId, assignable })) && { assignedTo: agentId }),
  }
  const changed = await changeRow(asAuthor, tx, ticket, { change, assignable, now })
  const updated = { type: 'ticket.updated' as const, ticketId, createdAt: now }
  await recordEvents(asAuthor, tx, orgId, changed ? [event, updated] : [event])
  if (changed) await moveCounters(tx, orgId, counterChanges(changed.before, changed.after))
  return message
}

async function isToAssign(
  tx: Transaction,
  { ticket, agentId, assignable }: { ticket: Ticket; agentId: string | null; assignable: Set<string> },
): Promise<boolean> {
  if (agentId === null || ticket.assignedTo !== '' || !assignable.has(agentId)) return false
  return assignsOnReply(tx, ticket.orgId)
}

function authorOf({ agentId, keyId, agentName: name }: ScheduledMessage): Actor {
  if (agentId !== null) return { kind: 'agent', id: agentId, name }
  return keyId === null ? { kind: 'key', name } : { kind: 'key', id: keyId, name }
}
