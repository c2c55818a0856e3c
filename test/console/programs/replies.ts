import { readConfig } from '../../../server/config.ts'
import { openDeps } from '../../../server/deps.ts'
import { createLog } from '../../../server/log.ts'
import { scheduleMessage } from '../../../server/replies/schedule-message.ts'
import { startSendingMessages } from '../../../server/replies/scheduled-messages-loop.ts'
import { createTicket } from '../../../server/tickets/tickets.ts'

// Makes tickets and schedules a reply to each, from the end of its standard input until it is killed; some of them
// become due. Says the id of each reply that was acknowledged.

const [orgId = '', agentId = ''] = process.argv.slice(2)
const log = createLog('error', false, (line) => process.stderr.write(`${line}\n`), Date.now)
await Bun.stdin.text()
const deps = await openDeps(readConfig(), { log })
/** So that replies of this life fall due in it, and others in the next. */
const UNDO_LEFT_MS = 15
startSendingMessages(deps)
process.stdout.write('ready\n')
for (;;) {
  const input = { subject: 'A ticket', customer: { email: 'ana@example.com' }, message: 'Hello' }
  const { id: ticketId, messages } = await createTicket(deps, orgId, input)
  const id = deps.newId('msg')
  await scheduleMessage(deps, orgId, {
    ticketId,
    id,
    text: ticketId,
    after: messages[0]?.id ?? '',
    status: 'resolved',
    sendAt: deps.clock.now() + UNDO_LEFT_MS,
    author: { agentId, keyId: null, agentName: 'Ben' },
  })
  process.stdout.write(`${id}\n`)
}
