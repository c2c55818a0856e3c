import { eq } from 'drizzle-orm'
import { startOutbound } from '../../../server/channels/start-outbound.ts'
import { readConfig } from '../../../server/config.ts'
import { telegramConversations } from '../../../server/database/tables/bots.ts'
import { openDeps } from '../../../server/deps.ts'
import { createLog } from '../../../server/log.ts'
import { postAgentMessage } from '../../../server/tickets/messages.ts'

// Answers every chat by Telegram in turn, from the end of its standard input until it is killed. Says the text of each
// reply that was acknowledged, and how many messages of Telegram it takes.

const PAUSE_MS = 10
const LONG = 'word '.repeat(810).trim()

const [orgId = ''] = process.argv.slice(2)
const log = createLog('error', false, (line) => process.stderr.write(`${line}\n`), Date.now)
await Bun.stdin.text()
const deps = await openDeps(readConfig(), { log })
const tickets = await deps.database.read
  .select({ ticketId: telegramConversations.ticketId })
  .from(telegramConversations)
  .where(eq(telegramConversations.orgId, orgId))
startOutbound(deps)
process.stdout.write('ready\n')
for (let number = 0; ; number++) {
  const { ticketId } = tickets[Math.floor(Math.random() * tickets.length)] ?? { ticketId: '' }
  const word = crypto.randomUUID()
  const isLong = number % 3 === 0
  const text = isLong ? `${word} 1 ${LONG}\n\n${word} 2` : `${word} 1`
  await postAgentMessage(deps, orgId, { ticketId, text, agentName: 'Ben' })
  process.stdout.write(`${word} ${isLong ? 2 : 1}\n`)
  await Bun.sleep(PAUSE_MS)
}
