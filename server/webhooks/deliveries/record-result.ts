import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Transaction } from '../../database/database.ts'
import { statement, text, updateOf } from '../../database/statement.ts'
import { attempts, deliveries } from '../../database/tables/webhooks.ts'
import type { Deps } from '../../deps.ts'
import { type Claim, claimColumns } from './claim.ts'
import type { DeliveryError } from './delivery-errors.ts'
import { nextRetryAt } from './retry-schedule.ts'

/** How many times an interrupted attempt is repeated without using up a retry. */
const MAX_INTERRUPTIONS = 5

export interface AttemptResult {
  /** Wall clock. Null when it never started, or not as far as is known. */
  startedAt: number | null
  outcome: 'succeeded' | DeliveryError
  status: number | null
  endedAt: number
  durationMs: number | null
  detail?: string | undefined
  retryAfterMs?: number | undefined
  requestHeaders: Record<string, string> | null
  responseHeaders: Record<string, string> | null
  responseBody: Uint8Array | null
  isBodyCut: boolean
}

type NextState = Pick<
  typeof deliveries.$inferSelect,
  'state' | 'dueAt' | 'retries' | 'interruptions' | 'manual' | 'finishedAt'
>

/** The result of an attempt that this server ended, or could not start. */
export function interruptedResult(endedAt: number, detail?: string): AttemptResult {
  return {
    startedAt: null,
    outcome: 'interrupted',
    status: null,
    endedAt,
    durationMs: null,
    detail,
    requestHeaders: null,
    responseHeaders: null,
    responseBody: null,
    isBodyCut: false,
  }
}

/**
 * Records the result of an attempt and the delivery's next state. The delivery changes only while this attempt is its
 * newest and is in flight, so a delivery that was canceled meanwhile stays canceled. `isFinal`: no retry follows.
 */
export async function recordResult(
  deps: Deps,
  tx: Transaction,
  delivery: Claim,
  { result, now }: { result: AttemptResult; now: number },
): Promise<{ isFinal: boolean }> {
  const next = nextState(deps, delivery, result, now)
  const finished = {
    deliveryId: delivery.id,
    number: delivery.attempt,
    outcome: result.outcome,
    status: result.status,
    durationMs: result.durationMs,
    detail: result.detail ?? null,
    requestHeaders: result.requestHeaders,
    responseHeaders: result.responseHeaders,
    responseBody: result.responseBody,
    isBodyCut: result.isBodyCut,
  }
  // It was recorded with the time of its claim, and may have waited for others since.
  if (result.startedAt === null) await finishAttempt(tx, finished)
  else await finishStartedAttempt(tx, { ...finished, startedAt: result.startedAt })
  await saveNextState(tx, {
    ...next,
    id: delivery.id,
    attempt: delivery.attempt,
    lastError: result.outcome === 'succeeded' ? null : result.outcome,
    lastStatus: result.status,
  })
  return { isFinal: next.state !== 'pending' }
}

/** Records attempts of an endpoint as interrupted that are in flight in the database, but not running. */
export async function recoverInterrupted(
  deps: Deps,
  tx: Transaction,
  {
    endpointId,
    isRunning,
    now,
  }: { endpointId: string; isRunning: (deliveryId: string) => boolean; now: number },
): Promise<void> {
  for (const delivery of await deliveriesInFlight(tx, { endpointId })) {
    if (!isRunning(delivery.id)) {
      await recordResult(deps, tx, delivery, { result: interruptedResult(now), now })
    }
  }
}

function nextState(deps: Deps, delivery: Claim, result: AttemptResult, now: number): NextState {
  const { dueAt, retries, interruptions, manual, finishedAt } = delivery
  if (result.outcome === 'interrupted' && interruptions < MAX_INTERRUPTIONS) {
    return { state: 'pending', dueAt, retries, interruptions: interruptions + 1, manual, finishedAt }
  }
  const same = { retries, interruptions, manual: false }
  if (result.outcome === 'succeeded') {
    return { ...same, state: 'succeeded', dueAt, finishedAt: result.endedAt }
  }
  const retryAt = hasNoRetries(delivery)
    ? null
    : nextRetryAt({
        schedule: deps.config.webhookRetriesMs,
        retry: retries,
        // By the clock that due times go by now: it may have been set since the attempt ended.
        failedAt: now,
        jitter: randomShare(deps),
        retryAfterMs: result.retryAfterMs,
      })
  const failed = { ...same, retries: retries + 1 }
  return retryAt === null
    ? { ...failed, state: 'failed', dueAt, finishedAt: result.endedAt }
    : { ...failed, state: 'pending', dueAt: retryAt, finishedAt }
}

/** A test delivery, or a finished one that is sent again. */
function hasNoRetries(delivery: Claim): boolean {
  return delivery.eventNumber === 0 || delivery.finishedAt !== null
}

function randomShare(deps: Deps): number {
  const [high = 0, low = 0] = deps.randomBytes(2)
  return (high * 256 + low) / 65_536
}

const deliveriesInFlight = statement('deliveries_in_flight', { endpointId: text }, (tx, p) =>
  tx
    .select(claimColumns)
    .from(deliveries)
    .where(and(eq(deliveries.endpointId, p.endpointId), sql`state = 'in_flight'`)),
)

const RESULT_COLUMNS = [
  'outcome',
  'status',
  'durationMs',
  'detail',
  'requestHeaders',
  'responseHeaders',
  'responseBody',
  'isBodyCut',
] as const

const finishAttempt = updateOf('results_finish_attempt', attempts, {
  set: RESULT_COLUMNS,
  by: ['deliveryId', 'number'],
  where: isNull(attempts.outcome),
})

const finishStartedAttempt = updateOf('results_finish_started_attempt', attempts, {
  set: [...RESULT_COLUMNS, 'startedAt'],
  by: ['deliveryId', 'number'],
  where: isNull(attempts.outcome),
})

const saveNextState = updateOf('results_save_next_state', deliveries, {
  set: ['state', 'dueAt', 'retries', 'interruptions', 'manual', 'finishedAt', 'lastError', 'lastStatus'],
  by: ['id', 'attempt'],
  where: eq(deliveries.state, 'in_flight'),
})
