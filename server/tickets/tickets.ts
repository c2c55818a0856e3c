import { customerOf, upsertCustomer } from '../customers/customers.ts'
import type { Reader, Transaction } from '../database/database.ts'
import type { TicketStatus } from '../database/schema.ts'
import type { Deps } from '../deps.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import { recordEvents } from '../events/events.ts'
import { isId } from '../ids.ts'
import { counterChanges, moveCounters } from './counters.ts'
import {
  deleteTag,
  findMessages,
  findTicket,
  insertMessage,
  insertTag,
  insertTicket,
  lockEnabledAgent,
  lockTicket,
  type Message,
  saveTicket,
  type Ticket,
  type TicketWithCustomer,
  touchTags,
} from './rows.ts'
import { type TicketDetail, ticketEtag, webhookMessageSent, webhookTicketCreated } from './views.ts'

export interface NewTicket {
  subject: string
  customer: { name?: string; email: string }
  message: string
  tags?: string[]
}

/** What to change; what is absent stays. */
export interface TicketChange {
  status?: TicketStatus
  /** Agent id; null or an empty string for nobody. */
  assignedTo?: string | null
  /** Replaces all tags. */
  tags?: string[]
}

/** Runs in the unit of the change with what will be answered; a throw undoes the change. */
export type AlsoSave<T> = (tx: Transaction, result: T) => Promise<void>

/** Opens a ticket through the API channel: `ticket.created`, then `message.sent` for its first message. */
export async function createTicket(
  deps: Deps,
  orgId: string,
  input: NewTicket,
  alsoSave?: AlsoSave<TicketDetail>,
): Promise<TicketDetail> {
  const tags = cleanTags(input.tags ?? [])
  return deps.database.write(async (tx) => {
    const now = deps.clock.now()
    const customer = await upsertCustomer(deps, tx, orgId, {
      name: input.customer.name,
      email: input.customer.email,
    })
    const ticket: TicketWithCustomer = {
      id: deps.newId('tkt'),
      orgId,
      customerId: customer.id,
      status: 'open',
      channel: 'api',
      subject: input.subject,
      assignedTo: '',
      tags,
      isSpam: false,
      version: 1,
      createdAt: now,
      updatedAt: now,
      customer,
    }
    const message: Message = {
      id: deps.newId('msg'),
      orgId,
      ticketId: ticket.id,
      role: 'customer',
      text: input.message,
      agentId: null,
      agentName: null,
      sending: null,
      createdAt: now,
    }
    await insertTicket(tx, ticket)
    for (const tag of tags) {
      await insertTag(tx, { orgId, tag, ticketId: ticket.id, createdAt: now, updatedAt: now })
    }
    await insertMessage(tx, message)
    const about = { ticketId: ticket.id, createdAt: now }
    await recordEvents(deps, tx, orgId, [
      { type: 'ticket.created', ...about, data: webhookTicketCreated(ticket) },
      { type: 'message.sent', ...about, data: webhookMessageSent(ticket, message) },
    ])
    await moveCounters(tx, orgId, counterChanges(undefined, ticket))
    const detail = { ...ticket, messages: [message] }
    await alsoSave?.(tx, detail)
    return detail
  })
}

/** The ticket with all its messages. The row is read first: its version is never newer than its messages. */
export async function readTicket(deps: Deps, orgId: string, id: string): Promise<TicketDetail> {
  if (!isId('tkt', id)) throw notFound('ticket')
  const [ticket] = await findTicket(deps.database.read, { orgId, id })
  if (!ticket) throw notFound('ticket')
  return { ...ticket, messages: await findMessages(deps.database.read, { orgId, ticketId: id }) }
}

/** The ticket without its messages. */
export async function readTicketRow(read: Reader, orgId: string, id: string): Promise<TicketWithCustomer> {
  const [ticket] = isId('tkt', id) ? await findTicket(read, { orgId, id }) : []
  if (!ticket) throw notFound('ticket')
  return ticket
}

/**
 * Changes status, assignment or tags. A change that changes nothing leaves `updatedAt` and records nothing.
 * With `ifMatch` the change is refused (412) unless it is the ETag of the ticket as it stands.
 */
export async function updateTicket(
  deps: Deps,
  orgId: string,
  input: { id: string; change: TicketChange; ifMatch?: string },
): Promise<void> {
  const { id, change } = input
  if (!isId('tkt', id)) throw notFound('ticket')
  const tags = change.tags && cleanTags(change.tags)
  await deps.database.write(async (tx) => {
    const isAssignable = await isEnabledAgent(tx, orgId, change.assignedTo ?? '')
    const [before] = await lockTicket(tx, { orgId, id })
    if (!before) throw notFound('ticket')
    if (input.ifMatch !== undefined) await requireMatch(tx, before, input.ifMatch)
    const after: Ticket = {
      ...before,
      status: change.status ?? before.status,
      assignedTo: change.assignedTo === undefined ? before.assignedTo : (change.assignedTo ?? ''),
      tags: tags ?? before.tags,
    }
    if (after.assignedTo !== before.assignedTo && !isAssignable) throw unknownAgent()
    if (isSame(before, after)) return
    const now = deps.clock.now()
    await saveTicket(tx, {
      ...after,
      tags: JSON.stringify(after.tags),
      version: before.version + 1,
      updatedAt: now,
    })
    await saveTags(tx, before, after.tags, now)
    await recordEvents(deps, tx, orgId, [{ type: 'ticket.updated', ticketId: id, createdAt: now }])
    await moveCounters(tx, orgId, counterChanges(before, after))
  })
}

async function requireMatch(tx: Transaction, ticket: Ticket, ifMatch: string): Promise<void> {
  const customer = await customerOf(tx, ticket.orgId, ticket.customerId)
  const wanted = ifMatch.split(',').map((tag) => tag.trim())
  if (wanted.includes('*') || wanted.includes(ticketEtag({ ...ticket, customer }))) return
  throw new AppError(412, 'precondition_failed', 'The ticket has changed since you read it. Read it again.')
}

/** Nobody is always assignable. */
async function isEnabledAgent(tx: Transaction, orgId: string, agentId: string): Promise<boolean> {
  if (agentId === '') return true
  const [agent] = isId('agt', agentId) ? await lockEnabledAgent(tx, { orgId, id: agentId }) : []
  return agent !== undefined
}

function unknownAgent(): AppError {
  return invalid([
    { pointer: '/assignedTo', code: 'unknown_agent', detail: 'There is no enabled agent with this id.' },
  ])
}

async function saveTags(tx: Transaction, before: Ticket, tags: string[], now: number): Promise<void> {
  const { orgId, id: ticketId, createdAt } = before
  for (const tag of before.tags) if (!tags.includes(tag)) await deleteTag(tx, { orgId, tag, ticketId })
  if (tags.length > 0) await touchTags(tx, { orgId, ticketId, updatedAt: now })
  for (const tag of tags) {
    if (!before.tags.includes(tag)) await insertTag(tx, { orgId, tag, ticketId, createdAt, updatedAt: now })
  }
}

function isSame(before: Ticket, after: Ticket): boolean {
  return (
    before.status === after.status &&
    before.assignedTo === after.assignedTo &&
    before.tags.length === after.tags.length &&
    before.tags.every((tag, position) => tag === after.tags[position])
  )
}

/** Trimmed, each once, in the order given; case is kept. */
function cleanTags(tags: string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim()))]
}
