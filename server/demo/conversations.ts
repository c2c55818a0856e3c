import { customerOf } from '../customers/customers.ts'
import type { Transaction } from '../database/database.ts'
import { notes } from '../database/tables/threads.ts'
import type { Actor, Deps } from '../deps.ts'
import { recordEvents } from '../events/events.ts'
import { addAgentMessage } from '../tickets/messages.ts'
import { insertMessages, lockTicket, type Message, touchTags, touchTicket } from '../tickets/queries.ts'
import { openTicket } from '../tickets/tickets.ts'
import { changeRow, type InboxChange, recordChanges } from '../tickets/update-ticket.ts'
import { webhookMessageSent } from '../tickets/views.ts'
import { type DemoOrganization, depsAt } from './organization.ts'
import type { Step } from './plan.ts'

/** Steps in one unit. */
const STEPS_PER_UNIT = 200

/** Carries out the steps of a plan, each at its time. */
export async function runPlan(deps: Deps, organization: DemoOrganization, steps: Step[]): Promise<void> {
  /** Ids by the number of the ticket in the plan. */
  const tickets = new Map<number, string>()
  for (let start = 0; start < steps.length; start += STEPS_PER_UNIT) {
    await deps.database.write(async (tx) => {
      for (const step of steps.slice(start, start + STEPS_PER_UNIT)) {
        const author = 'agent' in step ? organization.agents[step.agent] : undefined
        const actor: Actor = author ? { kind: 'agent', ...author } : deps.actor
        await runStep(depsAt(deps, step.at, actor), tx, { organization, step, tickets })
      }
    })
  }
}

async function runStep(
  deps: Deps,
  tx: Transaction,
  {
    organization: { orgId },
    step,
    tickets,
  }: { organization: DemoOrganization; step: Step; tickets: Map<number, string> },
): Promise<void> {
  const { id: agentId = '', name: agentName } = deps.actor
  if (step.action === 'open') {
    const { id } = await openTicket(deps, tx, orgId, { ...step.details, message: step.text })
    tickets.set(step.ticket, id)
    return
  }
  const ticketId = tickets.get(step.ticket)
  if (ticketId === undefined) throw new Error(`Ticket ${step.ticket} of the plan was never opened.`)
  switch (step.action) {
    case 'write':
      return addCustomerMessage(deps, tx, { orgId, ticketId, text: step.text })
    case 'reply': {
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
    case 'assign':
      return change(deps, tx, { orgId, ticketId, change: { assignedTo: agentId } })
    case 'set status':
      return change(deps, tx, { orgId, ticketId, change: { status: step.status } })
    case 'mark as spam':
      return change(deps, tx, { orgId, ticketId, change: { isSpam: true } })
  }
}

interface NewText {
  orgId: string
  ticketId: string
  text: string
}

/** Another message from the customer. */
async function addCustomerMessage(deps: Deps, tx: Transaction, input: NewText): Promise<void> {
  const { orgId, ticketId } = input
  const now = deps.clock.now()
  const sender = {
    role: 'customer' as const,
    agentId: null,
    agentName: null,
    sending: null,
    sendError: null,
    requestHash: null,
  }
  const message: Message = { id: deps.newId('msg'), ...input, ...sender, createdAt: now }
  const [ticket] = await touchTicket(tx, { orgId, id: ticketId, updatedAt: now })
  if (!ticket) throw new Error(`Ticket ${ticketId} is missing.`)
  await insertMessages(tx, [message])
  if (ticket.tags.length > 0) await touchTags(tx, { orgId, ticketId, updatedAt: now })
  const customer = await customerOf(tx, orgId, ticket.customerId)
  const data = webhookMessageSent({ ...ticket, customer }, message)
  await recordEvents(deps, tx, orgId, [{ type: 'message.sent', ticketId, createdAt: now, data }])
}

async function addNote(
  deps: Deps,
  tx: Transaction,
  note: NewText & { agentId: string; agentName: string },
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
  if (!before) throw new Error(`Ticket ${ticketId} is missing.`)
  const assignable = new Set([change.assignedTo ?? ''])
  const changed = await changeRow(deps, tx, before, { change, assignable, now })
  if (changed) await recordChanges(deps, tx, orgId, { done: [changed], now })
}
