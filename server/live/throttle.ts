import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'

const PAUSE_AFTER_ERROR_MS = 1_000

interface Throttle {
  /** Runs the work now, or once after the current pause, however often it is called until then. */
  wake(): void
  /** Settles when the current run has ended. */
  stop(): Promise<void>
}

/** Runs work at most once per pause. Runs never overlap. A run that throws is logged and repeated. */
export function createThrottle(
  deps: { clock: Clock; log: Log },
  name: string,
  pauseMs: () => number,
  work: () => Promise<void> | void,
): Throttle {
  let isBusy = false
  let mustRunAgain = false
  let isStopped = false
  let running = Promise.resolve()
  let cancelPause = () => {}

  function wake(): void {
    mustRunAgain = true
    if (!isBusy && !isStopped) running = run()
  }

  async function run(): Promise<void> {
    isBusy = true
    mustRunAgain = false
    const pause = await runWork()
    if (!isStopped) cancelPause = deps.clock.after(pause, endPause)
  }

  /** Returns the pause after it. */
  async function runWork(): Promise<number> {
    try {
      await work()
      return pauseMs()
    } catch (error) {
      deps.log.error('live_failed', { work: name, error })
      mustRunAgain = true
      return PAUSE_AFTER_ERROR_MS
    }
  }

  function endPause(): void {
    isBusy = false
    if (mustRunAgain) wake()
  }

  return {
    wake,
    async stop() {
      isStopped = true
      cancelPause()
      await running
    },
  }
}
