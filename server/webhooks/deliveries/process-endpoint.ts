import { eq, sql } from 'drizzle-orm'
import type { Transaction } from '../../database/database.ts'
import { command } from '../../database/statement.ts'
import { endpoints } from '../../database/tables/webhooks.ts'
import type { Deps } from '../../deps.ts'
import { type FinishedAttempt, type Health, healthAfter } from '../endpoints/endpoint-health.ts'
import { type Endpoint, lockEndpointById } from '../endpoints/endpoints.ts'
import { type ClaimedDelivery, claimDue, undoClaim } from './claim.ts'
import { type AttemptResult, recordResult } from './record-result.ts'
import { AT_ONCE, findEarliestDue } from './schedule.ts'
import type { DeliveryInFlight } from './slots.ts'

/** What a batch of the delivery loop does for one endpoint. */
export interface EndpointTask {
  endpointId: string
  /** Results to record. */
  finished: DeliveryInFlight[]
  /** How many deliveries it may claim. */
  claims: number
}

export interface ProcessedEndpoint {
  endpoint: Endpoint
  claimed: ClaimedDelivery[]
  wasSwitchedOff: boolean
}

/** Records an endpoint's results, claims what to send next, and schedules the endpoint again. */
export async function processEndpoint(
  deps: Deps,
  tx: Transaction,
  task: EndpointTask,
): Promise<ProcessedEndpoint | null> {
  const [before] = await lockEndpointById(tx, { id: task.endpointId })
  if (!before) return null
  let endpoint = before
  for (const { delivery, result } of task.finished) {
    if (!result) continue
    if (result === 'unsent') {
      await undoClaim(tx, delivery)
      continue
    }
    const { isFinal } = await recordResult(deps, tx, delivery, result)
    if (countsForHealth(delivery, result)) endpoint = healthAfter(endpoint, attemptOf(result, isFinal))
  }
  const now = deps.clock.now()
  const mayClaim = task.claims > 0 && endpoint.deletedAt === null
  const claimed = mayClaim ? await claimDue(tx, endpoint, now, task.claims) : []
  await saveHealthAndSchedule(tx, { ...endpoint, nextDeliveryAt: await nextDeliveryAt(tx, endpoint, now) })
  return { endpoint, claimed, wasSwitchedOff: before.offAt === null && endpoint.offAt !== null }
}

/** Deliveries that are still due wait for the next batch, after endpoints that became due before now. */
async function nextDeliveryAt(tx: Transaction, endpoint: Endpoint, now: number): Promise<number | null> {
  if (endpoint.deletedAt !== null) return null
  const [earliest] = await findEarliestDue(tx, { endpointId: endpoint.id })
  if (!earliest) return null
  if (endpoint.offAt !== null) return earliest.dueAt === AT_ONCE ? now : null
  return Math.max(earliest.dueAt, now)
}

/** Test deliveries, and attempts that this server interrupted, say nothing about the endpoint. */
function countsForHealth(delivery: ClaimedDelivery, result: AttemptResult): boolean {
  return delivery.kind !== 'test' && result.outcome !== 'interrupted'
}

function attemptOf(result: AttemptResult, isFinal: boolean): FinishedAttempt {
  const error = result.outcome === 'succeeded' ? null : result.outcome
  return { error, status: result.status, endedAt: result.endedAt, isFinal }
}

const saveHealthAndSchedule = command<Health & Pick<Endpoint, 'id' | 'nextDeliveryAt'>>(
  'endpoints_save_health_and_schedule',
  (tx, p) =>
    tx
      .update(endpoints)
      .set({
        isHealthy: sql`${sql.param(p.isHealthy, endpoints.isHealthy)}`,
        connectFailures: sql`${p.connectFailures}`,
        failingSince: sql`${p.failingSince}`,
        recentOutcomes: sql`${p.recentOutcomes}`,
        lastSuccessAt: sql`${p.lastSuccessAt}`,
        lastErrorAt: sql`${p.lastErrorAt}`,
        lastError: sql`${p.lastError}`,
        offAt: sql`${p.offAt}`,
        offReason: sql`${p.offReason}`,
        nextDeliveryAt: sql`${p.nextDeliveryAt}`,
      })
      .where(eq(endpoints.id, p.id)),
)
