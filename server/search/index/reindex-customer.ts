import { and, eq, isNotNull, sql } from 'drizzle-orm'
import { customers } from '../../database/tables/customers.ts'
import { tickets } from '../../database/tables/tickets.ts'
import type { Deps } from '../../deps.ts'
import { renewDocuments } from './documents.ts'
import { MOST_TICKETS, readTickets } from './read-tickets.ts'

/** One unit of work for a customer with another name: the next of their tickets, each in its place in the order. */
export async function reindexRenamed(deps: Deps, orgId: string, customerId: string): Promise<void> {
  const { read } = deps.database
  const isCustomer = and(eq(customers.orgId, orgId), eq(customers.id, customerId))
  const [customer] = await read
    .select({ after: customers.reindexAfter, version: customers.version })
    .from(customers)
    .where(and(isCustomer, isNotNull(customers.reindexAfter)))
  if (!customer) return
  // Veiled behind expressions: along the index of the customer's tickets, and no other.
  const id = sql`(${tickets.id} || '')`
  const next = await read
    .select({ id: tickets.id })
    .from(tickets)
    .where(
      and(
        eq(tickets.customerId, customerId),
        sql`(${tickets.orgId} || '') = ${orgId}`,
        sql`${id} > ${customer.after}`,
      ),
    )
    .orderBy(id)
    .limit(MOST_TICKETS)
  const ids = next.map(({ id }) => id)
  const documents = await readTickets(deps, orgId, ids)
  const isLast = documents.length === ids.length && ids.length < MOST_TICKETS
  const reindexAfter = isLast ? null : (documents.at(-1)?.ticketId ?? null)
  await deps.database.write(async (tx) => {
    // With yet another name meanwhile it begins again.
    const isSame = and(isCustomer, eq(customers.version, customer.version))
    await tx.update(customers).set({ reindexAfter }).where(isSame)
    await renewDocuments(tx, orgId, documents)
  })
}
