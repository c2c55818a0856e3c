import { and, eq, isNotNull, sql } from 'drizzle-orm'
import { customers } from '../../database/tables/customers.ts'
import { tickets } from '../../database/tables/tickets.ts'
import type { Deps } from '../../deps.ts'
import { updateDocuments } from './documents.ts'
import { MAX_TICKETS, readDocuments } from './read-documents.ts'

/** One unit of work for a renamed customer: their next tickets, which keep their place in the index. */
export async function reindexCustomer(deps: Deps, orgId: string, customerId: string): Promise<void> {
  const { read } = deps.database
  const isCustomer = and(eq(customers.orgId, orgId), eq(customers.id, customerId))
  const [customer] = await read
    .select({ after: customers.reindexAfter, version: customers.version })
    .from(customers)
    .where(and(isCustomer, isNotNull(customers.reindexAfter)))
  if (!customer) return
  // The other conditions are expressions, so that no index but that of the customer's tickets is used.
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
    .limit(MAX_TICKETS)
  const ids = next.map(({ id }) => id)
  const documents = await readDocuments(deps, orgId, ids)
  const isLast = documents.length === ids.length && ids.length < MAX_TICKETS
  const reindexAfter = isLast ? null : (documents.at(-1)?.ticketId ?? null)
  await deps.database.write(async (tx) => {
    // If the customer was renamed again in the meantime, it starts over.
    const isSame = and(isCustomer, eq(customers.version, customer.version))
    await tx.update(customers).set({ reindexAfter }).where(isSame)
    await updateDocuments(tx, orgId, documents)
  })
}
