import { and, asc, eq, isNull } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { deliveries, endpoints, type WebhookEvent } from '../database/schema.ts'
import { statement } from '../database/statement.ts'
import type { Deps } from '../deps.ts'

/** An endpoint as the outbox needs it. */
export interface Subscriber {
  id: string
  events: WebhookEvent[]
  offAt: number | null
}

/** An event whose bytes are frozen. */
export interface OutboxEvent {
  orgId: string
  number: number
  type: WebhookEvent
  ticketId: string
  createdAt: number
}

/** Endpoints of the organization that are not deleted; those that are off too, for their deliveries are held. */
export function subscribersOf(tx: Transaction, orgId: string): Promise<Subscriber[]> {
  return endpointsOfOrganization(tx, { orgId })
}

/** One delivery row for each subscriber of the event, in the transaction that records it. */
export async function queueDeliveries(
  deps: Deps,
  tx: Transaction,
  event: OutboxEvent,
  subscribers: Subscriber[],
): Promise<void> {
  for (const subscriber of subscribers) {
    if (!subscriber.events.includes(event.type)) continue
    await insertDelivery(tx, {
      id: deps.newId('dlv'),
      orgId: event.orgId,
      endpointId: subscriber.id,
      eventNumber: event.number,
      eventType: event.type,
      ticketId: event.ticketId,
      state: subscriber.offAt === null ? 'pending' : 'held',
      createdAt: event.createdAt,
    })
  }
}

const endpointsOfOrganization = statement<{ orgId: string }, Subscriber[]>('outbox_endpoints', (tx, p) =>
  tx
    .select({ id: endpoints.id, events: endpoints.events, offAt: endpoints.offAt })
    .from(endpoints)
    .where(and(eq(endpoints.orgId, p.orgId), isNull(endpoints.deletedAt)))
    .orderBy(asc(endpoints.createdAt), asc(endpoints.id)),
)

const insertDelivery = statement<
  {
    id: string
    orgId: string
    endpointId: string
    eventNumber: number
    eventType: WebhookEvent
    ticketId: string
    state: 'pending' | 'held'
    createdAt: number
  },
  unknown
>('outbox_insert_delivery', (tx, p) =>
  tx.insert(deliveries).values({
    id: p.id,
    orgId: p.orgId,
    endpointId: p.endpointId,
    eventNumber: p.eventNumber,
    eventType: p.eventType,
    ticketId: p.ticketId,
    state: p.state,
    dueAt: p.createdAt,
    createdAt: p.createdAt,
  }),
)
