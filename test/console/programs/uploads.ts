import { receiveUpload } from '../../../server/attachments/uploads.ts'
import { readConfig } from '../../../server/config.ts'
import { openDeps } from '../../../server/deps.ts'
import { eraseTicket } from '../../../server/erasure/erase.ts'
import { createLog } from '../../../server/log.ts'
import { createTicket } from '../../../server/tickets/tickets.ts'

// Uploads files, sends two of three, and deletes some of their tickets, from the end of its standard input until it is
// killed. Some files have the same bytes. Says the id of each upload that was acknowledged and is not deleted later, and
// when a file was sent.

const [orgId = ''] = process.argv.slice(2)
const log = createLog('error', false, (line) => process.stderr.write(`${line}\n`), Date.now)
await Bun.stdin.text()
const deps = await openDeps(readConfig(), { log })
const UPLOADER = 'key_00000000000000000000000001'
const SAME_BYTES_EVERY = 4
process.stdout.write('ready\n')

for (let number = 0; ; number += 1) {
  const content = number % SAME_BYTES_EVERY === 0 ? 'the same every time' : crypto.randomUUID()
  const body = new Blob([content.repeat(2_000)])
  const upload = { uploader: UPLOADER, name: 'x', body: body.stream(), announcedBytes: body.size }
  const { id } = await receiveUpload(deps, orgId, upload)
  const isErased = number % 3 === 1
  if (!isErased) process.stdout.write(`${id}\n`)
  if (number % 3 === 0) continue
  const ticket = await createTicket(deps, orgId, {
    subject: 'A ticket',
    customer: { email: 'ana@example.com' },
    message: 'Hello',
    attachments: { uploads: { ids: [id], uploader: UPLOADER } },
  })
  if (isErased) await eraseTicket(deps, orgId, ticket.id)
  else process.stdout.write('sent\n')
}
