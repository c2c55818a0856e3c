import { AsyncLocalStorage } from 'node:async_hooks'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Clock } from './clock.ts'
import type { Log } from './log.ts'
import type { Pulse } from './pulse.ts'

/** The longest a loop waits, whatever its rows say, in case the clock was changed. */
const MAX_WAIT_MS = 60_000
const WAIT_AFTER_ERROR_MS = 1_000
/** What keeps failing is logged this often, so that a full disk doesn't fill its log as well. */
const LOG_ERROR_EVERY_MS = 60_000
/** Calls outside of the work that wakes a loop: what is true of that, such as its fence, is not of the loop. */
const outside = AsyncLocalStorage.snapshot()

export interface LoopDeps {
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
 * Runs a piece of work after each commit that writes one of the tables, and again after the number of milliseconds that
 * it returned. Runs never overlap; any number of commits during a run cause one more. A run that throws is logged and
 * repeated after a pause, even if there are commits in between. Otherwise, work that fails at every commit would fill
 * the log. `work` gets the organizations whose rows changed since its last run, or undefined when it has to look at all.
 * Commits that change rows of other organizations than `isOwn` don't wake it.
 */
export function startLoop(
  deps: LoopDeps,
  name: string,
  tables: PgTable[],
  work: (orgIds?: ReadonlySet<string>) => Promise<number>,
  isOwn = (_orgId: string) => true,
): Loop {
  let isRunning = false
  let mustRunAgain = false
  let isStopped = false
  let isResting = false
  let cancelTimer = () => {}
  let running = Promise.resolve()
  const logError = createErrorLog(deps, 'loop_failed')

  /** Undefined: anyone's rows are to be looked at. */
  let changed: Set<string> | undefined = new Set()

  function wake(orgIds?: ReadonlySet<string>): void {
    if (isStopped) return
    const own = orgIds && [...orgIds].filter(isOwn)
    if (own?.length === 0) return
    if (!own) changed = undefined
    for (const orgId of own ?? []) changed?.add(orgId)
    mustRunAgain = true
    if (!isRunning && !isResting) running = outside(run)
  }

  async function run(): Promise<void> {
    isRunning = true
    let wait = 0
    while (mustRunAgain && !isStopped && !isResting) {
      mustRunAgain = false
      cancelTimer()
      const orgIds = changed
      changed = new Set()
      wait = await work(orgIds).catch((error) => {
        logError({ loop: name, error })
        isResting = true
        return WAIT_AFTER_ERROR_MS
      })
      // It waits for something else than a commit.
      if (wait < Number.POSITIVE_INFINITY) changed = undefined
    }
    isRunning = false
    if (!isStopped) cancelTimer = deps.clock.after(Math.min(Math.max(wait, 0), MAX_WAIT_MS), goOn)
  }

  function goOn(): void {
    isResting = false
    wake()
  }

  const stopListening = deps.pulse.listen(wake, tables)
  wake()
  return {
    wake: () => wake(),
    async stop() {
      isStopped = true
      stopListening()
      cancelTimer()
      await running
    },
  }
}

/** Returns how to log an error, once a minute at most. */
export function createErrorLog(
  { clock, log }: Pick<LoopDeps, 'clock' | 'log'>,
  event: string,
): (fields: Record<string, unknown>) => void {
  let loggedAt = Number.NEGATIVE_INFINITY
  return (fields) => {
    const now = clock.monotonic()
    if (now - loggedAt < LOG_ERROR_EVERY_MS) return
    loggedAt = now
    log.error(event, fields)
  }
}

/** Lets requests and timers that are waiting run first: SQLite reads resolve without leaving the current tick. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
