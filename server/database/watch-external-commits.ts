import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Pulse } from '../pulse.ts'
import type { Database } from './database.ts'

const LOOK_EVERY_MS = 500

export interface CommandWatch {
  stop(): Promise<void>
}

/**
 * Beats the pulses when another process has committed: commands take effect within a second although they run beside
 * the server. A look is one pragma, a few microseconds; on PostgreSQL one small query.
 */
export function watchCommands(deps: {
  clock: Clock
  log: Log
  database: Database
  pulse: Pulse
  elsewhere: Pulse
}): CommandWatch {
  let isStopped = false
  let hasFailed = false
  let looking = Promise.resolve()
  let cancelTimer = deps.clock.after(LOOK_EVERY_MS, start)

  function start(): void {
    looking = look()
  }

  async function look(): Promise<void> {
    try {
      if (await deps.database.changedElsewhere()) {
        deps.elsewhere.beat()
        deps.pulse.beat()
      }
      hasFailed = false
    } catch (error) {
      if (!hasFailed) deps.log.warn('commands_not_seen', { error })
      hasFailed = true
    }
    if (!isStopped) cancelTimer = deps.clock.after(LOOK_EVERY_MS, start)
  }

  return {
    async stop() {
      isStopped = true
      cancelTimer()
      await looking
    },
  }
}
