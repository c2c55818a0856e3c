import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Transaction } from '../../database/database.ts'
import { events } from '../../database/tables/events.ts'
import { attempts, deliveries } from '../../database/tables/webhooks.ts'
import { lockEndpoint } from '../endpoints/queries.ts'

/**
 * Forgets what webhooks said of tickets that are deleted for ever: bodies, and all that receivers answered. What has not
 * arrived is cancelled; an attempt under way ends unnoticed. That something was sent, when and where stays in the log.
 * Takes endpoints, so it comes behind `recordEvents`.
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
  const served = await tx.selectDistinct({ id: deliveries.endpointId }).from(deliveries).where(ofTickets)
  for (const id of served.map((endpoint) => endpoint.id).sort()) await lockEndpoint(tx, { orgId, id })
  await tx
    .update(deliveries)
    .set({ state: 'cancelled', finishedAt: sql`coalesce(${deliveries.finishedAt}, ${now})` })
    .where(and(ofTickets, inArray(deliveries.state, ['pending', 'in_flight', 'failed'])))
  const theirs = inArray(
    attempts.deliveryId,
    tx.select({ id: deliveries.id }).from(deliveries).where(ofTickets),
  )
  // An attempt that has an outcome takes no result any more.
  await tx
    .update(attempts)
    .set({ outcome: 'interrupted' })
    .where(and(theirs, isNull(attempts.outcome)))
  const nothing = { requestHeaders: null, responseHeaders: null, responseBody: null, detail: null }
  await tx.update(attempts).set(nothing).where(theirs)
}
