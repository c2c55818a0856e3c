/** Time comes from here and nowhere else, so that a test can move it. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. It may jump. */
  now(): number
  /** Milliseconds that only ever grow; for durations and windows. */
  monotonic(): number
  /** Calls once after so many milliseconds of `monotonic`; the answer cancels it. Does not keep the process alive. */
  after(milliseconds: number, call: () => void): () => void
}

/** Above this a timer of the platform would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(milliseconds, call) {
    const timer = setTimeout(call, Math.min(Math.max(milliseconds, 0), LONGEST_TIMER_MS))
    timer.unref()
    return () => clearTimeout(timer)
  },
}
