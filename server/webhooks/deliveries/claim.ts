import { and, asc, eq, inArray, lte, sql } from 'drizzle-orm'
import type { Transaction } from '../../database/database.ts'
import { matches } from '../../database/matches.ts'
import { command, insertOf, integer, statement, text, value } from '../../database/statement.ts'
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
  /** Names the log of the event. */
  logId: string
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
  const claims = rows.sort(inOrder).map(withKind)
  await insertAttempts(
    tx,
    claims.map(({ id, attempt, orgId, kind }) => ({
      deliveryId: id,
      number: attempt,
      orgId,
      kind,
      url: endpoint.url,
      startedAt: now,
    })),
  )
  return claims
}

/** A test has no event. */
function withKind(claim: ClaimedRow): ClaimedDelivery {
  return { ...claim, kind: claim.eventNumber === 0 ? 'test' : claim.manual ? 'manual' : 'scheduled' }
}

/** Undoes the claim of a delivery that was not sent. */
export async function undoClaim(tx: Transaction, delivery: Claim): Promise<void> {
  const current = { id: delivery.id, attempt: delivery.attempt }
  await releaseDelivery(tx, current)
  await deleteAttempt(tx, current)
}

function inOrder(a: Claim, b: Claim): number {
  return a.dueAt - b.dueAt || a.eventNumber - b.eventNumber
}

/** In full, because Drizzle leaves the tables out, and both have an organization. */
const body = sql<Uint8Array | null>`coalesce(deliveries.test_body, (select events.body from events
  where events.org_id = deliveries.org_id and events.number = deliveries.event_number))`
const logId = sql<string>`(select organizations.log_id from organizations
  where organizations.id = deliveries.org_id)`
const claimWithBody = { ...claimColumns, body, logId }
type ClaimedRow = Claim & { body: Uint8Array | null; logId: string }
const claimed = { state: 'in_flight' as const, attempt: sql`${deliveries.attempt} + 1` }

const claimDueRows = statement('claim_due', { endpointId: text, now: integer, limit: integer }, (tx, p) => {
  const due = tx
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(and(eq(deliveries.endpointId, p.endpointId), sql`state = 'pending'`, lte(deliveries.dueAt, p.now)))
    // The limit is part of the order, because Drizzle would bind it bare (see schedule.ts).
    .orderBy(asc(deliveries.dueAt), sql`${deliveries.eventNumber} limit ${p.limit}`)
  return tx.update(deliveries).set(claimed).where(inArray(deliveries.id, due)).returning(claimWithBody)
})

const claimTestRows = statement('claim_tests', { endpointId: text, limit: value<number>() }, (tx, p) => {
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
  return tx.update(deliveries).set(claimed).where(inArray(deliveries.id, due)).returning(claimWithBody)
})

const insertAttempts = insertOf(attempts, {
  columns: ['deliveryId', 'number', 'orgId', 'kind', 'url', 'startedAt'],
})

const releaseDelivery = command('claim_undo', { id: text, attempt: integer }, (tx, p) =>
  tx
    .update(deliveries)
    .set({ state: 'pending', attempt: sql`${deliveries.attempt} - 1` })
    .where(matches(deliveries, { id: p.id, attempt: p.attempt, state: 'in_flight' })),
)

const deleteAttempt = command('claim_delete_attempt', { id: text, attempt: integer }, (tx, p) =>
  tx.delete(attempts).where(matches(attempts, { deliveryId: p.id, number: p.attempt })),
)
