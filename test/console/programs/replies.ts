import { readConfig } from '../../../server/config.ts'
import { openDeps } from '../../../server/deps.ts'
import { createLog } from '../../../server/log.ts'
import { queueReply } from '../../../server/replies/replies.ts'
import { startSendingReplies } from '../../../server/replies/send-waiting.ts'
import { createTicket } from '../../../server/tickets/tickets.ts'

// Makes tickets and lets replies wait, from the end of its standard input until it is killed; a clock ahead of its own
// makes some of them due. Says the id of each reply that was acknowledged.

const [orgId = '', agentId = ''] = process.argv.slice(2)
const log = createLog('error', false, (line) => process.stderr.write(`${line}\n`), Date.now)
await Bun.stdin.text()
const deps = await openDeps(readConfig(), { log })
/** So that replies of this life fall due in it, and others in the next. */
const UNDO_LEFT_MS = 15
startSendingReplies(deps)
const early = { ...deps, clock: { ...deps.clock, now: () => deps.clock.now() - 10_000 + UNDO_LEFT_MS } }
process.stdout.write('ready\n')
for (;;) {
  const input = { subject: 'A ticket', customer: { email: 'ana@example.com' }, message: 'Hello' }
  const { id: ticketId, messages } = await createTicket(deps, orgId, input)
  const lastMessageId = messages[0]?.id ?? ''
  const reply = { ticketId, agentId, agentName: 'Ben', text: ticketId, lastMessageId }
  const { id } = await queueReply(early, orgId, { ...reply, thenStatus: 'resolved' })
  process.stdout.write(`${id}\n`)
}
