import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Transaction } from '../../database/database.ts'
import { events } from '../../database/tables/events.ts'
import { attempts, deliveries } from '../../database/tables/webhooks.ts'
import { endpointAccounts } from '../endpoints/endpoints.ts'

/**
 * Erases the webhook data of tickets that are permanently deleted: event bodies and responses. Deliveries that have not
 * succeeded are canceled, and attempts in progress leave no result. The log keeps the time, target, and type of each
 * delivery. Locks endpoints, so call this after `recordEvents`.
 */
export async function eraseDeliveries(
  tx: Transaction,
  { orgId, ticketIds, now }: { orgId: string; ticketIds: string[]; now: number },
): Promise<void> {
  const ofTickets = and(eq(deliveries.orgId, orgId), inArray(deliveries.ticketId, ticketIds))
  await tx
    .update(events)
    .set({ body: null })
    .where(and(eq(events.orgId, orgId), inArray(events.ticketId, ticketIds), sql`body is not null`))
  const affected = await tx.selectDistinct({ id: deliveries.endpointId }).from(deliveries).where(ofTickets)
  for (const id of affected.map((endpoint) => endpoint.id).sort()) await endpointAccounts.lock(tx, orgId, id)
  await tx
    .update(deliveries)
    .set({ state: 'cancelled', finishedAt: sql`coalesce(${deliveries.finishedAt}, ${now})` })
    .where(and(ofTickets, inArray(deliveries.state, ['pending', 'in_flight', 'failed'])))
  const isOfTickets = inArray(
    attempts.deliveryId,
    tx.select({ id: deliveries.id }).from(deliveries).where(ofTickets),
  )
  // An attempt that has an outcome accepts no result.
  await tx
    .update(attempts)
    .set({ outcome: 'interrupted' })
    .where(and(isOfTickets, isNull(attempts.outcome)))
  const nothing = { requestHeaders: null, responseHeaders: null, responseBody: null, detail: null }
  await tx.update(attempts).set(nothing).where(isOfTickets)
}
