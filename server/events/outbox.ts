import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { command, rowsCommand, statement } from '../database/statement.ts'
import type { WebhookEvent } from '../database/tables/events.ts'
import { deliveries, endpoints } from '../database/tables/webhooks.ts'
import type { Deps } from '../deps.ts'

/** An endpoint as the outbox needs it. */
export interface Subscriber {
  id: string
  events: WebhookEvent[]
  offAt: number | null
  nextDeliveryAt: number | null
}

/** An event whose bytes are frozen. */
export interface OutboxEvent {
  orgId: string
  number: number
  type: WebhookEvent
  ticketId: string
  createdAt: number
}

/**
 * Endpoints of the organization that are not deleted; those that are off too, for their deliveries wait. By id, the
 * order in which every unit takes endpoints: in another one, two units would wait for each other.
 */
export async function subscribersOf(tx: Transaction, orgId: string): Promise<Subscriber[]> {
  const found = await endpointsOfOrganization(tx, { orgId })
  return found.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** One delivery row for each event and subscriber of it, in the transaction that records the events. */
export async function queueDeliveries(
  deps: Deps,
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
      id: deps.newId('dlv'),
      orgId: event.orgId,
      endpointId: subscriber.id,
      eventNumber: event.number,
      eventType: event.type,
      ticketId: event.ticketId,
      createdAt: event.createdAt,
    })),
  )
  const firstDueAt = new Map(queued.toReversed().map((each) => [each.subscriber, each.event.createdAt]))
  for (const subscriber of subscribers) {
    const at = firstDueAt.get(subscriber)
    if (at === undefined || !needsScheduling(deps, subscriber, at)) continue
    await scheduleEndpoint(tx, { endpointId: subscriber.id, at })
    subscriber.nextDeliveryAt = at
  }
}

/**
 * Makes the delivery loop look at an endpoint at `at`, or sooner when it is already scheduled sooner. Always locks the
 * endpoint's row, so that a loop that is clearing the schedule finishes first.
 */
export const scheduleEndpoint = command<{ endpointId: string; at: number }>('endpoints_schedule', (tx, p) => {
  const isSooner = sql`${endpoints.nextDeliveryAt} is null or ${endpoints.nextDeliveryAt} > ${p.at}`
  return tx
    .update(endpoints)
    .set({ nextDeliveryAt: sql`case when ${isSooner} then ${p.at} else ${endpoints.nextDeliveryAt} end` })
    .where(eq(endpoints.id, p.endpointId))
})

/**
 * An endpoint that is off has no turn, and one with a backlog has its turn already. On PostgreSQL it may be enabled,
 * or the delivery loop be taking the turn away, at this very moment: there the row is always taken, and a turn too
 * many of an endpoint that is off does no harm.
 */
function needsScheduling(deps: Deps, subscriber: Subscriber, at: number): boolean {
  if (deps.database.engine === 'postgresql') return true
  if (subscriber.offAt !== null) return false
  return subscriber.nextDeliveryAt === null || subscriber.nextDeliveryAt > at
}

const endpointsOfOrganization = statement<{ orgId: string }, Subscriber[]>('outbox_endpoints', (tx, p) =>
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

const insertDeliveries = rowsCommand<{
  id: string
  orgId: string
  endpointId: string
  eventNumber: number
  eventType: WebhookEvent
  ticketId: string
  createdAt: number
}>('outbox_insert_deliveries', (tx, rows) =>
  tx.insert(deliveries).values(
    rows.map((p) => ({
      id: p.id,
      orgId: p.orgId,
      endpointId: p.endpointId,
      eventNumber: p.eventNumber,
      eventType: p.eventType,
      ticketId: p.ticketId,
      state: 'pending' as const,
      dueAt: p.createdAt,
      createdAt: p.createdAt,
    })),
  ),
)
