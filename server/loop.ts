import type { Clock } from './clock.ts'
import { watchClock } from './clock-jump.ts'
import type { Log } from './log.ts'
import type { Pulse } from './pulse.ts'

/** The longest a loop waits, whatever its rows say, in case the clock was changed. */
const MAX_WAIT_MS = 60_000
const WAIT_AFTER_ERROR_MS = 1_000
/** A loop that keeps failing is logged this often. */
const LOG_ERROR_EVERY_MS = 60_000
/** Pause between two slices of periodic work, so that it doesn't slow down requests. */
const PAUSE_BETWEEN_SLICES_MS = 20

interface LoopDeps {
  clock: Clock
  log: Log
  pulse: Pulse
}

export interface Loop {
  /** Runs now, or once more if it is already running. */
  wake(): void
  /** Starts no further run; settles when the current one has ended. */
  stop(): Promise<void>
}

/**
 * Runs a piece of work after each commit, and again after the number of milliseconds that it returned. Runs never
 * overlap; any number of commits during a run cause one more. A run that throws is logged and repeated after a pause,
 * even if there are commits in between. Otherwise, work that fails at every commit would fill the log.
 */
export function startLoop(deps: LoopDeps, name: string, work: () => Promise<number>): Loop {
  let isRunning = false
  let mustRunAgain = false
  let isStopped = false
  let isResting = false
  let cancelTimer = () => {}
  let running = Promise.resolve()
  let loggedAt = Number.NEGATIVE_INFINITY

  function wake(): void {
    if (isStopped) return
    mustRunAgain = true
    if (!isRunning && !isResting) running = run()
  }

  async function run(): Promise<void> {
    isRunning = true
    let wait = 0
    while (mustRunAgain && !isStopped && !isResting) {
      mustRunAgain = false
      cancelTimer()
      wait = await work().catch((error) => {
        logError(error)
        isResting = true
        return WAIT_AFTER_ERROR_MS
      })
    }
    isRunning = false
    if (!isStopped) cancelTimer = deps.clock.after(Math.min(Math.max(wait, 0), MAX_WAIT_MS), goOn)
  }

  function logError(error: unknown): void {
    const now = deps.clock.monotonic()
    if (now - loggedAt < LOG_ERROR_EVERY_MS) return
    loggedAt = now
    deps.log.error('loop_failed', { loop: name, error })
  }

  function goOn(): void {
    isResting = false
    wake()
  }

  const stopListening = deps.pulse.listen(wake)
  wake()
  return {
    wake,
    async stop() {
      isStopped = true
      stopListening()
      cancelTimer()
      await running
    },
  }
}

/**
 * Runs a piece of work in slices, at once and then every `everyMs`. `slice` does a little and returns whether there may
 * be more.
 */
export function startPeriodic(
  deps: LoopDeps,
  name: string,
  { everyMs, slice }: { everyMs: number; slice: () => Promise<boolean> },
): Loop {
  let nextAt = deps.clock.monotonic()
  return startLoop(deps, name, async () => {
    const wait = nextAt - deps.clock.monotonic()
    if (wait > 0) return wait
    const pause = (await slice()) ? PAUSE_BETWEEN_SLICES_MS : everyMs
    nextAt = deps.clock.monotonic() + pause
    return pause
  })
}

/** A clock that moves forward by more is wrong, or the machine slept. */
const MAX_TRUSTED_JUMP_MS = 3_600_000
/** How long someone has to correct the clock before past data counts as old. */
const DISTRUST_MS = 3_600_000

/**
 * The same for work that deletes what is older than some time. A clock that jumps a year ahead would make everything
 * old at once, so nothing is deleted for an hour after a jump, or until the clock has moved back.
 */
export function startPruning(
  deps: LoopDeps,
  name: string,
  { everyMs, slice }: { everyMs: number; slice: () => Promise<boolean> },
): Loop {
  const checkClock = watchClock(deps.clock)
  let distrustedUntil = Number.NEGATIVE_INFINITY
  return startPeriodic(deps, name, {
    everyMs,
    async slice() {
      const jumpedMs = checkClock()?.by ?? 0
      if (jumpedMs < 0) distrustedUntil = Number.NEGATIVE_INFINITY
      if (jumpedMs > MAX_TRUSTED_JUMP_MS) {
        distrustedUntil = deps.clock.monotonic() + DISTRUST_MS
        deps.log.warn('pruning_paused', { loop: name, jumpedMs })
      }
      return deps.clock.monotonic() >= distrustedUntil && (await slice())
    },
  })
}

/** Lets requests and timers that are waiting run first: SQLite reads resolve without leaving the current tick. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
