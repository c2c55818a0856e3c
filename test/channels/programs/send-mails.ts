import { startOutbound } from '../../../server/channels/start-outbound.ts'
import { readConfig } from '../../../server/config.ts'
import { upsertCustomer } from '../../../server/customers/customers.ts'
import { openDeps } from '../../../server/deps.ts'
import { createLog } from '../../../server/log.ts'
import { postAgentMessage } from '../../../server/tickets/messages.ts'
import { openTicket } from '../../../server/tickets/tickets.ts'

// Opens tickets and answers them by email, from the end of its standard input until it is killed. Says the id of each
// reply that was acknowledged.

const [orgId = ''] = process.argv.slice(2)
const log = createLog('error', false, (line) => process.stderr.write(`${line}\n`), Date.now)
await Bun.stdin.text()
const deps = await openDeps(readConfig(), { log })
startOutbound(deps)
process.stdout.write('ready\n')
for (let number = 0; ; number++) {
  const ticketId = await deps.database.write(async (tx) => {
    const email = `customer${number}@example.com`
    const customer = await upsertCustomer(deps, tx, orgId, { name: 'Ana', email })
    const message = { text: 'Hello' }
    return (await openTicket(deps, tx, orgId, { channel: 'email', subject: 'A ticket', customer, message }))
      .id
  })
  const { id } = await postAgentMessage(deps, orgId, { ticketId, text: 'Hello', agentName: 'Ben' })
  process.stdout.write(`${id}\n`)
}
