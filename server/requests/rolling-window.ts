/** Section 8 of the specification: a rolling window of 60 seconds. */
export const WINDOW_MS = 60_000
const HOUR_MS = 3_600_000
/** How often keys without a counted request are removed. */
const SWEEP_EVERY_MS = 300_000

export interface Allowance {
  isAllowed: boolean
  limit: number
  remaining: number
  /** Milliseconds until the oldest counted request leaves the window; 0 when none is counted. */
  resetMs: number
}

export interface Limit {
  key: string
  most: number
  in: 'minute' | 'hour'
}

/** The exact times of one key's counted requests. Refused requests aren't counted. */
interface RollingLog {
  times: Float64Array
  /** Index of the oldest time. */
  oldest: number
  size: number
}

/** An exact rolling window per key, in memory. A restart clears it. Times are monotonic milliseconds. */
export function createRateLimiter(now: () => number, windowMs = WINDOW_MS) {
  const logs = new Map<string, RollingLog>()

  return {
    /** Counts a request if the limit allows it. */
    take(key: string, limit: number): Allowance {
      const at = now()
      const log = logs.get(key) ?? { times: new Float64Array(16), oldest: 0, size: 0 }
      logs.set(key, log)
      expire(log, at - windowMs)
      const isAllowed = log.size < limit
      if (isAllowed) append(log, at)
      const remaining = Math.max(0, limit - log.size)
      return {
        isAllowed,
        limit,
        remaining,
        resetMs: waitMs(log, isAllowed ? 1 : log.size - limit + 1, at - windowMs),
      }
    },
    /** Returns a key's allowance without counting a request. */
    look(key: string, limit: number): Allowance {
      const at = now()
      const log = logs.get(key)
      if (!log) return { isAllowed: true, limit, remaining: limit, resetMs: 0 }
      expire(log, at - windowMs)
      const remaining = Math.max(0, limit - log.size)
      return { isAllowed: remaining > 0, limit, remaining, resetMs: waitMs(log, 1, at - windowMs) }
    },
    /** Forgets the newest request of a key, which was counted and then refused. */
    giveBack(key: string, limit: number): Allowance {
      const log = logs.get(key)
      if (log && log.size > 0) log.size -= 1
      return this.look(key, limit)
    },
    /** Removes keys with an empty window. */
    sweep(): void {
      const at = now()
      for (const [key, log] of logs) {
        expire(log, at - windowMs)
        if (log.size === 0) logs.delete(key)
      }
    },
  }
}

/** Limits that are counted together: something counts only if each of them allows it. In memory. */
export function createLimits(now: () => number) {
  const per = { minute: createRateLimiter(now), hour: createRateLimiter(now, HOUR_MS) }
  let sweptAt = now()

  function sweep(): void {
    if (now() < sweptAt + SWEEP_EVERY_MS) return
    sweptAt = now()
    per.minute.sweep()
    per.hour.sweep()
  }

  return {
    /** Counts something, or returns for how many milliseconds it isn't allowed. */
    take(limits: readonly Limit[]): number | undefined {
      sweep()
      for (const { key, most, in: window } of limits) {
        const { isAllowed, resetMs } = per[window].look(key, most)
        if (!isAllowed) return Math.max(1, resetMs)
      }
      for (const { key, most, in: window } of limits) per[window].take(key, most)
      return undefined
    },
  }
}

/** Milliseconds until the `count` oldest requests have left the window, which began at `start`. */
function waitMs(log: RollingLog, count: number, start: number): number {
  if (log.size === 0) return 0
  const last = log.times[(log.oldest + count - 1) % log.times.length] ?? start
  return Math.max(0, last - start)
}

function expire(log: RollingLog, start: number): void {
  while (log.size > 0 && (log.times[log.oldest] ?? 0) <= start) {
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
  for (let index = 0; index < log.size; index += 1) {
    times[index] = log.times[(log.oldest + index) % log.times.length] ?? 0
  }
  log.times = times
  log.oldest = 0
}
