import type { Clock } from '../clock.ts'
import type { Metric } from './prometheus-text.ts'

const SAMPLE_EVERY_MS = 1_000
/** Upper ends of the buckets, in seconds. */
const BUCKETS_S = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]

/** Measures how late timers fire, once a second. A long delay means that work blocks the event loop. */
export function watchEventLoop(clock: Clock) {
  const buckets: number[] = new Array(BUCKETS_S.length + 1).fill(0)
  let sum = 0
  let cancelTimer = sampleSoon()

  function sampleSoon(): () => void {
    const startedAt = clock.monotonic()
    return clock.after(SAMPLE_EVERY_MS, () => {
      record(Math.max(0, clock.monotonic() - startedAt - SAMPLE_EVERY_MS) / 1000)
      cancelTimer = sampleSoon()
    })
  }

  function record(seconds: number): void {
    const index = BUCKETS_S.findIndex((end) => seconds <= end)
    const bucket = index < 0 ? BUCKETS_S.length : index
    buckets[bucket] = (buckets[bucket] ?? 0) + 1
    sum += seconds
  }

  return {
    metric: (): Metric => ({
      name: 'bellhop_event_loop_delay_seconds',
      help: 'How late timers fire, sampled once a second.',
      type: 'histogram',
      ends: BUCKETS_S,
      values: [{ buckets, sum }],
    }),
    stop: () => cancelTimer(),
  }
}
