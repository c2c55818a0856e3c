import { readConfig } from '../../../server/config.ts'
import { openDeps } from '../../../server/deps.ts'
import { createLog } from '../../../server/log.ts'
import { createTicket } from '../../../server/tickets/tickets.ts'
import { startDelivering } from '../../../server/webhooks/deliveries/delivery-loop.ts'

// Creates tickets and delivers their events, from the end of its standard input until it is killed. Prints the id of
// each ticket that was acknowledged.

const PAUSE_MS = 2
const [orgId = ''] = process.argv.slice(2)
const log = createLog('error', false, (line) => process.stderr.write(`${line}\n`), Date.now)
await Bun.stdin.text()
const deps = await openDeps(readConfig(), { log })
startDelivering(deps)
process.stdout.write('ready\n')
for (;;) {
  const input = { subject: 'A ticket', customer: { email: 'ana@example.com' }, message: 'Hello' }
  const { id } = await createTicket(deps, orgId, input)
  process.stdout.write(`${id}\n`)
  await Bun.sleep(PAUSE_MS)
}
