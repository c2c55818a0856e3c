import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { networkOf } from '../../../requests/address.ts'
import { createRateLimiter } from '../../../requests/rate-limit.ts'

const HOUR_MS = 3_600_000

/** Messages in 60 seconds. */
const MESSAGES_PER_VISITOR = 20
const MESSAGES_PER_VISITOR_AND_HOUR = 200
const MESSAGES_PER_ADDRESS = 60
const MESSAGES_PER_KEY = 6_000
/** New sessions in 60 seconds. */
const SESSIONS_PER_ADDRESS = 30
const SESSIONS_PER_KEY = 600
/** Other requests in 60 seconds. */
const REQUESTS_PER_VISITOR = 240
const REQUESTS_PER_ADDRESS = 6_000

interface Sender {
  visitorId: string
  address: string
  /** The widget, whose key is public. */
  widgetId: string
}

/** Limits of what visitors can cause, in memory. Each throws 429. */
interface VisitorLimits {
  message(from: Sender): void
  session(from: Omit<Sender, 'visitorId'>): void
  request(from: Pick<Sender, 'address'> & { visitorId: string | undefined }): void
  /** Removes expired entries. */
  sweep(): void
}

/** Addresses count by network, because one customer may have many IPv6 addresses. */
export function createVisitorLimits(deps: Deps): VisitorLimits {
  const { monotonic } = deps.clock
  const minute = createRateLimiter(monotonic)
  const hour = createRateLimiter(monotonic, HOUR_MS)

  /** Counts a request only if every limit allows it. */
  function take(what: string, limits: [limiter: typeof minute, key: string, limit: number][]): void {
    for (const [limiter, key, limit] of limits) {
      const { isAllowed, resetMs } = limiter.look(`${what} ${key}`, limit)
      if (!isAllowed) throw tooMany(what, resetMs)
    }
    for (const [limiter, key, limit] of limits) limiter.take(`${what} ${key}`, limit)
  }

  return {
    message({ visitorId, address, widgetId }) {
      take('messages', [
        [minute, visitorId, MESSAGES_PER_VISITOR],
        [hour, visitorId, MESSAGES_PER_VISITOR_AND_HOUR],
        [minute, networkOf(address), MESSAGES_PER_ADDRESS],
        [minute, widgetId, MESSAGES_PER_KEY],
      ])
    },
    session({ address, widgetId }) {
      take('sessions', [
        [minute, networkOf(address), SESSIONS_PER_ADDRESS],
        [minute, widgetId, SESSIONS_PER_KEY],
      ])
    },
    request({ visitorId, address }) {
      take('requests', [
        ...(visitorId === undefined
          ? []
          : [[minute, visitorId, REQUESTS_PER_VISITOR] as [typeof minute, string, number]]),
        [minute, networkOf(address), REQUESTS_PER_ADDRESS],
      ])
    },
    sweep() {
      minute.sweep()
      hour.sweep()
    },
  }
}

/** The refusal of one request too many. */
export function tooMany(what: string, waitMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000))
  return new AppError(429, 'rate_limited', `Too many ${what}. Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  })
}
