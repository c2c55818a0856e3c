import { and, inArray, isNull, lte, type SQL, sql } from 'drizzle-orm'
import type { ClockJump } from '../../clock-jump.ts'
import type { Transaction } from '../../database/database.ts'
import { deliveries, endpoints } from '../../database/tables/webhooks.ts'
import type { Deps } from '../../deps.ts'

/** `Retry-After` may double a delay, and there is up to 2 s of jitter. */
const MAX_DELAY_FACTOR = 2
const MAX_JITTER_MS = 2_000

/**
 * Shifts due times with the clock, so that a retry keeps its delay after the failure: it comes neither early nor an
 * hour late, and waking up from sleep does not send everything at once. Rows written after the jump do not move. What
 * was due before the jump stays due, and first attempts keep the order of their commits.
 */
export async function shiftDueTimes(tx: Transaction, now: number, jump: ClockJump): Promise<void> {
  const { by, checkedAt, checkedAtShifted } = jump
  if (by > 0) {
    const isRetry = sql`attempt > 0 and due_at > ${checkedAt} and not (due_at between ${checkedAtShifted} and ${now})`
    await shiftPending(tx, sql`due_at + ${by}`, isRetry)
    await shiftFailingSince(tx, jump)
  } else {
    const shifted = sql`case when due_at > ${checkedAt} then due_at + ${by} else ${checkedAtShifted} end`
    await shiftPending(tx, shifted, sql`due_at > ${checkedAtShifted}`)
  }
}

/** Endpoints are switched off after days of failures: the time that the clock skipped is not one of them. */
async function shiftFailingSince(tx: Transaction, { by, checkedAt }: ClockJump): Promise<void> {
  await tx
    .update(endpoints)
    .set({ failingSince: sql`failing_since + ${by}` })
    .where(and(isNull(endpoints.deletedAt), lte(endpoints.failingSince, checkedAt)))
}

/** A due time later than any delay allows was written by a wrong clock: a first attempt is due now, a retry soon. */
export async function clampDueTimes(deps: Deps, tx: Transaction): Promise<void> {
  const now = deps.clock.now()
  const maxDelay = Math.max(0, ...deps.config.webhookRetriesMs) * MAX_DELAY_FACTOR + MAX_JITTER_MS
  await shiftPending(tx, sql`${now}`, sql`attempt = 0 and due_at > ${now}`)
  await shiftPending(tx, sql`${now + maxDelay}`, sql`due_at > ${now + maxDelay}`)
}

/** By endpoint, so that the index of pending deliveries is used: it finds only the rows that move. */
async function shiftPending(tx: Transaction, dueAt: SQL, where: SQL): Promise<void> {
  const ids = tx.select({ id: endpoints.id }).from(endpoints).where(isNull(endpoints.deletedAt))
  await tx
    .update(deliveries)
    .set({ dueAt })
    .where(and(inArray(deliveries.endpointId, ids), sql`state = 'pending'`, where))
}
