import { upsertCustomer } from '../customers/customers.ts'
import type { Reader, Transaction } from '../database/database.ts'
import type { Channel } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { recordEvents } from '../events/events.ts'
import { isId } from '../ids.ts'
import { counterChanges, moveCounters } from './counters.ts'
import {
  findMessages,
  findTicket,
  insertMessages,
  insertTags,
  insertTickets,
  type Message,
  type TicketWithCustomer,
} from './queries.ts'
import { cleanTags } from './update-ticket.ts'
import { type TicketDetail, webhookMessageSent, webhookTicketCreated } from './views.ts'

interface NewTicket {
  subject: string
  customer: { name?: string; email: string }
  message: string
  tags?: string[]
}

/** Runs in the unit of the change with its result. If it throws, the change is undone. */
export type AlsoSave<T> = (tx: Transaction, result: T) => Promise<void>

/** Opens a ticket through the API channel: `ticket.created`, then `message.sent` for its first message. */
export async function createTicket(
  deps: Deps,
  orgId: string,
  input: NewTicket,
  alsoSave?: AlsoSave<TicketDetail>,
): Promise<TicketDetail> {
  return deps.database.write(async (tx) => {
    const ticket = await openTicket(deps, tx, orgId, { ...input, channel: 'api' })
    await alsoSave?.(tx, ticket)
    return ticket
  })
}

/** The same on any channel, in the caller's unit. Call it last: it ends with the counters. */
export async function openTicket(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  input: NewTicket & { channel: Channel },
): Promise<TicketDetail> {
  const now = deps.clock.now()
  const { channel, subject } = input
  const tags = cleanTags(input.tags ?? [])
  const customer = await upsertCustomer(deps, tx, orgId, {
    name: input.customer.name,
    email: input.customer.email,
  })
  const ticket: TicketWithCustomer = {
    id: deps.newId('tkt'),
    orgId,
    customerId: customer.id,
    status: 'open',
    channel,
    subject,
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
    sendError: null,
    requestHash: null,
    createdAt: now,
  }
  await insertTickets(tx, [ticket])
  const tagged = { orgId, ticketId: ticket.id, createdAt: now, updatedAt: now }
  await insertTags(
    tx,
    tags.map((tag) => ({ ...tagged, tag })),
  )
  await insertMessages(tx, [message])
  const about = { ticketId: ticket.id, createdAt: now }
  await recordEvents(deps, tx, orgId, [
    { type: 'ticket.created', ...about, data: webhookTicketCreated(ticket) },
    { type: 'message.sent', ...about, data: webhookMessageSent(ticket, message) },
  ])
  await moveCounters(tx, orgId, counterChanges(undefined, ticket))
  return { ...ticket, messages: [message] }
}

/** The ticket with all its messages. The row is read first: its version is never newer than its messages. */
export async function readTicket(deps: Deps, orgId: string, id: string): Promise<TicketDetail> {
  const { read } = deps.database
  const ticket = await readTicketRow(read, orgId, id)
  return { ...ticket, messages: await findMessages(read, { orgId, ticketId: id }) }
}

/** The ticket without its messages. */
export async function readTicketRow(read: Reader, orgId: string, id: string): Promise<TicketWithCustomer> {
  const [ticket] = isId('tkt', id) ? await findTicket(read, { orgId, id }) : []
  if (!ticket) throw notFound('ticket')
  return ticket
}
