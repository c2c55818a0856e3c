import { type SQL, sql } from 'drizzle-orm'
import type { Clock } from '../clock.ts'

/** A smaller difference between two checks is a clock that is being corrected slowly. */
const MIN_JUMP_MS = 1_000

export interface ClockJump {
  /** How far the wall clock moved, in milliseconds; negative for backward. */
  by: number
  /** The wall clock at the last check before the jump, and what it would have shown then with the jump. */
  checkedAt: number
  checkedAtShifted: number
}

/** Returns a check that reports when the wall clock was changed, or the machine slept, since the last check. */
export function watchClock(clock: Clock): () => ClockJump | null {
  let wall = clock.now()
  let monotonic = clock.monotonic()
  return () => {
    const checkedAt = wall
    const passed = clock.monotonic() - monotonic
    wall = clock.now()
    monotonic += passed
    const by = Math.round(wall - checkedAt - passed)
    return Math.abs(by) < MIN_JUMP_MS ? null : { by, checkedAt, checkedAtShifted: checkedAt + by }
  }
}

/**
 * How due times in the columns `due_at` move with the clock, so that a retry keeps its delay: it comes neither early nor
 * an hour late, and waking up from sleep does not send everything at once. Rows written after the jump do not move. What
 * was due before the jump stays due, and first attempts keep the order of their commits.
 */
export function shiftOfDueTimes(
  { by, checkedAt, checkedAtShifted }: ClockJump,
  { now, isRetry }: { now: number; isRetry: SQL },
): { dueAt: SQL; where: SQL } {
  if (by > 0) {
    const isLater = sql`due_at > ${checkedAt} and not (due_at between ${checkedAtShifted} and ${now})`
    return { dueAt: sql`due_at + ${by}`, where: sql`${isRetry} and ${isLater}` }
  }
  return {
    dueAt: sql`case when due_at > ${checkedAt} then due_at + ${by} else ${checkedAtShifted} end`,
    where: sql`due_at > ${checkedAtShifted}`,
  }
}
