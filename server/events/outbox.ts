import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../database/database.ts'
import { command, insertOf, integer, statement, text } from '../database/statement.ts'
import type { EventChanges, WebhookEvent } from '../database/tables/events.ts'
import { tickets } from '../database/tables/tickets.ts'
import { deliveries, endpoints } from '../database/tables/webhooks.ts'
import type { Deps } from '../deps.ts'
import { passesFilters } from './endpoint-filters.ts'

export type Subscriber = Pick<
  typeof endpoints.$inferSelect,
  'id' | 'events' | 'filters' | 'offAt' | 'nextDeliveryAt' | 'createdAt'
>

/** A recorded event that endpoints may subscribe to. */
interface OutboxEvent {
  deps: Deps
  orgId: string
  number: number
  type: WebhookEvent
  ticketId: string
  changes?: EventChanges | null | undefined
  createdAt: number
}

/** Whether an endpoint gets an event. */
export type Receives = (
  subscriber: Subscriber,
  event: {
    type: WebhookEvent
    ticketId: string
    createdAt: number
    changes?: EventChanges | null | undefined
  },
) => boolean

/**
 * Endpoints of the organization that are not deleted. Includes those that are off: their deliveries are held. Sorted by
 * id, the order in which every unit locks endpoints, so that two units never wait for each other.
 */
export async function subscribersOf(tx: Reader, orgId: string): Promise<Subscriber[]> {
  const found = await endpointsOfOrganization(tx, { orgId })
  return found.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Which endpoints get which of these events. Reads the tickets only if an endpoint that is subscribed has filters. */
export async function receivesOf(
  tx: Transaction,
  orgId: string,
  events: { type: WebhookEvent; ticketId: string }[],
  subscribers: Subscriber[],
): Promise<Receives> {
  const withFilters = subscribers.filter(({ filters }) => filters !== null)
  const filtered = events.filter((event) => withFilters.some((one) => isSubscribed(one, event)))
  if (filtered.length === 0) return isSubscribed
  const ids = [...new Set(filtered.map(({ ticketId }) => ticketId))]
  const found = await tx
    .select({ id: tickets.id, channel: tickets.channel, tags: tickets.tags })
    .from(tickets)
    .where(and(eq(tickets.orgId, orgId), inArray(tickets.id, ids)))
  const ticketOf = new Map(found.map((ticket) => [ticket.id, ticket]))
  return (subscriber, { type, ticketId, changes }) =>
    isSubscribed(subscriber, { type }) &&
    passesFilters(subscriber.filters, { ...ticketOf.get(ticketId), type, changes })
}

function isSubscribed({ events }: Pick<Subscriber, 'events'>, { type }: { type: WebhookEvent }): boolean {
  return events.includes(type)
}

/** Inserts one delivery for each event and endpoint that gets it, in the commit of the events. */
export async function queueDeliveries(
  tx: Transaction,
  events: OutboxEvent[],
  subscribers: Subscriber[],
  receives: Receives,
): Promise<void> {
  const queued = events.flatMap((event) =>
    subscribers
      .filter((subscriber) => receives(subscriber, event))
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

const endpointsOfOrganization = statement('outbox_endpoints', { orgId: text }, (read: Reader, p) =>
  read
    .select({
      id: endpoints.id,
      events: endpoints.events,
      filters: endpoints.filters,
      offAt: endpoints.offAt,
      nextDeliveryAt: endpoints.nextDeliveryAt,
      createdAt: endpoints.createdAt,
    })
    .from(endpoints)
    .where(and(eq(endpoints.orgId, p.orgId), isNull(endpoints.deletedAt)))
    .orderBy(asc(endpoints.id)),
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
