import { systemClock } from '../clock.ts'
import { createHistogram, gauge, type Metric } from './prometheus-text.ts'

/** A delay is measured with this precision. */
const SAMPLE_EVERY_MS = 20
/**
 * Samples more often while there is work. Over a long interval, work before a timer was due can't be told from work
 * while it was late, so a machine that is busy with other programs would look like a blocked event loop.
 */
const SAMPLE_BUSY_EVERY_MS = 4
/** The part of the time between two samples in which this program worked. */
const BUSY_SHARE = 0.25
/** Upper ends of the buckets, in seconds. Fine around the 20 ms that nothing may exceed. */
const BUCKETS_S = [
  0.001, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10,
]
/** The longest delay is shown for one to two of these. */
const WINDOW_MS = 60_000

/**
 * Measures how late timers fire. A long delay means that work held the event loop, or that the machine was busy with
 * other programs: the second histogram counts only the processor time of this program's own thread.
 *
 * Uses real time, not the clock of the dependencies: tests move that one.
 */
export function watchEventLoop() {
  const delays = createDelays()
  const holds = createDelays()
  let sampledAt = systemClock.monotonic()
  let cpu = threadCpuMs()
  let everyMs = SAMPLE_EVERY_MS
  let cancelTimer = systemClock.after(SAMPLE_EVERY_MS, sample)

  function sample(): void {
    const now = systemClock.monotonic()
    const cpuNow = threadCpuMs()
    const delayMs = Math.max(0, now - sampledAt - everyMs)
    const workedMs = cpuNow - cpu
    delays.record(delayMs, now)
    holds.record(Math.min(delayMs, workedMs), now)
    everyMs = workedMs > BUSY_SHARE * (now - sampledAt) ? SAMPLE_BUSY_EVERY_MS : SAMPLE_EVERY_MS
    sampledAt = now
    cpu = cpuNow
    cancelTimer = systemClock.after(everyMs, sample)
  }

  return {
    metrics: (): Metric[] => [
      histogram(
        'bellhop_event_loop_delay_seconds',
        'How late timers fire, sampled at least 50 times a second.',
        delays,
      ),
      histogram(
        'bellhop_event_loop_hold_seconds',
        "The part of each delay in which this program's own work held the event loop.",
        holds,
      ),
      longest(
        'bellhop_event_loop_longest_delay_seconds',
        'Longest delay of the last one to two minutes.',
        delays,
      ),
      longest(
        'bellhop_event_loop_longest_hold_seconds',
        'Longest hold of the last one to two minutes.',
        holds,
      ),
    ],
    stop: () => cancelTimer(),
  }
}

/** Delays, and the longest of the last one to two windows. */
function createDelays() {
  const seconds = createHistogram(BUCKETS_S)
  let longestNow = 0
  let longestBefore = 0
  let windowEndsAt = systemClock.monotonic() + WINDOW_MS
  return {
    record(ms: number, now: number): void {
      if (now >= windowEndsAt) {
        longestBefore = longestNow
        longestNow = 0
        windowEndsAt = now + WINDOW_MS
      }
      longestNow = Math.max(longestNow, ms)
      seconds.record(ms / 1000)
    },
    counts: seconds.counts,
    longestMs: () => Math.max(longestNow, longestBefore),
  }
}

type Delays = ReturnType<typeof createDelays>

function histogram(name: string, help: string, { counts }: Delays): Metric {
  return { name, help, type: 'histogram', ends: BUCKETS_S, values: [counts] }
}

function longest(name: string, help: string, { longestMs }: Delays): Metric {
  return gauge(name, help, longestMs() / 1000)
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
