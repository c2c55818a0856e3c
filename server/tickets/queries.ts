import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { Customer } from '../customers/customers.ts'
import type { Reader, Transaction } from '../database/database.ts'
import { command, statement, textParameter } from '../database/statement.ts'
import { agents } from '../database/tables/agents.ts'
import { customers } from '../database/tables/customers.ts'
import { type MessageRole, messages, type SendingState } from '../database/tables/messages.ts'
import { type Channel, type TicketStatus, tickets, ticketTags } from '../database/tables/tickets.ts'
import { notFound } from '../errors.ts'
import { isId } from '../ids.ts'

export interface Ticket {
  id: string
  orgId: string
  customerId: string
  status: TicketStatus
  channel: Channel
  subject: string
  /** Agent id, or an empty string for nobody. */
  assignedTo: string
  tags: string[]
  /** Hidden from the inbox; `/v1` does not know. */
  isSpam: boolean
  version: number
  createdAt: number
  updatedAt: number
}

export interface Message {
  id: string
  orgId: string
  ticketId: string
  role: MessageRole
  text: string
  agentId: string | null
  agentName: string | null
  sending: SendingState | null
  /** Only of a message under an id that the client made. */
  requestHash: string | null
  createdAt: number
}

export interface TicketWithCustomer extends Ticket {
  customer: Customer
}

const ticketColumns = {
  id: tickets.id,
  orgId: tickets.orgId,
  customerId: tickets.customerId,
  status: tickets.status,
  channel: tickets.channel,
  subject: tickets.subject,
  assignedTo: tickets.assignedTo,
  tags: tickets.tags,
  isSpam: tickets.isSpam,
  version: tickets.version,
  createdAt: tickets.createdAt,
  updatedAt: tickets.updatedAt,
}

/** A ticket's columns with its customer's, for a query that joins the two. */
export const ticketWithCustomer = {
  ...ticketColumns,
  customer: { id: customers.id, name: customers.name, email: customers.email, version: customers.version },
}

export const findTicket = statement<{ orgId: string; id: string }, TicketWithCustomer[], Reader>(
  'tickets_find',
  (read, p) =>
    read
      .select(ticketWithCustomer)
      .from(tickets)
      .innerJoin(customers, eq(customers.id, tickets.customerId))
      .where(and(eq(tickets.orgId, textParameter(p.orgId)), eq(tickets.id, textParameter(p.id)))),
)

export const findMessages = statement<
  { orgId: string; ticketId: string },
  Pick<Message, 'id' | 'role' | 'text' | 'agentName' | 'createdAt'>[],
  Reader
>('messages_find', (read, p) =>
  read
    .select({
      id: messages.id,
      role: messages.role,
      text: messages.text,
      agentName: messages.agentName,
      createdAt: messages.createdAt,
    })
    .from(messages)
    .where(and(eq(messages.orgId, textParameter(p.orgId)), eq(messages.ticketId, textParameter(p.ticketId))))
    .orderBy(asc(messages.createdAt), asc(messages.id)),
)

/** The first statement of a unit that changes a ticket: whoever has the row, changes it alone. */
export const lockTicket = statement<{ orgId: string; id: string }, Ticket[]>('tickets_lock', (tx, p) =>
  tx
    .update(tickets)
    .set({ version: sql`${tickets.version}` })
    .where(and(eq(tickets.orgId, p.orgId), eq(tickets.id, p.id)))
    .returning(ticketColumns),
)

/** `lockTicket` of an id that somebody gave. Throws 404. */
export async function requireTicket(tx: Transaction, orgId: string, id: string): Promise<Ticket> {
  const [ticket] = isId('tkt', id) ? await lockTicket(tx, { orgId, id }) : []
  if (!ticket) throw notFound('ticket')
  return ticket
}

/** Locks a ticket and says in one statement that a message has come. */
export const touchTicket = statement<{ orgId: string; id: string; updatedAt: number }, Ticket[]>(
  'tickets_touch',
  (tx, p) =>
    tx
      .update(tickets)
      .set({ version: sql`${tickets.version} + 1`, updatedAt: sql`${p.updatedAt}` })
      .where(and(eq(tickets.orgId, p.orgId), eq(tickets.id, p.id)))
      .returning(ticketColumns),
)

export const insertTicket = command<Omit<Ticket, 'version' | 'isSpam'>>('tickets_insert', (tx, p) =>
  tx.insert(tickets).values({
    id: p.id,
    orgId: p.orgId,
    customerId: p.customerId,
    status: p.status,
    channel: p.channel,
    subject: p.subject,
    assignedTo: p.assignedTo,
    tags: p.tags,
    createdAt: p.createdAt,
    updatedAt: p.updatedAt,
  }),
)

export const saveTicket = command<
  Pick<Ticket, 'orgId' | 'id' | 'status' | 'subject' | 'assignedTo' | 'isSpam' | 'version' | 'updatedAt'> & {
    tags: string
  }
>('tickets_save', (tx, p) =>
  tx
    .update(tickets)
    .set({
      status: sql`${p.status}`,
      subject: sql`${p.subject}`,
      assignedTo: sql`${p.assignedTo}`,
      isSpam: sql`${sql.param(p.isSpam, tickets.isSpam)}`,
      tags: sql`${p.tags}`,
      version: sql`${p.version}`,
      updatedAt: sql`${p.updatedAt}`,
    })
    .where(and(eq(tickets.orgId, p.orgId), eq(tickets.id, p.id))),
)

export const insertTag = command<{
  orgId: string
  tag: string
  ticketId: string
  createdAt: number
  updatedAt: number
}>('ticket_tags_insert', (tx, p) =>
  tx.insert(ticketTags).values({
    orgId: p.orgId,
    tag: p.tag,
    ticketId: p.ticketId,
    createdAt: p.createdAt,
    updatedAt: p.updatedAt,
  }),
)

export const deleteTag = command<{ orgId: string; tag: string; ticketId: string }>(
  'ticket_tags_delete',
  (tx, p) =>
    tx
      .delete(ticketTags)
      .where(
        and(eq(ticketTags.orgId, p.orgId), eq(ticketTags.ticketId, p.ticketId), eq(ticketTags.tag, p.tag)),
      ),
)

/** Keeps the sort time of a ticket's tags with the ticket's own. */
export const touchTags = command<{ orgId: string; ticketId: string; updatedAt: number }>(
  'ticket_tags_touch',
  (tx, p) =>
    tx
      .update(ticketTags)
      .set({ updatedAt: sql`${p.updatedAt}` })
      .where(and(eq(ticketTags.orgId, p.orgId), eq(ticketTags.ticketId, p.ticketId))),
)

export const insertMessage = command<Pick<Message, keyof Message>>('messages_insert', (tx, p) =>
  tx.insert(messages).values({
    id: p.id,
    orgId: p.orgId,
    ticketId: p.ticketId,
    role: p.role,
    text: p.text,
    agentId: p.agentId,
    agentName: p.agentName,
    sending: p.sending,
    requestHash: p.requestHash,
    createdAt: p.createdAt,
  }),
)

/** Takes the agent's row, so that nobody disables the agent before the ticket is theirs. Before `lockTicket`. */
export const lockEnabledAgent = statement<{ orgId: string; id: string }, { id: string }[]>(
  'tickets_agent',
  (tx, p) =>
    tx
      .update(agents)
      .set({ disabledAt: sql`${agents.disabledAt}` })
      .where(and(eq(agents.orgId, p.orgId), eq(agents.id, p.id), isNull(agents.disabledAt)))
      .returning({ id: agents.id }),
)
