import type { Clock } from './clock.ts'

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
