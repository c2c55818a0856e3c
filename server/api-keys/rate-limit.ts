import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { isId } from '../ids.ts'
import { type Allowance, createRateLimiter, WINDOW_MS } from '../requests/rolling-window.ts'
import { createKeyWindows } from './key-windows.ts'

/** Invalid keys that one address, or one /64 network of IPv6, may send in 60 seconds. */
const FAILURES_PER_NETWORK = 60
const SWEEP_EVERY_MS = 300_000

interface LimitedCaller {
  keyId: string
  /** Null means the server's default. */
  rateLimit: number | null
}
type Headers = Record<string, unknown>

/**
 * The requests with each key, and those of each network without a valid one, in the last 60 seconds. All nodes of a cluster
 * count those with a key together. Everything else, and on SQLite all of it, is counted in memory.
 */
export function createKeyLimits(deps: Deps) {
  const { clock, config, database } = deps
  const requests = createRateLimiter(clock.monotonic)
  const stored = database.engine === 'postgresql' ? createKeyWindows(deps) : undefined
  const failures = createRateLimiter(clock.monotonic)
  let cancelSweep = clock.after(SWEEP_EVERY_MS, sweep)

  function sweep(): void {
    requests.sweep()
    stored?.sweep()
    failures.sweep()
    cancelSweep = clock.after(SWEEP_EVERY_MS, sweep)
  }

  /** An agent's browser stays with one node. A program that acts for them doesn't. */
  function limiterOf({ keyId }: Pick<LimitedCaller, 'keyId'>) {
    return isId('ses', keyId) ? requests : (stored ?? requests)
  }

  return {
    /** Counts a request, sets the headers that describe the limit, and throws 429 above it. A `refusal` isn't counted. */
    async take(caller: LimitedCaller, headers: Headers, refusal: AppError | undefined): Promise<void> {
      const limit = caller.rateLimit ?? config.rateLimit
      const limiter = limiterOf(caller)
      const counted = refusal ? limiter.look(caller.keyId, limit) : limiter.take(caller.keyId, limit)
      const allowance = counted instanceof Promise ? await counted : counted
      Object.assign(headers, rateHeaders(allowance, clock.now()))
      if (refusal) throw refusal
      if (!allowance.isAllowed) throw tooMany('This key has reached its rate limit.', allowance)
    },
    /** A request that was counted and is refused doesn't count. */
    giveBack(caller: LimitedCaller, headers: Headers): void {
      const limit = caller.rateLimit ?? config.rateLimit
      const allowance = limiterOf(caller).giveBack(caller.keyId, limit)
      Object.assign(headers, rateHeaders(allowance, clock.now()))
    },
    /** Counts what a key does beside its requests. Throws 429 above a limit of its own. */
    async takeFor(caller: LimitedCaller, { name, limit }: { name: string; limit: number }): Promise<void> {
      const allowance = await limiterOf(caller).take(`${caller.keyId} ${name}`, limit)
      if (!allowance.isAllowed) throw tooMany(`${name} can be called ${limit} times a minute.`, allowance)
    },
    /** Counts a request without a valid key. Throws 429 after too many. */
    countFailure(network: string): void {
      const allowance = failures.take(network, FAILURES_PER_NETWORK)
      if (!allowance.isAllowed) throw tooMany('Too many requests without a valid key.', allowance)
    },
    async stop(): Promise<void> {
      cancelSweep()
      await stored?.stop()
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
