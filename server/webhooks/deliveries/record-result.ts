import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Transaction } from '../../database/database.ts'
import { command } from '../../database/statement.ts'
import { attempts, deliveries, type StoredDeliveryState } from '../../database/tables/webhooks.ts'
import type { Deps } from '../../deps.ts'
import type { Claimed } from './claim.ts'
import type { DeliveryError } from './delivery-errors.ts'
import { nextRetryAt } from './retry-schedule.ts'

/** Attempts cut off on this side go again without using up a retry, so many times. */
const MOST_INTERRUPTIONS = 5

/** What came of an attempt. */
export interface AttemptResult {
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

type NextState = {
  state: StoredDeliveryState
  dueAt: number
  retries: number
  interruptions: number
  manual: boolean
  finishedAt: number | null
}

/**
 * Writes down how an attempt ended and what follows from it. The delivery changes only when the attempt is still its
 * newest and it is still in flight: one that was cancelled meanwhile stays so. Answers whether no retry follows.
 */
export async function recordResult(
  deps: Deps,
  tx: Transaction,
  delivery: Claimed,
  result: AttemptResult,
): Promise<{ isFinal: boolean }> {
  const next = nextState(deps, delivery, result)
  await finishAttempt(tx, {
    deliveryId: delivery.id,
    number: delivery.attempt,
    outcome: result.outcome,
    status: result.status,
    durationMs: result.durationMs,
    detail: result.detail ?? null,
    requestHeaders: result.requestHeaders && JSON.stringify(result.requestHeaders),
    responseHeaders: result.responseHeaders && JSON.stringify(result.responseHeaders),
    responseBody: result.responseBody,
    isBodyCut: result.isBodyCut,
  })
  await moveOn(tx, {
    ...next,
    id: delivery.id,
    attempt: delivery.attempt,
    lastError: result.outcome === 'succeeded' ? null : result.outcome,
    lastStatus: result.status,
  })
  return { isFinal: next.state !== 'pending' }
}

function nextState(deps: Deps, delivery: Claimed, result: AttemptResult): NextState {
  const { dueAt, retries, interruptions, manual, finishedAt } = delivery
  if (result.outcome === 'interrupted' && interruptions < MOST_INTERRUPTIONS) {
    return { state: 'pending', dueAt, retries, interruptions: interruptions + 1, manual, finishedAt }
  }
  const same = { retries, interruptions, manual: false }
  if (result.outcome === 'succeeded') {
    return { ...same, state: 'succeeded', dueAt, finishedAt: result.endedAt }
  }
  const retryAt = isTriedOnce(delivery)
    ? null
    : nextRetryAt({
        schedule: deps.config.webhookRetriesMs,
        retry: retries,
        failedAt: result.endedAt,
        jitter: randomShare(deps),
        retryAfterMs: result.retryAfterMs,
      })
  const failed = { ...same, retries: retries + 1 }
  return retryAt === null
    ? { ...failed, state: 'failed', dueAt, finishedAt: result.endedAt }
    : { ...failed, state: 'pending', dueAt: retryAt, finishedAt }
}

/** A test, or one more attempt of a delivery that had come to its end. */
function isTriedOnce(delivery: Claimed): boolean {
  return delivery.eventNumber === 0 || delivery.finishedAt !== null
}

function randomShare(deps: Deps): number {
  const [high = 0, low = 0] = deps.randomBytes(2)
  return (high * 256 + low) / 65_536
}

const finishAttempt = command<{
  deliveryId: string
  number: number
  outcome: string
  status: number | null
  durationMs: number | null
  detail: string | null
  requestHeaders: string | null
  responseHeaders: string | null
  responseBody: Uint8Array | null
  isBodyCut: boolean
}>('results_finish_attempt', (tx, p) =>
  tx
    .update(attempts)
    .set({
      outcome: sql`${p.outcome}`,
      status: sql`${p.status}`,
      durationMs: sql`${p.durationMs}`,
      detail: sql`${p.detail}`,
      requestHeaders: sql`${p.requestHeaders}`,
      responseHeaders: sql`${p.responseHeaders}`,
      responseBody: sql`${p.responseBody}`,
      isBodyCut: sql`${sql.param(p.isBodyCut, attempts.isBodyCut)}`,
    })
    .where(
      and(eq(attempts.deliveryId, p.deliveryId), eq(attempts.number, p.number), isNull(attempts.outcome)),
    ),
)

const moveOn = command<
  NextState & { id: string; attempt: number; lastError: string | null; lastStatus: number | null }
>('results_move_on', (tx, p) =>
  tx
    .update(deliveries)
    .set({
      state: sql`${p.state}`,
      dueAt: sql`${p.dueAt}`,
      retries: sql`${p.retries}`,
      interruptions: sql`${p.interruptions}`,
      manual: sql`${sql.param(p.manual, deliveries.manual)}`,
      finishedAt: sql`${p.finishedAt}`,
      lastError: sql`${p.lastError}`,
      lastStatus: sql`${p.lastStatus}`,
    })
    .where(
      and(eq(deliveries.id, p.id), eq(deliveries.attempt, p.attempt), eq(deliveries.state, 'in_flight')),
    ),
)
