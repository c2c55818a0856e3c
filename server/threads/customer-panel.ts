import { count, eq, sql } from 'drizzle-orm'
import type { ChannelKind } from '../channels/kinds.ts'
import type { Reader } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { integer, statement, text } from '../database/statement.ts'
import { customers } from '../database/tables/customers.ts'
import { PLACES, type TicketStatus, tickets } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { isId } from '../ids.ts'

const MAX_TICKETS = 20

interface CustomerTicket {
  id: string
  subject: string
  status: TicketStatus
  isSpam: boolean
  channel: ChannelKind
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

const findCustomer = statement('customer_panel', { orgId: text, id: text }, (read: Reader, p) =>
  read
    .select({
      id: customers.id,
      name: customers.name,
      email: customers.email,
      createdAt: customers.createdAt,
    })
    .from(customers)
    .where(matches(customers, p)),
)

const findTickets = statement(
  'customer_panel_tickets',
  { orgId: text, customerId: text, limit: integer },
  (read: Reader, p) =>
    read
      .select({
        id: tickets.id,
        subject: tickets.subject,
        status: tickets.status,
        isSpam: sql<boolean>`${tickets.place} = ${sql.raw(String(PLACES.spam))}`.mapWith(Boolean),
        channel: tickets.channel,
        lastMessageAt: tickets.lastMessageAt,
      })
      .from(tickets)
      .where(matches(tickets, { orgId: p.orgId, customerId: p.customerId }))
      // The limit is part of the order because Drizzle would bind it bare (see statement.ts).
      .orderBy(sql`${tickets.lastMessageAt} desc, ${tickets.id} desc limit ${p.limit}`),
)

/** The customer says which organization it is, so the index of its tickets is enough. */
const countTickets = statement('customer_panel_count', { orgId: text, customerId: text }, (read: Reader, p) =>
  read
    .select({ tickets: count() })
    .from(customers)
    .innerJoin(tickets, eq(tickets.customerId, customers.id))
    .where(matches(customers, { orgId: p.orgId, id: p.customerId })),
)
