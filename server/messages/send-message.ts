import { findAttachmentsOf } from '../attachments/queries.ts'
import { customerOf } from '../customers/customers.ts'
import type { Transaction } from '../database/database.ts'
import type { HeldBecause } from '../database/tables/scheduled-messages.ts'
import type { Actions } from '../database/tables/tickets.ts'
import { type Actor, actingAs, type Deps } from '../deps.ts'
import { recordEvents } from '../events/events.ts'
import { moveCounters } from '../tickets/counters.ts'
import { addAgentMessage } from '../tickets/messages.ts'
import { lockTicket, type Message, requireTicket, type Ticket } from '../tickets/queries.ts'
import { isSnoozing } from '../tickets/snooze/snooze.ts'
import { isWokenByReply } from '../tickets/snooze/wake.ts'
import { changeRow, lockAssignees, stillPossible, updatedEvent } from '../tickets/update-ticket.ts'
import {
  assignsOnReply,
  deleteScheduled,
  findAnswer,
  findCustomerMessage,
  findScheduled,
  holdScheduled,
  isAuthorDisabled,
  isOfGrant,
  type ScheduledMessage,
  type ScheduledReply,
} from './queries.ts'
import { wayOf } from './sends/plan-sends.ts'

/** Sends a message that is due, unless it was taken back or held since it was found. */
export async function sendDue(
  deps: Deps,
  { orgId, ticketId, id }: Pick<ScheduledReply, 'orgId' | 'ticketId' | 'id'>,
): Promise<void> {
  const assignees = await assigneesOf(deps, { orgId, id })
  await deps.database.write(orgId, async (tx) => {
    const assignable = await lockAssignees(tx, orgId, assignees)
    await lockTicket(tx, { orgId, id: ticketId })
    const scheduled = await findScheduled(tx, { orgId, id })
    if (scheduled && !scheduled.isHeld) await sendOrHold(deps, tx, { scheduled, assignable })
  })
}

/**
 * Whom a message may assign its ticket to: its author, and the one in its actions. Read before the unit, which must lock
 * their rows first: neither ever changes.
 */
export async function assigneesOf(
  { database: { read } }: Deps,
  of: { orgId: string; id: string },
): Promise<Pick<Actions, 'assignedTo'>[]> {
  const scheduled = await findScheduled(read, of)
  return scheduled ? [{ assignedTo: scheduled.agentId }, scheduled.actions ?? {}] : []
}

/** Returns whether the message was sent. The unit has locked the author's row and the ticket's. */
export async function sendOrHold(
  deps: Deps,
  tx: Transaction,
  { scheduled, assignable }: { scheduled: ScheduledReply; assignable: Set<string> },
): Promise<boolean> {
  const because = await reasonToHold(deps, tx, scheduled)
  if (because) {
    await holdScheduled(tx, scheduled, because)
    recordHeldLater(deps, tx, scheduled)
    return false
  }
  await sendMessage(deps, tx, { scheduled, assignable })
  return true
}

/**
 * Turns a scheduled message into a message of the ticket, under the same id, and does what was chosen with it. `assignable` holds the agents whose rows the unit has locked.
 */
export async function sendMessage(
  deps: Deps,
  tx: Transaction,
  { scheduled, assignable }: { scheduled: ScheduledReply; assignable: Set<string> },
): Promise<Message> {
  const { orgId, id, ticketId, agentId, agentName, text, format, recipients, requestHash } = scheduled
  await deleteScheduled(tx, scheduled)
  const asAuthor = actingAs(deps, authorOf(scheduled))
  const bound = scheduled.attachmentCount === 0 ? [] : await findAttachmentsOf(tx, { orgId, ownerId: id })
  const written = { id, ticketId, agentId: agentId ?? undefined, agentName, text, format, requestHash }
  const input = { ...written, recipients, attachments: { bound } }
  const { message, ticket, events } = await addAgentMessage(asAuthor, tx, orgId, input)
  const now = deps.clock.now()
  const actions = stillPossible(ticket, scheduled.actions ?? {}, assignable)
  const isWoken = !isSnoozing(actions, now) && (await isWokenByReply(tx, ticket, agentId))
  const change = {
    ...((await isToAssign(tx, { ticket, scheduled, assignable })) && { assignedTo: agentId }),
    ...actions,
    // The time that was chosen may be past.
    ...(!isSnoozing(actions, now) && { snoozedUntil: isWoken ? null : undefined }),
  }
  const changed = await changeRow(asAuthor, tx, ticket, { change, assignable, now, isWoken })
  recordEvents(asAuthor, tx, orgId, changed ? [...events, updatedEvent(changed, now)] : events)
  if (changed) moveCounters(tx, orgId, [changed])
  return message
}

