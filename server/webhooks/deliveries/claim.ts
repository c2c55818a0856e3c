import { and, asc, eq, inArray, lte, sql } from 'drizzle-orm'
import type { Transaction } from '../../database/database.ts'
import { command, integerParameter, statement, textParameter } from '../../database/statement.ts'
import { events } from '../../database/tables/events.ts'
import { type AttemptKind, attempts, deliveries } from '../../database/tables/webhooks.ts'
import type { Endpoint } from '../endpoints/endpoints.ts'
import { AT_ONCE } from './schedule.ts'

export const claimColumns = {
  id: deliveries.id,
  orgId: deliveries.orgId,
  endpointId: deliveries.endpointId,
  eventNumber: deliveries.eventNumber,
  eventType: deliveries.eventType,
  dueAt: deliveries.dueAt,
  retries: deliveries.retries,
  interruptions: deliveries.interruptions,
  attempt: deliveries.attempt,
  manual: deliveries.manual,
  finishedAt: deliveries.finishedAt,
}

/** What an attempt needs of its delivery. `attempt` is the number of this attempt, from 1. */
export type Claim = Pick<typeof deliveries.$inferSelect, keyof typeof claimColumns>

/** A delivery whose attempt is recorded and may start. */
export interface ClaimedDelivery extends Claim {
  kind: AttemptKind
  /** Null when the event is no longer stored. */
  body: Uint8Array | null
}

/**
 * Claims up to `limit` due deliveries of an endpoint, in the order they became due and were committed, and records an
 * attempt for each, so that a restart after a crash finds it. For an endpoint that is off, only test deliveries.
 */
export async function claimDue(
  tx: Transaction,
  endpoint: Endpoint,
  now: number,
  limit: number,
): Promise<ClaimedDelivery[]> {
  const rows =
    endpoint.offAt === null
      ? await claimDueRows(tx, { endpointId: endpoint.id, now, limit })
      : await claimTestRows(tx, { endpointId: endpoint.id, limit })
  const claims: ClaimedDelivery[] = []
  for (const row of rows.sort(inOrder)) {
    const { testBody, ...delivery } = row
    const kind = testBody ? 'test' : delivery.manual ? 'manual' : 'scheduled'
    const body = testBody ?? (await bodyOf(tx, delivery))
    claims.push({ ...delivery, kind, body })
    await insertAttempt(tx, {
      deliveryId: delivery.id,
      number: delivery.attempt,
      orgId: delivery.orgId,
      kind,
      url: endpoint.url,
      startedAt: now,
    })
  }
  return claims
}

/** Undoes the claim of a delivery that was not sent. */
export async function undoClaim(tx: Transaction, delivery: Claim): Promise<void> {
  const current = { id: delivery.id, attempt: delivery.attempt }
  await releaseDelivery(tx, current)
  await deleteAttempt(tx, current)
}

async function bodyOf(tx: Transaction, delivery: Claim): Promise<Uint8Array | null> {
  const [event] = await findBody(tx, { orgId: delivery.orgId, number: delivery.eventNumber })
  return event?.body ?? null
}

function inOrder(a: Claim, b: Claim): number {
  return a.dueAt - b.dueAt || a.eventNumber - b.eventNumber
}

const claimWithTestBody = { ...claimColumns, testBody: deliveries.testBody }
type ClaimWithTestBody = Claim & { testBody: Uint8Array | null }
const claimed = { state: 'in_flight' as const, attempt: sql`${deliveries.attempt} + 1` }

const claimDueRows = statement<{ endpointId: string; now: number; limit: number }, ClaimWithTestBody[]>(
  'claim_due',
  (tx, p) => {
    const due = tx
      .select({ id: deliveries.id })
      .from(deliveries)
      .where(
        and(
          eq(deliveries.endpointId, textParameter(p.endpointId)),
          sql`state = 'pending'`,
          lte(deliveries.dueAt, integerParameter(p.now)),
        ),
      )
      // The limit is part of the order, because Drizzle would bind it bare (see schedule.ts).
      .orderBy(asc(deliveries.dueAt), sql`${deliveries.eventNumber} limit ${integerParameter(p.limit)}`)
    return tx.update(deliveries).set(claimed).where(inArray(deliveries.id, due)).returning(claimWithTestBody)
  },
)

const claimTestRows = statement<{ endpointId: string; limit: number }, ClaimWithTestBody[]>(
  'claim_tests',
  (tx, p) => {
    const due = tx
      .select({ id: deliveries.id })
      .from(deliveries)
      .where(
        and(
          eq(deliveries.endpointId, p.endpointId),
          sql`state = 'pending'`,
          eq(deliveries.dueAt, AT_ONCE),
          eq(deliveries.eventNumber, 0),
        ),
      )
      .limit(p.limit)
    return tx.update(deliveries).set(claimed).where(inArray(deliveries.id, due)).returning(claimWithTestBody)
  },
)

const findBody = statement<{ orgId: string; number: number }, { body: Uint8Array | null }[]>(
  'claim_body',
  (tx, p) =>
    tx
      .select({ body: events.body })
      .from(events)
      .where(and(eq(events.orgId, p.orgId), eq(events.number, p.number))),
)

const insertAttempt = command<
  Pick<typeof attempts.$inferSelect, 'deliveryId' | 'number' | 'orgId' | 'kind' | 'url' | 'startedAt'>
>('claim_insert_attempt', (tx, p) =>
  tx.insert(attempts).values({
    deliveryId: p.deliveryId,
    number: p.number,
    orgId: p.orgId,
    kind: p.kind,
    url: p.url,
    startedAt: p.startedAt,
  }),
)

const releaseDelivery = command<{ id: string; attempt: number }>('claim_undo', (tx, p) =>
  tx
    .update(deliveries)
    .set({ state: 'pending', attempt: sql`${deliveries.attempt} - 1` })
    .where(
      and(eq(deliveries.id, p.id), eq(deliveries.attempt, p.attempt), eq(deliveries.state, 'in_flight')),
    ),
)

const deleteAttempt = command<{ id: string; attempt: number }>('claim_delete_attempt', (tx, p) =>
  tx.delete(attempts).where(and(eq(attempts.deliveryId, p.id), eq(attempts.number, p.attempt))),
)
