import { and, eq, inArray, or, sql } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { customerIdentities } from '../database/tables/customers.ts'
import { emailedVisitors, visitors } from '../database/tables/widgets.ts'

const VISITOR = 'visitor:'
const USER = 'user:'

/**
 * Deletes a customer's visitor data: their browsers, including those in which they haven't written, and the addresses
 * they typed. Call this before deleting the customer, because identities refer to the customer.
 */
export async function eraseVisitors(
  tx: Transaction,
  { orgId, customerId, email }: { orgId: string; customerId: string; email: string | null },
): Promise<void> {
  const identities = await tx
    .delete(customerIdentities)
    .where(and(eq(customerIdentities.orgId, orgId), eq(customerIdentities.customerId, customerId)))
    .returning({ externalId: customerIdentities.externalId })
  const erased = await tx
    .delete(visitors)
    .where(
      and(
        eq(visitors.orgId, orgId),
        or(
          eq(visitors.customerId, customerId),
          inArray(visitors.id, namesIn(identities, VISITOR)),
          inArray(visitors.userId, namesIn(identities, USER)),
        ),
      ),
    )
    .returning({ typedEmail: visitors.typedEmail, verifiedEmail: visitors.verifiedEmail })
  const addresses = [email ?? '', ...erased.flatMap((one) => [one.typedEmail, one.verifiedEmail])]
  const keys = [...new Set(addresses.map((address) => address.toLowerCase()))].filter((key) => key !== '')
  if (keys.length === 0) return
  await tx
    .delete(emailedVisitors)
    .where(and(eq(emailedVisitors.orgId, orgId), inArray(emailedVisitors.addressKey, keys)))
}

/**
 * Locks the browsers of a customer. Call it before the customer and the tickets are locked, in the order of a visitor who
 * writes at the same time.
 */
export async function lockVisitors(
  tx: Transaction,
  { orgId, customerId }: { orgId: string; customerId: string },
): Promise<void> {
  await tx
    .update(visitors)
    .set({ lastSeenAt: sql`${visitors.lastSeenAt}` })
    .where(and(eq(visitors.orgId, orgId), eq(visitors.customerId, customerId)))
}

/** Ids of identities: `visitor:vis_…`, `user:42`. */
function namesIn(identities: { externalId: string }[], prefix: string): string[] {
  return identities.flatMap(({ externalId }) =>
    externalId.startsWith(prefix) ? [externalId.slice(prefix.length)] : [],
  )
}
