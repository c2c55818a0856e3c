const MAX_JITTER_MS = 2_000
/** A shorter delay, as in tests, gets less jitter: one fifteenth, which is 2 s for the first retry after 30 s. */
const JITTER_SHARE = 1 / 15
const MAX_RETRY_AFTER_MS = 86_400_000

interface FailedAttempt {
  /** Delay before each retry, in milliseconds: `BELLHOP_WEBHOOK_RETRIES`, by default `DEFAULT_WEBHOOK_RETRIES` of server/config.ts. */
  schedule: readonly number[]
  /** Number of retries so far: 0 after the first attempt. */
  retry: number
  /** End of the failed attempt (wall clock). */
  failedAt: number
  /** A random number from 0 to 1. */
  jitter: number
  /** `Retry-After` of a 429 or 503. It can lengthen the delay, at most to twice, but not shorten it. */
  retryAfterMs?: number | undefined
}

/** When to try again (wall clock): never before the full delay has passed. Null when no retry is left. */
export function nextRetryAt(failed: FailedAttempt): number | null {
  const delay = failed.schedule[failed.retry]
  if (delay === undefined) return null
  const asked = Math.min(failed.retryAfterMs ?? 0, 2 * delay)
  const jitter = failed.jitter * Math.min(MAX_JITTER_MS, delay * JITTER_SHARE)
  return Math.ceil(failed.failedAt + Math.max(delay, asked) + jitter)
}

/**
 * Milliseconds of a `Retry-After` header (RFC 9110, section 10.2.3), given in seconds or as an HTTP date, at most one
 * day; 0 for a past date. Undefined when it is missing or invalid. `now` is the wall clock.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? ''
  const asked = /^\d+$/.test(text) ? Number(text) * 1_000 : dateOf(text) - now
  if (Number.isNaN(asked)) return undefined
  return Math.min(Math.max(asked, 0), MAX_RETRY_AFTER_MS)
}

/** All three forms of RFC 9110, section 5.6.7. The `asctime` form has no zone and is UTC. */
function dateOf(text: string): number {
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return Number.NaN
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
}
