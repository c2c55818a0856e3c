import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Pulse } from '../pulse.ts'
import type { Database } from './database.ts'

const CHECK_EVERY_MS = 500

interface ExternalCommitWatch {
  stop(): Promise<void>
}

/**
 * Beats the pulses when another process has committed, so that commands take effect in a running server within a
 * second. A check costs one pragma of a few microseconds, or one small query on PostgreSQL.
 */
export function watchExternalCommits(deps: {
  clock: Clock
  log: Log
  database: Database
  pulse: Pulse
  externalCommits: Pulse
}): ExternalCommitWatch {
  let isStopped = false
  let hasFailed = false
  let checking = Promise.resolve()
  let cancelTimer = deps.clock.after(CHECK_EVERY_MS, start)

  function start(): void {
    checking = check()
  }

  async function check(): Promise<void> {
    try {
      if (await deps.database.hasExternalCommits()) {
        deps.externalCommits.beat()
        deps.pulse.beat()
      }
      hasFailed = false
    } catch (error) {
      if (!hasFailed) deps.log.warn('external_commits_check_failed', { error })
      hasFailed = true
    }
    if (!isStopped) cancelTimer = deps.clock.after(CHECK_EVERY_MS, start)
  }

  return {
    async stop() {
      isStopped = true
      cancelTimer()
      await checking
    },
  }
}
