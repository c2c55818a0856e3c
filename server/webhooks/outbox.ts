import { and, eq, isNull } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { deliveries, endpoints, type WebhookEvent } from '../database/schema.ts'
import { rowsCommand, statement } from '../database/statement.ts'
import type { Deps } from '../deps.ts'
import { callTurn } from './turns.ts'

/** An endpoint as the outbox needs it. */
export interface Subscriber {
  id: string
  events: WebhookEvent[]
  offAt: number | null
  nextTurnAt: number | null
}

/** An event whose bytes are frozen. */
export interface OutboxEvent {
  orgId: string
  number: number
  type: WebhookEvent
  ticketId: string
  createdAt: number
}

/** Endpoints of the organization that are not deleted; those that are off too, for their deliveries wait. */
export function subscribersOf(tx: Transaction, orgId: string): Promise<Subscriber[]> {
  return endpointsOfOrganization(tx, { orgId })
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
  for (const { event, subscriber } of queued) {
    if (!needsCall(deps, subscriber, event.createdAt)) continue
    await callTurn(tx, { endpointId: subscriber.id, at: event.createdAt })
    subscriber.nextTurnAt = event.createdAt
  }
}

/**
 * An endpoint with a backlog has its turn already. On PostgreSQL the delivery loop may be taking it away at this
 * very moment, so there the row is always taken.
 */
function needsCall(deps: Deps, subscriber: Subscriber, at: number): boolean {
  if (subscriber.offAt !== null) return false
  if (deps.database.engine === 'postgresql') return true
  return subscriber.nextTurnAt === null || subscriber.nextTurnAt > at
}

const endpointsOfOrganization = statement<{ orgId: string }, Subscriber[]>('outbox_endpoints', (tx, p) =>
  tx
    .select({
      id: endpoints.id,
      events: endpoints.events,
      offAt: endpoints.offAt,
      nextTurnAt: endpoints.nextTurnAt,
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
