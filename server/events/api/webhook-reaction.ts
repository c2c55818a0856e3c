import { and, eq, inArray } from 'drizzle-orm'
import type { Transaction } from '../../database/database.ts'
import { matches } from '../../database/matches.ts'
import { customers } from '../../database/tables/customers.ts'
import { events, SPECIFIED_EVENTS, WEBHOOK_EVENTS, type WebhookEvent } from '../../database/tables/events.ts'
import { tickets } from '../../database/tables/tickets.ts'
import type { Deps } from '../../deps.ts'
import type { Reaction } from '../../reactions/react-to-log.ts'
import { lockOrganization } from '../events.ts'
import { queueDeliveries, type Receives, receivesOf, subscribersOf } from '../outbox.ts'
import { readWebhookBodies } from './bodies.ts'
import { isPublic, type PublicEvent } from './list-events.ts'

const SPECIFIED: readonly WebhookEvent[] = SPECIFIED_EVENTS

/**
 * Queues the deliveries of the events that the specification doesn't have. Their bodies are made after the commit, from
 * what is stored then, so that no change waits for them.
 */
export function createWebhookReaction(deps: Deps): Reaction {
  const { read } = deps.database
  return {
    types: WEBHOOK_EVENTS.filter((type) => !SPECIFIED.includes(type)),
    async effectOf(orgId, logged) {
      const wanted = new Set((await subscribersOf(read, orgId)).flatMap((subscriber) => subscriber.events))
      const sent = logged.filter(isPublic).filter(({ type }) => wanted.has(type))
      if (sent.length === 0) return undefined
      const bodies = await readWebhookBodies(read, orgId, sent)
      return async (tx) => {
        // Erasing takes this lock before it deletes bodies: either it sees these, or they see that something is gone.
        await lockOrganization(tx, { orgId })
        const left = await withoutErased(tx, orgId, sent)
        const subscribers = await subscribersOf(tx, orgId)
        const found = left.flatMap((event) => {
          const body = bodies.get(event.number)
          return body ? [{ ...event, deps, orgId, changes: event.changes ?? undefined, body }] : []
        })
        const passes = await receivesOf(tx, orgId, found, subscribers)
        // An endpoint gets the events from the moment it is there.
        const receives: Receives = (one, event) => one.createdAt <= event.createdAt && passes(one, event)
        const queued = found.filter((event) => subscribers.some((one) => receives(one, event)))
        for (const { number, body } of queued) {
          await tx.update(events).set({ body }).where(matches(events, { orgId, number }))
        }
        await queueDeliveries(tx, queued, subscribers, receives)
      }
    },
  }
}

/** Those whose ticket or customer still exists, and those that say that it doesn't. */
async function withoutErased(tx: Transaction, orgId: string, sent: PublicEvent[]): Promise<PublicEvent[]> {
  const ticketIds = [...new Set(sent.map(({ ticketId }) => ticketId))]
  const customerIds = [...new Set(sent.flatMap(({ customerId }) => customerId ?? []))]
  const [ofTickets, ofCustomers] = [
    await tx
      .select({ id: tickets.id })
      .from(tickets)
      .where(and(eq(tickets.orgId, orgId), inArray(tickets.id, ticketIds))),
    await tx
      .select({ id: customers.id })
      .from(customers)
      .where(and(eq(customers.orgId, orgId), inArray(customers.id, customerIds))),
  ]
  const existing = new Set([...ofTickets, ...ofCustomers].map(({ id }) => id))
  return sent.filter(
    ({ type, ticketId, customerId }) =>
      type === 'ticket.deleted' ||
      type === 'customer.deleted' ||
      existing.has(ticketId === '' ? (customerId ?? '') : ticketId),
  )
}
