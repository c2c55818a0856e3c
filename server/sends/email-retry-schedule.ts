const MINUTE_MS = 60_000
/** Between later attempts. */
export const MAX_DELAY_MS = 60 * MINUTE_MS
/** Delays after the first attempts. Greylisting usually ends within 5 minutes. */
const FIRST_DELAYS_MS = [1, 5, 15, 30].map((minutes) => minutes * MINUTE_MS)
/** These attempts take a day. After that, an agent sees that the message was not delivered. */
const MAX_ATTEMPTS = 28

/**
 * When to try a message again after a temporary failure (wall clock): after 1, 5, 15, and 30 minutes, then hourly, for
 * a day. Null when no attempt is left. `attempts` counts those so far, at least 1; `failedAt` is the end of the last.
 * Attempts are counted, not hours, so that a clock that jumps or a mailbox that is paused costs a message nothing.
 */
export function nextTryAt(attempts: number, failedAt: number): number | null {
  if (attempts >= MAX_ATTEMPTS) return null
  return failedAt + (FIRST_DELAYS_MS[attempts - 1] ?? MAX_DELAY_MS)
}
