/** Section 8 of the specification: a rolling window of 60 seconds. */
export const WINDOW_MS = 60_000

export interface Allowance {
  isAllowed: boolean
  limit: number
  remaining: number
  /** Milliseconds until the oldest counted request leaves the window; 0 when none is counted. */
  resetMs: number
}

/** The exact times of the counted requests of one key; refused ones are not counted. */
interface RollingLog {
  times: Float64Array
  /** Place of the oldest time. */
  oldest: number
  size: number
}

/** An exact rolling window per key, in memory: a restart forgets it. Times are monotonic milliseconds. */
export function createRateLimiter(now: () => number) {
  const logs = new Map<string, RollingLog>()

  return {
    /** Counts a request if the limit allows it. */
    take(key: string, limit: number): Allowance {
      const at = now()
      const log = logs.get(key) ?? { times: new Float64Array(16), oldest: 0, size: 0 }
      logs.set(key, log)
      forget(log, at)
      const isAllowed = log.size < limit
      if (isAllowed) append(log, at)
      const remaining = Math.max(0, limit - log.size)
      return { isAllowed, limit, remaining, resetMs: waitMs(log, isAllowed ? 1 : log.size - limit + 1, at) }
    },
    /** How a key stands, without counting anything. */
    look(key: string, limit: number): Allowance {
      const at = now()
      const log = logs.get(key)
      if (!log) return { isAllowed: true, limit, remaining: limit, resetMs: 0 }
      forget(log, at)
      const remaining = Math.max(0, limit - log.size)
      return { isAllowed: remaining > 0, limit, remaining, resetMs: waitMs(log, 1, at) }
    },
    /** Drops keys whose window is empty. */
    sweep(): void {
      const at = now()
      for (const [key, log] of logs) {
        forget(log, at)
        if (log.size === 0) logs.delete(key)
      }
    },
  }
}

/** Until so many of the oldest have left the window. */
function waitMs(log: RollingLog, howMany: number, at: number): number {
  if (log.size === 0) return 0
  const last = log.times[(log.oldest + howMany - 1) % log.times.length] ?? at
  return Math.max(0, last + WINDOW_MS - at)
}

function forget(log: RollingLog, at: number): void {
  while (log.size > 0 && (log.times[log.oldest] ?? 0) + WINDOW_MS <= at) {
    log.oldest = (log.oldest + 1) % log.times.length
    log.size -= 1
  }
}

function append(log: RollingLog, at: number): void {
  if (log.size === log.times.length) grow(log)
  log.times[(log.oldest + log.size) % log.times.length] = at
  log.size += 1
}

function grow(log: RollingLog): void {
  const times = new Float64Array(log.times.length * 2)
  for (let place = 0; place < log.size; place += 1) {
    times[place] = log.times[(log.oldest + place) % log.times.length] ?? 0
  }
  log.times = times
  log.oldest = 0
}
