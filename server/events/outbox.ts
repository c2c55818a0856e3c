import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { command, insertOf, integer, statement, text } from '../database/statement.ts'
import type { WebhookEvent } from '../database/tables/events.ts'
import { deliveries, endpoints } from '../database/tables/webhooks.ts'
import type { Deps } from '../deps.ts'

export type Subscriber = Pick<typeof endpoints.$inferSelect, 'id' | 'events' | 'offAt' | 'nextDeliveryAt'>

/** A recorded event that endpoints may subscribe to. */
interface OutboxEvent {
  deps: Deps
  orgId: string
  number: number
  type: WebhookEvent
  ticketId: string
  createdAt: number
}

/**
 * Endpoints of the organization that are not deleted. Includes those that are off: their deliveries are held. Sorted by
 * id, the order in which every unit locks endpoints, so that two units never wait for each other.
 */
export async function subscribersOf(tx: Transaction, orgId: string): Promise<Subscriber[]> {
  const found = await endpointsOfOrganization(tx, { orgId })
  return found.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Inserts one delivery for each event and endpoint subscribed to it, in the commit of the events. */
export async function queueDeliveries(
  tx: Transaction,
  events: OutboxEvent[],
  subscribers: Subscriber[],
): Promise<void> {
  const queued = events.flatMap((event) =>
    subscribers
      .filter((subscriber) => subscriber.events.includes(event.type))
      .map((subscriber) => ({ event, subscriber })),
  )
  await insertDeliveries(
    tx,
    queued.map(({ event, subscriber }) => ({
      id: event.deps.newId('dlv'),
      orgId: event.orgId,
      endpointId: subscriber.id,
      eventNumber: event.number,
      eventType: event.type,
      ticketId: event.ticketId,
      state: 'pending' as const,
      dueAt: event.createdAt,
      createdAt: event.createdAt,
    })),
  )
  const firstOf = new Map(queued.toReversed().map(({ event, subscriber }) => [subscriber, event]))
  for (const subscriber of subscribers) {
    const first = firstOf.get(subscriber)
    if (!first || !needsScheduling(first.deps, subscriber, first.createdAt)) continue
    await scheduleEndpoint(tx, { endpointId: subscriber.id, at: first.createdAt })
  }
}

/**
 * Makes the delivery loop process an endpoint at `at`, or earlier if it is already scheduled earlier. Always locks the
 * endpoint's row, to wait for a loop that is clearing the schedule.
 */
export const scheduleEndpoint = command('endpoints_schedule', { endpointId: text, at: integer }, (tx, p) => {
  const isSooner = sql`${endpoints.nextDeliveryAt} is null or ${endpoints.nextDeliveryAt} > ${p.at}`
  return tx
    .update(endpoints)
    .set({ nextDeliveryAt: sql`case when ${isSooner} then ${p.at} else ${endpoints.nextDeliveryAt} end` })
    .where(eq(endpoints.id, p.endpointId))
})

/**
 * An endpoint that is off is not scheduled, and one with a backlog already is. On PostgreSQL, the loop may be clearing
 * its schedule at the same time, so there it is always scheduled.
 */
function needsScheduling(deps: Deps, subscriber: Subscriber, at: number): boolean {
  if (subscriber.offAt !== null) return false
  if (deps.database.engine === 'postgresql') return true
  return subscriber.nextDeliveryAt === null || subscriber.nextDeliveryAt > at
}

const endpointsOfOrganization = statement('outbox_endpoints', { orgId: text }, (tx, p) =>
  tx
    .select({
      id: endpoints.id,
      events: endpoints.events,
      offAt: endpoints.offAt,
      nextDeliveryAt: endpoints.nextDeliveryAt,
    })
    .from(endpoints)
    .where(and(eq(endpoints.orgId, p.orgId), isNull(endpoints.deletedAt))),
)

const insertDeliveries = insertOf(deliveries, {
  columns: [
    'id',
    'orgId',
    'endpointId',
    'eventNumber',
    'eventType',
    'ticketId',
    'state',
    'dueAt',
    'createdAt',
  ],
})
