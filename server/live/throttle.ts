import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'

const REST_AFTER_FAULT_MS = 1_000

export interface Paced {
  /** Works now, or when the rest after the last time is over; however often it was asked for meanwhile, once. */
  wake(): void
  /** Settles when the work under way has ended. */
  stop(): Promise<void>
}

/** Work that is asked for more often than it should be done: at once, then a rest, never two at a time. */
export function paced(
  deps: { clock: Clock; log: Log },
  name: string,
  rest: () => number,
  work: () => Promise<void> | void,
): Paced {
  let isBusy = false
  let isWanted = false
  let isStopped = false
  let running = Promise.resolve()
  let cancelRest = () => {}

  function wake(): void {
    isWanted = true
    if (!isBusy && !isStopped) running = run()
  }

  async function run(): Promise<void> {
    isBusy = true
    isWanted = false
    const pause = await attempt()
    if (!isStopped) cancelRest = deps.clock.after(pause, rested)
  }

  async function attempt(): Promise<number> {
    try {
      await work()
      return rest()
    } catch (error) {
      deps.log.error('live_failed', { work: name, error })
      isWanted = true
      return REST_AFTER_FAULT_MS
    }
  }

  function rested(): void {
    isBusy = false
    if (isWanted) wake()
  }

  return {
    wake,
    async stop() {
      isStopped = true
      cancelRest()
      await running
    },
  }
}
