import { writeSync } from 'node:fs'
import { readConfig } from '../../../server/config.ts'
import { openDeps } from '../../../server/open-deps.ts'
import { createTicket } from '../../../server/tickets/tickets.ts'

// Creates tickets from the end of its standard input until it is killed, and says the id of each one that was acknowledged.
const IN_FLIGHT = 16
const [, , orgId = ''] = process.argv
await Bun.stdin.text()
const deps = await openDeps(readConfig(process.env))

async function createForEver(writer: number): Promise<void> {
  for (let number = 0; ; number += 1) {
    const email = `c${process.pid}-${writer}-${number % 7}@example.com`
    const ticket = await createTicket(deps, orgId, {
      subject: 'Will it last?',
      customer: { email },
      message: 'x'.repeat((number * 97) % 3_000),
      tags: ['kept', `writer-${writer}`],
    })
    writeSync(1, `${ticket.id}\n`)
  }
}

await Promise.all(Array.from({ length: IN_FLIGHT }, (_, writer) => createForEver(writer)))
