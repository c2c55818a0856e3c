/** The only source of time, so that tests can control it. */
export interface Clock {
  /** Wall clock in milliseconds since 1970. It can jump. */
  now(): number
  /** Milliseconds that never decrease. For durations. */
  monotonic(): number
  /** Calls once after the given time and returns a function that cancels it. Doesn't keep the process alive. */
  after(milliseconds: number, call: () => void): () => void
}

/** A longer timer would fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(milliseconds, call) {
    const timer = setTimeout(call, Math.min(Math.max(milliseconds, 0), MAX_TIMER_MS))
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** In real time. Keeps the process alive, unlike a timer of the clock. */
export function pause(milliseconds: number): Promise<void> {
  return Bun.sleep(milliseconds)
}

/** What the work returns or, if it takes longer, what `late` returns or throws. The work goes on then. */
export async function within<T>(
  milliseconds: number,
  work: Promise<T>,
  late: () => T,
  clock: Pick<Clock, 'after'> = systemClock,
): Promise<T> {
  let cancelTimer = () => {}
  const tooLate = new Promise<T>((resolve) => {
    cancelTimer = clock.after(milliseconds, () => resolve(Promise.try(late)))
  })
  try {
    return await Promise.race([work, tooLate])
  } finally {
    cancelTimer()
  }
}

interface Repetition {
  /** Waits for work that is running. */
  stop(): Promise<void>
}

/** Does work again and again, each time so long after the last one ended. */
export function repeatEvery(
  milliseconds: number,
  clock: Pick<Clock, 'after'>,
  work: () => void | Promise<void>,
): Repetition {
  let isStopped = false
  let running = Promise.resolve()
  let cancelTimer = clock.after(milliseconds, start)

  function start(): void {
    running = run()
  }

  async function run(): Promise<void> {
    await work()
    if (!isStopped) cancelTimer = clock.after(milliseconds, start)
  }

  return {
    stop() {
      isStopped = true
      cancelTimer()
      return running
    },
  }
}
