import { customerOf } from '../customers/customers.ts'
import type { Transaction } from '../database/database.ts'
import { notes } from '../database/tables/threads.ts'
import type { Actor, Deps } from '../deps.ts'
import { recordEvents } from '../events/events.ts'
import { changeRow, type InboxChange, recordChanges } from '../tickets/change-ticket.ts'
import { addAgentMessage } from '../tickets/messages.ts'
import { insertMessage, lockTicket, type Message, touchTags, touchTicket } from '../tickets/queries.ts'
import { openTicket } from '../tickets/tickets.ts'
import { webhookMessageSent } from '../tickets/views.ts'
import { at } from './at.ts'
import type { Step } from './plan.ts'

/** Steps in one unit: none of them takes long. */
const STEPS_AT_ONCE = 200

export interface Place {
  orgId: string
  /** In the order of `AGENTS`. */
  agents: { id: string; name: string }[]
}

/** Lets the steps happen, each at its time, with all that follows from it. Answers the tickets' ids by their places. */
export async function perform(deps: Deps, place: Place, steps: Step[]): Promise<Map<number, string>> {
  const tickets = new Map<number, string>()
  for (let start = 0; start < steps.length; start += STEPS_AT_ONCE) {
    await deps.database.write(async (tx) => {
      for (const step of steps.slice(start, start + STEPS_AT_ONCE)) {
        const author = 'agent' in step ? place.agents[step.agent] : undefined
        const actor: Actor = author ? { kind: 'agent', ...author } : deps.actor
        await take(at(deps, step.at, actor), tx, { place, step, tickets })
      }
    })
  }
  return tickets
}

async function take(
  deps: Deps,
  tx: Transaction,
  { place: { orgId }, step, tickets }: { place: Place; step: Step; tickets: Map<number, string> },
): Promise<void> {
  const { id: agentId = '', name: agentName } = deps.actor
  if (step.does === 'open') {
    const { id } = await openTicket(deps, tx, orgId, { ...step.opened, message: step.text })
    tickets.set(step.ticket, id)
    return
  }
  const ticketId = tickets.get(step.ticket)
  if (ticketId === undefined) throw new Error('A ticket goes on that was never opened.')
  switch (step.does) {
    case 'write':
      return write(deps, tx, { orgId, ticketId, text: step.text })
    case 'answer': {
      const { event } = await addAgentMessage(deps, tx, orgId, {
        ticketId,
        text: step.text,
        agentId,
        agentName,
      })
      return recordEvents(deps, tx, orgId, [event])
    }
    case 'note':
      return addNote(deps, tx, { orgId, ticketId, agentId, agentName, text: step.text })
    case 'take':
      return change(deps, tx, { orgId, ticketId, change: { assignedTo: agentId } })
    case 'set':
      return change(deps, tx, { orgId, ticketId, change: { status: step.status } })
    case 'mark as spam':
      return change(deps, tx, { orgId, ticketId, change: { isSpam: true } })
  }
}

interface Written {
  orgId: string
  ticketId: string
  text: string
}

/** A further message of the customer. */
async function write(deps: Deps, tx: Transaction, written: Written): Promise<void> {
  const { orgId, ticketId } = written
  const now = deps.clock.now()
  const own = { role: 'customer' as const, agentId: null, agentName: null, sending: null }
  const message: Message = { id: deps.newId('msg'), ...written, ...own, createdAt: now }
  const [ticket] = await touchTicket(tx, { orgId, id: ticketId, updatedAt: now })
  if (!ticket) throw new Error(`The ticket ${ticketId} is missing.`)
  await insertMessage(tx, message)
  if (ticket.tags.length > 0) await touchTags(tx, { orgId, ticketId, updatedAt: now })
  const customer = await customerOf(tx, orgId, ticket.customerId)
  const data = webhookMessageSent({ ...ticket, customer }, message)
  await recordEvents(deps, tx, orgId, [{ type: 'message.sent', ticketId, createdAt: now, data }])
}

async function addNote(
  deps: Deps,
  tx: Transaction,
  note: Written & { agentId: string; agentName: string },
): Promise<void> {
  const createdAt = deps.clock.now()
  await tx.insert(notes).values({ id: deps.newId('not'), ...note, createdAt })
  await recordEvents(deps, tx, note.orgId, [{ type: 'note.added', ticketId: note.ticketId, createdAt }])
}

async function change(
  deps: Deps,
  tx: Transaction,
  { orgId, ticketId, change }: { orgId: string; ticketId: string; change: InboxChange },
): Promise<void> {
  const now = deps.clock.now()
  const [before] = await lockTicket(tx, { orgId, id: ticketId })
  if (!before) throw new Error(`The ticket ${ticketId} is missing.`)
  const assignable = new Set([change.assignedTo ?? ''])
  const changed = await changeRow(deps, tx, before, { change, assignable, now })
  if (changed) await recordChanges(deps, tx, orgId, { done: [changed], now })
}
