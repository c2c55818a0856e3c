import { and, desc, eq, gte, isNull, lt, or, sql } from 'drizzle-orm'
import type { ChannelKind } from '../../channels/kinds.ts'
import type { Reader } from '../../database/database.ts'
import { matches } from '../../database/matches.ts'
import { integer, statement, text } from '../../database/statement.ts'
import { customers } from '../../database/tables/customers.ts'
import { moves } from '../../database/tables/moves.ts'
import { PLACES, type TicketStatus, tickets } from '../../database/tables/tickets.ts'
import type { Deps } from '../../deps.ts'
import { invalid, notFound } from '../../errors.ts'
import { firstIdAt, isId } from '../../ids.ts'
import { UNDO_DAYS } from '../../moves/undo-move.ts'
import { type ShownText, shownMetadata } from '../../organizations/shown-metadata.ts'
import { emailsOf } from '../customer-emails.ts'

/** Tickets beside a thread, and in one page of a customer's. */
const MAX_TICKETS = 20
const TICKETS_PER_PAGE = 50
const DAY_MS = 86_400_000

interface CustomerTicket {
  id: string
  subject: string
  status: TicketStatus
  isSpam: boolean
  channel: ChannelKind
  lastMessageAt: number
}

export interface CustomerDetail {
  id: string
  name: string
  emails: string[]
  company: string
  phone: string
  note: string
  isNameTyped: boolean
  unverifiedEmail: string | null
  shownMetadata: ShownText[]
  createdAt: number
  /** The newest ones, by last message. */
  tickets: CustomerTicket[]
  totalTickets: number
  /** Customers who were merged into this one and can be separated again, the newest merge first. */
  merges: { id: string; name: string; createdAt: number }[]
}

/** A customer with their newest tickets; of one who was merged, the one who has theirs now. Throws 404. */
export async function readCustomer(deps: Deps, orgId: string, id: string): Promise<CustomerDetail> {
  const { read } = deps.database
  const [found] = isId('usr', id) ? await findCustomer(read, { orgId, id }) : []
  if (!found) throw notFound('customer')
  const { email, mergedInto, metadata, ...customer } = found
  if (mergedInto !== null) return readCustomer(deps, orgId, mergedInto)
  const emails = await emailsOf(read, orgId, found)
  const [total] = await countTickets(read, { orgId, customerId: id })
  const newest = await findTickets(read, { orgId, customerId: id, limit: MAX_TICKETS })
  const since = firstIdAt('mov', deps.clock.now() - UNDO_DAYS * DAY_MS)
  const merges = await findMerges(read, { orgId, into: id, since })
  const shown = await shownMetadata(read, orgId, metadata)
  const counted = { tickets: newest, totalTickets: total?.tickets ?? 0 }
  return { ...customer, emails, shownMetadata: shown, ...counted, merges }
}

/**
 * A page of all tickets of a customer, the one with the latest message first. `nextCursor` is absent on the last page.
 * Throws 404, and 400 for another cursor.
 */
export async function readCustomerTickets(
  deps: Deps,
  orgId: string,
  { id, cursor }: { id: string; cursor?: string | undefined },
): Promise<{ tickets: CustomerTicket[]; nextCursor?: string }> {
  const [time, after = ''] = cursor?.split('.') ?? []
  const at = Number(time)
  if (cursor !== undefined && !(Number.isSafeInteger(at) && isId('tkt', after))) throw invalidCursor()
  const { read } = deps.database
  const [customer] = isId('usr', id) ? await findCustomer(read, { orgId, id }) : []
  if (!customer) throw notFound('customer')
  const found = await read
    .select(ticketColumns)
    .from(tickets)
    .where(
      and(
        eq(tickets.customerId, id),
        isNotMerged,
        sql`(${tickets.orgId} || '') = ${orgId}`,
        cursor === undefined
          ? undefined
          : or(
              lt(tickets.lastMessageAt, at),
              and(eq(tickets.lastMessageAt, at), sql`(${tickets.id} || '') < ${after}`),
            ),
      ),
    )
    .orderBy(desc(tickets.lastMessageAt), desc(tickets.id))
    .limit(TICKETS_PER_PAGE + 1)
  const shown = found.slice(0, TICKETS_PER_PAGE)
  const last = shown.at(-1)
  const hasMore = found.length > TICKETS_PER_PAGE && last
  return { tickets: shown, ...(hasMore && { nextCursor: `${last.lastMessageAt}.${last.id}` }) }
}

export function invalidCursor() {
  const detail = 'Use the nextCursor of the previous page.'
  return invalid([{ parameter: 'cursor', code: 'invalid_cursor', detail }])
}

const findMerges = statement('customer_merges', { orgId: text, into: text, since: text }, (read: Reader, p) =>
  read
    .select({ id: moves.id, name: customers.name, createdAt: moves.createdAt })
    .from(moves)
    .innerJoin(customers, eq(customers.id, moves.fromId))
    .where(
      and(
        matches(moves, { orgId: p.orgId, intoId: p.into, kind: 'customer' }),
        isNull(moves.undoneAt),
        gte(moves.id, p.since),
      ),
    )
    .orderBy(desc(moves.id)),
)

const findCustomer = statement('customer_detail', { orgId: text, id: text }, (read: Reader, p) =>
  read
    .select({
      id: customers.id,
      name: customers.name,
      email: customers.email,
      company: customers.company,
      phone: customers.phone,
      note: customers.note,
      isNameTyped: customers.isNameTyped,
      unverifiedEmail: customers.unverifiedEmail,
      metadata: customers.metadata,
      mergedInto: customers.mergedInto,
      createdAt: customers.createdAt,
    })
    .from(customers)
    .where(matches(customers, p)),
)

/** One that was merged into another has no messages. */
const isNotMerged = sql`${tickets.place} <> ${sql.raw(String(PLACES.merged))}`

const ticketColumns = {
  id: tickets.id,
  subject: tickets.subject,
  status: tickets.status,
  isSpam: sql<boolean>`${tickets.place} = ${sql.raw(String(PLACES.spam))}`.mapWith(Boolean),
  channel: tickets.channel,
  lastMessageAt: tickets.lastMessageAt,
}

const findTickets = statement(
  'customer_newest_tickets',
  { orgId: text, customerId: text, limit: integer },
  (read: Reader, p) =>
    read
      .select(ticketColumns)
      .from(tickets)
      .where(and(matches(tickets, { orgId: p.orgId, customerId: p.customerId }), isNotMerged))
      // The limit is part of the order because Drizzle would bind it bare (see statement.ts).
      .orderBy(sql`${tickets.lastMessageAt} desc, ${tickets.id} desc limit ${p.limit}`),
)

/** The customer says which organization it is, so the index of its tickets is enough. */
const countTickets = statement(
  'customer_count_tickets',
  { orgId: text, customerId: text },
  (read: Reader, p) =>
    read
      .select({ tickets: sql<number>`count(*)`.mapWith(Number) })
      .from(customers)
      .innerJoin(tickets, eq(tickets.customerId, customers.id))
      .where(and(matches(customers, { orgId: p.orgId, id: p.customerId }), isNotMerged)),
)