/**
 * A message is never sent in the name of an agent who is disabled, or of a key that is revoked, or by a program that was
 * disconnected. For such a program, also its agent is another one who answers.
 */
export async function reasonToHold(
  deps: Deps,
  tx: Transaction,
  scheduled: ScheduledReply,
): Promise<HeldBecause | undefined> {
  if (await isAuthorDisabled(tx, scheduled)) return 'disabled'
  const { orgId, ticketId, agentId, keyId, agentName, recipients, isForced, isLater } = scheduled
  const { seenMessageId, seenAt } = scheduled
  if (isForced) return undefined
  if (recipients && !(await leavesByEmail(deps, tx, scheduled))) return 'not_by_email'
  if (seenMessageId === null || seenAt === null) return undefined
  const author = isOfGrant(keyId) ? keyId : (agentId ?? agentName)
  const [answer] = await findAnswer(tx, { orgId, ticketId, author, seenMessageId, seenAt })
  if (answer) return 'answered'
  const [words] = isLater ? await findCustomerMessage(tx, { orgId, ticketId, seenMessageId, seenAt }) : []
  return words && 'customer_wrote'
}

async function leavesByEmail(
  deps: Deps,
  tx: Transaction,
  { orgId, ticketId }: ScheduledReply,
): Promise<boolean> {
  const ticket = await requireTicket(tx, orgId, ticketId)
  const { by } = await wayOf(deps, tx, ticket, await customerOf(tx, orgId, ticket.customerId))
  // Without any way to the customer, it fails and says why.
  return by === deps.channels.byAddress.kind || by === 'nothing'
}

/** Records that the waiting messages of a ticket changed, so that open pages load them again. */
export function recordWaiting(deps: Deps, tx: Transaction, { orgId, ticketId }: ScheduledReply): void {
  const createdAt = deps.clock.now()
  recordEvents(deps, tx, orgId, [{ type: 'reply.waiting', ticketId, createdAt }])
}

/** The same for one that is held: integrations learn of it. */
export function recordHeld(deps: Deps, tx: Transaction, scheduled: ScheduledReply): void {
  const { orgId, ticketId, id: messageId } = scheduled
  recordWaiting(deps, tx, scheduled)
  recordEvents(deps, tx, orgId, [
    { type: 'message.updated', ticketId, messageId, createdAt: deps.clock.now() },
  ])
}

/** Names the reply, so that its author is notified. */
function recordHeldLater(deps: Deps, tx: Transaction, scheduled: ScheduledReply): void {
  const { orgId, ticketId, id: messageId } = scheduled
  const about = { ticketId, messageId, createdAt: deps.clock.now() }
  recordEvents(deps, tx, orgId, [
    { type: 'reply.waiting', ...about },
    { type: 'message.updated', ...about },
  ])
}

/** A program that answers with its key takes no ticket from those who look after the unassigned ones. */
async function isToAssign(
  tx: Transaction,
  { ticket, scheduled, assignable }: { ticket: Ticket; scheduled: ScheduledReply; assignable: Set<string> },
): Promise<boolean> {
  const { agentId } = scheduled
  if (
    agentId === null ||
    authorOf(scheduled).kind !== 'agent' ||
    ticket.assignedTo !== '' ||
    !assignable.has(agentId)
  )
    return false
  return assignsOnReply(tx, ticket.orgId)
}

/** A program that an agent connected acts as the agent. */
export function authorOf({ agentId, keyId, agentName: name }: ScheduledMessage): Actor {
  const isAgent = keyId === null || isOfGrant(keyId)
  if (agentId !== null) return { kind: isAgent ? 'agent' : 'program', id: agentId, name }
  return keyId === null ? { kind: 'key', name } : { kind: 'key', id: keyId, name }
}
