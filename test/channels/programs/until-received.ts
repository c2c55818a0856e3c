import { sql } from 'drizzle-orm'
import { systemClock } from '../../../server/clock.ts'
import { readConfig } from '../../../server/config.ts'
import { messages } from '../../../server/database/tables/messages.ts'
import { type Deps, openDeps } from '../../../server/deps.ts'
import { createLog } from '../../../server/log.ts'

/**
 * Receives until it is killed, and says so when its first message is stored: a busy machine may take longer to start than
 * to live.
 */
export async function receiveUntilKilled(start: (deps: Deps) => void): Promise<void> {
  for await (const _ of Bun.stdin.stream());
  const log = createLog('error', false, (line) => process.stderr.write(line), systemClock.now)
  const deps = await openDeps(readConfig(), { log })
  const before = await countMessages(deps)
  const stopListening = deps.pulse.listen(async () => {
    if ((await countMessages(deps)) === before) return
    stopListening()
    process.stdout.write('taken in\n')
  })
  start(deps)
  setInterval(() => {}, 60_000)
}

async function countMessages(deps: Deps): Promise<number> {
  const [row] = await deps.database.read.select({ count: sql<number>`count(*)` }).from(messages)
  return Number(row?.count)
}
