import type { Transaction } from '../../database/database.ts'
import { updateOf } from '../../database/statement.ts'
import { endpoints } from '../../database/tables/webhooks.ts'
import type { Deps } from '../../deps.ts'
import type { LaneTask } from '../../jobs/run-attempts.ts'
import { type FinishedAttempt, healthAfter } from '../endpoints/endpoint-health.ts'
import { type Endpoint, lockEndpointById } from '../endpoints/endpoints.ts'
import { type ClaimedDelivery, claimDue, undoClaim } from './claim.ts'
import { type AttemptResult, recordResult, recoverInterrupted } from './record-result.ts'
import { AT_ONCE, clampDueTimes, findEarliestDue } from './schedule.ts'

/** A claimed delivery with its endpoint as it was then. */
export interface DeliveryJob {
  id: string
  delivery: ClaimedDelivery
  endpoint: Endpoint
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
  task: LaneTask<DeliveryJob, AttemptResult>,
  { isRunning, now }: { isRunning: (deliveryId: string) => boolean; now: number },
): Promise<ProcessedEndpoint | null> {
  const [before] = await lockEndpointById(tx, { id: task.laneId })
  if (!before) return null
  let endpoint = before
  for (const { job, result } of task.finished) {
    const { delivery } = job
    if (result === 'unsent') {
      await undoClaim(tx, delivery)
      continue
    }
    const { isFinal } = await recordResult(deps, tx, delivery, { result, now })
    if (countsForHealth(delivery, result)) endpoint = healthAfter(endpoint, attemptOf(result, isFinal))
  }
  if (task.mustRecover) {
    await recoverInterrupted(deps, tx, { endpointId: endpoint.id, isRunning, now })
    await clampDueTimes(deps, tx, { endpointId: endpoint.id, now })
  }
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

const saveHealthAndSchedule = updateOf('endpoints_save_health_and_schedule', endpoints, {
  set: [
    'isHealthy',
    'connectFailures',
    'failingSince',
    'recentOutcomes',
    'lastSuccessAt',
    'lastErrorAt',
    'lastError',
    'offAt',
    'offReason',
    'nextDeliveryAt',
  ],
  by: ['id'],
})
