import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { type Allowance, createRateLimiter, WINDOW_MS } from '../requests/rolling-window.ts'

/** Invalid keys that one address, or one /64 network of IPv6, may send in 60 seconds. */
const FAILURES_PER_NETWORK = 60
const SWEEP_EVERY_MS = 300_000

/** The requests with each key, and those of each network without a valid one, in the last 60 seconds. In memory. */
export function createKeyLimits({ clock, config }: Deps) {
  const requests = createRateLimiter(clock.monotonic)
  const failures = createRateLimiter(clock.monotonic)
  let cancelSweep = clock.after(SWEEP_EVERY_MS, sweep)

  function sweep(): void {
    requests.sweep()
    failures.sweep()
    cancelSweep = clock.after(SWEEP_EVERY_MS, sweep)
  }

  return {
    /** Counts a request, sets the headers that describe the limit, and throws 429 above it. A `refusal` isn't counted. */
    take(
      key: { keyId: string; rateLimit: number | null },
      headers: Record<string, unknown>,
      refusal: AppError | undefined,
    ): void {
      const limit = key.rateLimit ?? config.rateLimit
      const allowance = refusal ? requests.look(key.keyId, limit) : requests.take(key.keyId, limit)
      Object.assign(headers, rateHeaders(allowance, clock.now()))
      if (refusal) throw refusal
      if (!allowance.isAllowed) throw tooMany('This key has reached its rate limit.', allowance)
    },
    /** Refuses a request that was counted: it doesn't count. */
    refuse(
      key: { keyId: string; rateLimit: number | null },
      headers: Record<string, unknown>,
      refusal: AppError,
    ): never {
      requests.giveBack(key.keyId)
      const allowance = requests.look(key.keyId, key.rateLimit ?? config.rateLimit)
      Object.assign(headers, rateHeaders(allowance, clock.now()))
      throw refusal
    },
    /** Counts a request without a valid key. Throws 429 after too many. */
    countFailure(network: string): void {
      const allowance = failures.take(network, FAILURES_PER_NETWORK)
      if (!allowance.isAllowed) throw tooMany('Too many requests without a valid key.', allowance)
    },
    stop(): void {
      cancelSweep()
    },
  }
}

function tooMany(message: string, { resetMs }: Allowance): AppError {
  const seconds = Math.max(1, Math.ceil(resetMs / 1000))
  return new AppError(429, 'rate_limited', `${message} Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  })
}

/** The IETF draft's fields (draft-ietf-httpapi-ratelimit-headers) and the older ones that most clients read. */
function rateHeaders({ limit, remaining, resetMs }: Allowance, now: number): Record<string, string> {
  const seconds = Math.ceil(resetMs / 1000)
  return {
    'ratelimit-policy': `"default";q=${limit};w=${WINDOW_MS / 1000}`,
    ratelimit: `"default";r=${remaining};t=${seconds}`,
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil((now + resetMs) / 1000)),
  }
}
