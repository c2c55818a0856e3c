import { sql } from 'drizzle-orm'
import { startTelegramReceiving } from '../../../server/channels/telegram/start-telegram.ts'
import { systemClock } from '../../../server/clock.ts'
import { readConfig } from '../../../server/config.ts'
import { messages } from '../../../server/database/tables/messages.ts'
import { openDeps } from '../../../server/deps.ts'
import { createLog } from '../../../server/log.ts'

// Receives from all bots until it is killed, and says so when its first update has become a message: a busy machine may
// take longer to start than to live.

for await (const _ of Bun.stdin.stream());
const log = createLog('error', false, (line) => process.stderr.write(line), systemClock.now)
const deps = await openDeps(readConfig(), { log })
const before = await countMessages()
const stopListening = deps.pulse.listen(async () => {
  if ((await countMessages()) === before) return
  stopListening()
  process.stdout.write('taken in\n')
})
startTelegramReceiving(deps)
setInterval(() => {}, 60_000)

async function countMessages(): Promise<number> {
  const [row] = await deps.database.read.select({ count: sql<number>`count(*)` }).from(messages)
  return Number(row?.count)
}
