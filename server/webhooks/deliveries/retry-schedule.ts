const LONGEST_JITTER_MS = 2_000
/** Short schedules, as in tests, get less jitter: a fifteenth of the delay, which is 2 s for the first 30 s. */
const JITTER_SHARE = 1 / 15
const LONGEST_RETRY_AFTER_MS = 86_400_000

export interface FailedAttempt {
  /** Delays before each retry, in milliseconds; section 6 of the specification has 30 s, 5 min, 30 min. */
  schedule: readonly number[]
  /** Retries made so far: 0 after the first attempt. */
  retry: number
  /** End of the failed attempt, wall clock. */
  failedAt: number
  /** A random number from 0 to 1. */
  jitter: number
  /** What a 429 or 503 asked for. It lengthens the delay, to twice at most, and never shortens it. */
  retryAfterMs?: number | undefined
}

/** When to try again, wall clock: never before the delay has passed since the failure. Null when no retry is left. */
export function nextRetryAt(failed: FailedAttempt): number | null {
  const delay = failed.schedule[failed.retry]
  if (delay === undefined) return null
  const asked = Math.min(failed.retryAfterMs ?? 0, 2 * delay)
  const jitter = failed.jitter * Math.min(LONGEST_JITTER_MS, delay * JITTER_SHARE)
  return Math.ceil(failed.failedAt + Math.max(delay, asked) + jitter)
}

/**
 * Milliseconds that a `Retry-After` header (RFC 9110, section 10.2.3) asks for, seconds or an HTTP date, at most a
 * day; 0 for a date gone by. Undefined when there is none or it says nothing. `now` is the wall clock.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? ''
  const asked = /^\d+$/.test(text) ? Number(text) * 1_000 : dateOf(text) - now
  if (Number.isNaN(asked)) return undefined
  return Math.min(Math.max(asked, 0), LONGEST_RETRY_AFTER_MS)
}

/** All three forms of RFC 9110, section 5.6.7; the one of `asctime` names no zone and means UTC. */
function dateOf(text: string): number {
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return Number.NaN
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
}
