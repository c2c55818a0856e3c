import type { Clock } from '../../server/clock.ts'

export interface ManualClock extends Clock {
  /** Advances both clocks and runs the timers that are due, in order, each at its own time. */
  advance(milliseconds: number): void
  /** Sets the wall clock. Durations and timers are not affected. */
  jump(milliseconds: number): void
}

interface Timer {
  at: number
  call: () => void
}

const TICK_MS = 50

/** Moves the clock with the real one, until the end of the scope: what the server sends after a pause is sent. */
export function letRun(clock: ManualClock): Disposable {
  const timer = setInterval(() => clock.advance(TICK_MS), TICK_MS)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** A clock that only moves when a test moves it. `start` is the wall clock in milliseconds since 1970. */
export function createManualClock(start = Date.parse('2026-03-01T09:00:00.000Z')): ManualClock {
  const timers = new Set<Timer>()
  let passed = 0
  let wall = start

  function takeDue(until: number): Timer | undefined {
    const [first] = [...timers].sort((one, other) => one.at - other.at)
    if (!first || first.at > until) return undefined
    timers.delete(first)
    return first
  }

  function moveTo(time: number): void {
    wall += time - passed
    passed = time
  }

  return {
    now: () => wall,
    monotonic: () => passed,
    after(milliseconds, call) {
      const timer = { at: passed + Math.max(milliseconds, 0), call }
      timers.add(timer)
      // What is due already runs soon, as with a real clock: time moved on while its delay was computed.
      if (milliseconds <= 0) setImmediate(() => timers.delete(timer) && call())
      return () => timers.delete(timer)
    },
    advance(milliseconds) {
      const until = passed + milliseconds
      for (let timer = takeDue(until); timer; timer = takeDue(until)) {
        moveTo(Math.max(timer.at, passed))
        timer.call()
      }
      moveTo(until)
    },
    jump(milliseconds) {
      wall += milliseconds
    },
  }
}
