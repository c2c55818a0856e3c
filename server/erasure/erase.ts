import { and, asc, count, eq, sql } from 'drizzle-orm'
import { recordAudit } from '../audit/audit.ts'
import type { Transaction } from '../database/database.ts'
import { customers } from '../database/tables/customers.ts'
import { tickets } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { isId } from '../ids.ts'
import { rewriteViews } from '../saved-views/rewrite.ts'
import { withoutAddress } from '../saved-views/without-address.ts'
import { lockTicket, requireTicket, type Ticket } from '../tickets/queries.ts'
import { eraseTickets } from './erase-tickets.ts'

/** Tickets in one unit: each may have many messages, events and deliveries. */
const SLICE = 20

/** Deletes a ticket for ever; the audit log keeps its id only. Throws 404. */
export async function eraseTicket(deps: Deps, orgId: string, id: string): Promise<void> {
  await deps.database.write(async (tx) => {
    const ticket = await requireTicket(tx, orgId, id)
    await recordAudit(deps, tx, orgId, { action: 'ticket.deleted', subject: { id, label: id } })
    await eraseTickets(deps, tx, orgId, [ticket])
  })
}

/**
 * Deletes a customer for ever, with all their tickets, a slice in each unit; when it was cut short, doing it again
 * deletes the rest; their address goes from saved views. Answers how many tickets. The audit log keeps ids and counts
 * only, from the first slice on. Throws 404.
 */
export async function eraseCustomer(deps: Deps, orgId: string, id: string): Promise<number> {
  if (!isId('usr', id)) throw notFound('customer')
  let deletedTickets = 0
  for (let isGone = false; !isGone; ) {
    const isFirst = deletedTickets === 0
    const slice = await deps.database.write((tx) => eraseSlice(deps, tx, { orgId, id, isFirst }))
    deletedTickets += slice.erased
    isGone = slice.isGone
  }
  return deletedTickets
}

/** The customer's row comes first, as when a ticket is made: no ticket can be added while this looks for the last. */
async function eraseSlice(
  deps: Deps,
  tx: Transaction,
  { orgId, id, isFirst }: { orgId: string; id: string; isFirst: boolean },
): Promise<{ erased: number; isGone: boolean }> {
  const email = await lockCustomer(tx, orgId, id)
  const isTheirs = and(eq(tickets.orgId, orgId), eq(tickets.customerId, id))
  const found = await tx
    .select({ id: tickets.id })
    .from(tickets)
    .where(isTheirs)
    .orderBy(asc(tickets.id))
    .limit(SLICE)
  const locked: Ticket[] = []
  for (const ticket of found) locked.push(...(await lockTicket(tx, { orgId, id: ticket.id })))
  const isGone = found.length < SLICE
  const [all] = isFirst ? await tx.select({ count: count() }).from(tickets).where(isTheirs) : []
  await eraseTickets(deps, tx, orgId, locked)
  if (isFirst) {
    const changedViews =
      email === null ? 0 : await rewriteViews(deps, tx, orgId, (view) => withoutAddress(view, email))
    const detail = { deletedTickets: all?.count ?? 0, changedViews }
    await recordAudit(deps, tx, orgId, { action: 'customer.deleted', subject: { id, label: id }, detail })
  }
  if (isGone) await tx.delete(customers).where(and(eq(customers.orgId, orgId), eq(customers.id, id)))
  return { erased: locked.length, isGone }
}

/** Answers the customer's address. */
async function lockCustomer(tx: Transaction, orgId: string, id: string): Promise<string | null> {
  const [customer] = await tx
    .update(customers)
    .set({ version: sql`${customers.version}` })
    .where(and(eq(customers.orgId, orgId), eq(customers.id, id)))
    .returning({ email: customers.email })
  if (!customer) throw notFound('customer')
  return customer.email
}
