import type { SendChannel } from '../database/tables/sends.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
/** Between later attempts. */
export const MAX_DELAY_MS = 60 * MINUTE_MS
/** Greylisting usually ends within 5 minutes. */
const EMAIL_DELAYS_MS = [1, 5, 15, 30].map((minutes) => minutes * MINUTE_MS)
/** Delays after the first attempts. In a chat, people wait for the answer. */
const FIRST_DELAYS_MS: Record<SendChannel, number[]> = {
  email: EMAIL_DELAYS_MS,
  telegram: [5 * SECOND_MS, 20 * SECOND_MS, ...EMAIL_DELAYS_MS],
}
/** These attempts take a day. After that, an agent sees that the message was not delivered. */
const MAX_LATE_ATTEMPTS = 24

/**
 * When to retry a message after a temporary failure (wall clock): after 1, 5, 15, and 30 minutes, then hourly, for a
 * day. By Telegram also after 5 and 20 seconds. Null when no attempt is left. `attempts` counts those so far, at least
 * 1; `failedAt` is the end of the last one. The schedule counts attempts, not hours, so that clock changes and paused
 * mailboxes use up none.
 */
export function nextTryAt(channel: SendChannel, attempts: number, failedAt: number): number | null {
  const first = FIRST_DELAYS_MS[channel]
  if (attempts >= first.length + MAX_LATE_ATTEMPTS) return null
  return failedAt + (first[attempts - 1] ?? MAX_DELAY_MS)
}
