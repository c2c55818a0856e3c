import { and, eq, inArray, or, sql } from 'drizzle-orm'
import type { Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import {
  emailedVisitors,
  visitors,
  widgetConversations,
  widgetMessages,
} from '../../../database/tables/widgets.ts'
import type { Erasure } from '../../channel.ts'

const VISITOR = 'visitor:'
const USER = 'user:'

export const widgetErasure: Erasure = {
  tickets: eraseTickets,
  lockCustomer: lockVisitors,
  customer: eraseVisitors,
}

async function eraseTickets(
  tx: Transaction,
  { orgId, ticketIds }: { orgId: string; ticketIds: string[] },
): Promise<void> {
  for (const table of [widgetConversations, widgetMessages]) {
    await tx.delete(table).where(and(eq(table.orgId, orgId), inArray(table.ticketId, ticketIds)))
  }
}

/** Deletes their browsers, including those in which they haven't written, and the addresses they typed. */
async function eraseVisitors(
  tx: Transaction,
  of: { orgId: string; customerId: string; emails: string[]; externalIds: string[] },
): Promise<void> {
  const { orgId, customerId, emails, externalIds } = of
  const erased = await tx
    .delete(visitors)
    .where(
      and(
        eq(visitors.orgId, orgId),
        or(
          eq(visitors.customerId, customerId),
          inArray(visitors.id, namesIn(externalIds, VISITOR)),
          inArray(visitors.userId, namesIn(externalIds, USER)),
        ),
      ),
    )
    .returning({ typedEmail: visitors.typedEmail, verifiedEmail: visitors.verifiedEmail })
  const addresses = [...emails, ...erased.flatMap((one) => [one.typedEmail, one.verifiedEmail])]
  const keys = [...new Set(addresses.map((address) => address.toLowerCase()))].filter((key) => key !== '')
  if (keys.length === 0) return
  await tx
    .delete(emailedVisitors)
    .where(and(eq(emailedVisitors.orgId, orgId), inArray(emailedVisitors.addressKey, keys)))
}

/**
 * Locks the browsers of a customer before the customer and the tickets, in the order of a visitor who writes at the same
 * time.
 */
async function lockVisitors(
  tx: Transaction,
  { orgId, customerId }: { orgId: string; customerId: string },
): Promise<void> {
  await tx
    .update(visitors)
    .set({ lastSeenAt: sql`${visitors.lastSeenAt}` })
    .where(matches(visitors, { orgId, customerId }))
}

/** Ids of identities: `visitor:vis_…`, `user:42`. */
function namesIn(externalIds: string[], prefix: string): string[] {
  return externalIds.filter((id) => id.startsWith(prefix)).map((id) => id.slice(prefix.length))
}
