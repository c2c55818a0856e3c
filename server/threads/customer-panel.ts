import { and, count, eq, sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { integerParameter, statement, textParameter } from '../database/statement.ts'
import { customers } from '../database/tables/customers.ts'
import { type Channel, type TicketStatus, tickets } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { isId } from '../ids.ts'

const MAX_TICKETS = 20

interface CustomerTicket {
  id: string
  subject: string
  status: TicketStatus
  isSpam: boolean
  channel: Channel
  lastMessageAt: number
}

export interface CustomerPanel {
  id: string
  name: string
  email: string | null
  createdAt: number
  /** The newest ones, by last message. */
  tickets: CustomerTicket[]
  totalTickets: number
}

/** A customer beside a thread. Throws 404. */
export async function readCustomer(deps: Deps, orgId: string, id: string): Promise<CustomerPanel> {
  const { read } = deps.database
  const [customer] = isId('usr', id) ? await findCustomer(read, { orgId, id }) : []
  if (!customer) throw notFound('customer')
  const [total] = await countTickets(read, { orgId, customerId: id })
  const newest = await findTickets(read, { orgId, customerId: id, limit: MAX_TICKETS })
  return { ...customer, tickets: newest, totalTickets: total?.tickets ?? 0 }
}

const findCustomer = statement<
  { orgId: string; id: string },
  { id: string; name: string; email: string | null; createdAt: number }[],
  Reader
>('customer_panel', (read, p) =>
  read
    .select({
      id: customers.id,
      name: customers.name,
      email: customers.email,
      createdAt: customers.createdAt,
    })
    .from(customers)
    .where(and(eq(customers.orgId, p.orgId), eq(customers.id, p.id))),
)

const findTickets = statement<{ orgId: string; customerId: string; limit: number }, CustomerTicket[], Reader>(
  'customer_panel_tickets',
  (read, p) =>
    read
      .select({
        id: tickets.id,
        subject: tickets.subject,
        status: tickets.status,
        isSpam: tickets.isSpam,
        channel: tickets.channel,
        lastMessageAt: tickets.lastMessageAt,
      })
      .from(tickets)
      .where(
        and(eq(tickets.orgId, textParameter(p.orgId)), eq(tickets.customerId, textParameter(p.customerId))),
      )
      // The limit is part of the order because Drizzle would bind it bare (see statement.ts).
      .orderBy(sql`${tickets.lastMessageAt} desc, ${tickets.id} desc limit ${integerParameter(p.limit)}`),
)

/** The customer says which organization it is, so the index of its tickets is enough. */
const countTickets = statement<{ orgId: string; customerId: string }, { tickets: number }[], Reader>(
  'customer_panel_count',
  (read, p) =>
    read
      .select({ tickets: count() })
      .from(customers)
      .innerJoin(tickets, eq(tickets.customerId, customers.id))
      .where(and(eq(customers.orgId, textParameter(p.orgId)), eq(customers.id, textParameter(p.customerId)))),
)
