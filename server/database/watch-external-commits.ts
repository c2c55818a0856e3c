import { type Clock, repeatEvery } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Pulse } from '../pulse.ts'
import type { Database } from './database.ts'

const CHECK_EVERY_MS = 500

/**
 * Beats the pulses when another process has committed, so that commands take effect in a running server within a
 * second. A check costs one pragma of a few microseconds.
 */
export function watchExternalCommits(deps: {
  clock: Clock
  log: Log
  database: Database
  pulse: Pulse
  externalCommits: Pulse
}): { stop(): Promise<void> } {
  let hasFailed = false
  return repeatEvery(CHECK_EVERY_MS, deps.clock, async () => {
    try {
      if (await deps.database.hasExternalCommits?.()) {
        deps.externalCommits.beat()
        deps.pulse.beat()
      }
      hasFailed = false
    } catch (error) {
      if (!hasFailed) deps.log.warn('external_commits_check_failed', { error })
      hasFailed = true
    }
  })
}
