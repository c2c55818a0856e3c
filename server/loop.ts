import type { Clock } from './clock.ts'
import type { Log } from './log.ts'
import type { Pulse } from './pulse.ts'

/** The longest a loop rests, whatever its rows say: a backstop against a clock that was moved. */
const LONGEST_REST_MS = 60_000
const REST_AFTER_FAULT_MS = 1_000

export interface Loop {
  /** Runs now, or once more when it is running. */
  wake(): void
  /** No further turn starts; settles when the present one has ended. */
  stop(): Promise<void>
}

/**
 * Repeats a piece of work: after each pulse, and when the milliseconds have passed that the last turn answered.
 * Turns never overlap; any number of pulses during a turn make one more. A turn that throws is logged and repeated.
 */
export function startLoop(
  deps: { clock: Clock; log: Log; pulse: Pulse },
  name: string,
  turn: () => Promise<number>,
): Loop {
  let isRunning = false
  let isWanted = false
  let isStopped = false
  let cancelTimer = () => {}
  let running = Promise.resolve()

  function wake(): void {
    if (isStopped) return
    isWanted = true
    if (!isRunning) running = run()
  }

  async function run(): Promise<void> {
    isRunning = true
    let rest = 0
    while (isWanted && !isStopped) {
      isWanted = false
      cancelTimer()
      rest = await turn().catch((error) => {
        deps.log.error('loop_failed', { loop: name, error })
        return REST_AFTER_FAULT_MS
      })
    }
    isRunning = false
    if (!isStopped) cancelTimer = deps.clock.after(Math.min(Math.max(rest, 0), LONGEST_REST_MS), wake)
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
