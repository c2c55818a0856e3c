import { and, asc, eq, inArray, lte, sql } from 'drizzle-orm'
import type { Transaction } from '../../database/database.ts'
import { command, integerParameter, statement, textParameter } from '../../database/statement.ts'
import { events, type WebhookEvent } from '../../database/tables/events.ts'
import { type AttemptKind, attempts, deliveries } from '../../database/tables/webhooks.ts'
import type { Endpoint } from '../endpoints/queries.ts'
import { AT_ONCE } from './schedule.ts'

/** A delivery whose attempt has been written down and may start. */
export interface Claimed {
  id: string
  orgId: string
  endpointId: string
  eventNumber: number
  eventType: WebhookEvent
  dueAt: number
  /** Failed attempts of the schedule so far. */
  retries: number
  interruptions: number
  /** Number of this attempt, from 1. */
  attempt: number
  manual: boolean
  finishedAt: number | null
}

export interface ClaimedWithBody extends Claimed {
  kind: AttemptKind
  /** Empty when the event is no longer kept. */
  body: Uint8Array | null
}

/**
 * Takes up to `limit` due deliveries of an endpoint, in the order they became due and were committed, and writes
 * down an attempt of each, so that a crash from here on can be seen. Of an endpoint that is off only tests.
 */
export async function claimDue(
  tx: Transaction,
  endpoint: Endpoint,
  now: number,
  limit: number,
): Promise<ClaimedWithBody[]> {
  const rows =
    endpoint.offAt === null
      ? await takeDue(tx, { endpointId: endpoint.id, now, limit })
      : await takeTests(tx, { endpointId: endpoint.id, limit })
  const claimed: ClaimedWithBody[] = []
  for (const row of rows.sort(byTurn)) {
    const { testBody, ...delivery } = row
    const kind = testBody ? 'test' : delivery.manual ? 'manual' : 'scheduled'
    const body = testBody ?? (await bodyOf(tx, delivery))
    claimed.push({ ...delivery, kind, body })
    await insertAttempt(tx, {
      deliveryId: delivery.id,
      number: delivery.attempt,
      orgId: delivery.orgId,
      kind,
      url: endpoint.url,
      startedAt: now,
    })
  }
  return claimed
}

/** Undoes the claim of a delivery of which nothing was sent. */
export async function giveBack(tx: Transaction, delivery: Claimed): Promise<void> {
  const current = { id: delivery.id, attempt: delivery.attempt }
  await unclaim(tx, current)
  await deleteAttempt(tx, current)
}

async function bodyOf(tx: Transaction, delivery: Claimed): Promise<Uint8Array | null> {
  const [event] = await findBody(tx, { orgId: delivery.orgId, number: delivery.eventNumber })
  return event?.body ?? null
}

function byTurn(a: Claimed, b: Claimed): number {
  return a.dueAt - b.dueAt || a.eventNumber - b.eventNumber
}

/** The columns of a `Claimed`. */
export const claimedColumns = {
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
const columns = { ...claimedColumns, testBody: deliveries.testBody }
type Taken = Claimed & { testBody: Uint8Array | null }
const taken = { state: 'in_flight' as const, attempt: sql`${deliveries.attempt} + 1` }

const takeDue = statement<{ endpointId: string; now: number; limit: number }, Taken[]>(
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
      // The limit stands in the order because Drizzle would bind it bare (see turns.ts).
      .orderBy(asc(deliveries.dueAt), sql`${deliveries.eventNumber} limit ${integerParameter(p.limit)}`)
    return tx.update(deliveries).set(taken).where(inArray(deliveries.id, due)).returning(columns)
  },
)

const takeTests = statement<{ endpointId: string; limit: number }, Taken[]>('claim_tests', (tx, p) => {
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
  return tx.update(deliveries).set(taken).where(inArray(deliveries.id, due)).returning(columns)
})

const findBody = statement<{ orgId: string; number: number }, { body: Uint8Array | null }[]>(
  'claim_body',
  (tx, p) =>
    tx
      .select({ body: events.body })
      .from(events)
      .where(and(eq(events.orgId, p.orgId), eq(events.number, p.number))),
)

const insertAttempt = command<{
  deliveryId: string
  number: number
  orgId: string
  kind: AttemptKind
  url: string
  startedAt: number
}>('claim_insert_attempt', (tx, p) =>
  tx.insert(attempts).values({
    deliveryId: p.deliveryId,
    number: p.number,
    orgId: p.orgId,
    kind: p.kind,
    url: p.url,
    startedAt: p.startedAt,
  }),
)

const unclaim = command<{ id: string; attempt: number }>('claim_undo', (tx, p) =>
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
