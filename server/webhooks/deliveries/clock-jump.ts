import { and, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import type { Clock } from '../../clock.ts'
import type { Transaction } from '../../database/database.ts'
import { deliveries, endpoints } from '../../database/tables/webhooks.ts'
import type { Deps } from '../../deps.ts'

/** Wall and monotonic clock may differ so much between two looks: a clock that is being corrected slowly. */
const SMALLEST_JUMP_MS = 1_000
/** `Retry-After` may double a delay, and there is up to 2 s of jitter. */
const LONGEST_STRETCH = 2
const LONGEST_JITTER_MS = 2_000

export interface Jump {
  /** Milliseconds the wall clock was moved by. */
  by: number
  /** The last look before the jump: as the clock showed it then, and as it would have shown it after. */
  lookedAt: number
  lookedAtAfterwards: number
}

/** Notices that the wall clock was set, or that the machine slept, between two looks. */
export function watchClock(clock: Clock): () => Jump | null {
  let wall = clock.now()
  let monotonic = clock.monotonic()
  return () => {
    const before = wall
    const passed = clock.monotonic() - monotonic
    wall = clock.now()
    monotonic += passed
    const by = Math.round(wall - before - passed)
    return Math.abs(by) < SMALLEST_JUMP_MS ? null : { by, lookedAt: before, lookedAtAfterwards: before + by }
  }
}

/**
 * Moves due times with the clock, so that a retry keeps its distance from the failure: it comes neither early nor an
 * hour late, and after a sleep there is no storm. Rows written after the jump are not moved; what was due before it
 * stays due, and first attempts keep the order of their commits.
 */
export async function shiftDueTimes(tx: Transaction, now: number, jump: Jump): Promise<void> {
  const { by, lookedAt, lookedAtAfterwards } = jump
  if (by > 0) {
    const isRetry = sql`attempt > 0 and due_at > ${lookedAt} and not (due_at between ${lookedAtAfterwards} and ${now})`
    await movePending(tx, sql`due_at + ${by}`, isRetry)
  } else {
    const moved = sql`case when due_at > ${lookedAt} then due_at + ${by} else ${lookedAtAfterwards} end`
    await movePending(tx, moved, sql`due_at > ${lookedAtAfterwards}`)
  }
}

/** Due times that no delay explains were written by a wrong clock: a first attempt is due now, a retry soon. */
export async function clampDueTimes(deps: Deps, tx: Transaction): Promise<void> {
  const now = deps.clock.now()
  const longest = Math.max(0, ...deps.config.webhookRetriesMs) * LONGEST_STRETCH + LONGEST_JITTER_MS
  await movePending(tx, sql`${now}`, sql`attempt = 0 and due_at > ${now}`)
  await movePending(tx, sql`${now + longest}`, sql`due_at > ${now + longest}`)
}

/** By endpoint, so that the index of pending deliveries serves: it finds only the rows that move. */
async function movePending(tx: Transaction, dueAt: SQL, where: SQL): Promise<void> {
  const ids = tx.select({ id: endpoints.id }).from(endpoints).where(isNull(endpoints.deletedAt))
  await tx
    .update(deliveries)
    .set({ dueAt })
    .where(and(inArray(deliveries.endpointId, ids), sql`state = 'pending'`, where))
}
