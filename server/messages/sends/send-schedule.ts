/** Between later attempts. */
export const MAX_DELAY_MS = 60 * 60_000
/** These attempts take a day. After that, an agent sees that the message was not delivered. */
const MAX_LATE_ATTEMPTS = 24

/**
 * When to retry a message after a temporary failure (wall clock): after the channel's own first delays, then hourly, for a
 * day. Null when no attempt is left. `attempts` counts those so far, at least 1; `failedAt` is the end of the last one. The
 * schedule counts attempts, not hours, so that clock changes and paused mailboxes use up none.
 */
export function nextTryAt(
  firstDelaysMs: readonly number[],
  attempts: number,
  failedAt: number,
): number | null {
  if (attempts >= firstDelaysMs.length + MAX_LATE_ATTEMPTS) return null
  return failedAt + (firstDelaysMs[attempts - 1] ?? MAX_DELAY_MS)
}
