import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { idsIn } from '../backup/contents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { makeCertificates } from '../support/certificates.ts'
import { createManualClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folder.ts'
import { sendHalf } from '../support/half-request.ts'
import { startProgram } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'
import { startSeparateBellhop } from '../support/separate-bellhop.ts'
import { tryUpload } from '../support/uploads.ts'
import { eventually } from '../support/webhooks.ts'

const WRITERS = 32
const HALF_SENT = 8
/** Acknowledged before the server is stopped. */
const ENOUGH = 300
const MAX_TEST_MS = 60_000

test(
  'a server that is stopped under load answers every request that it took, and has sent every event once after the next start',
  async () => {
    await using receiver = { ...(await startReceiver()), [Symbol.asyncDispose]: () => receiver.stop() }
    const settings = { BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8', BELLHOP_WEBHOOK_CA: await caFile() }
    await using server = await startSeparateBellhop(settings)
    const client = await server.organization()
    await createEndpoint(server.deps, client.orgId, { url: receiver.url, events: ['ticket.created'] })
    const { dataFolder } = server.deps.config
    /** Ids that were answered, by what they are. */
    const [tickets, files] = [new Set<string>(), new Set<string>()]

    /** Until the server takes nothing more. */
    async function write(writer: number): Promise<void> {
      for (let number = 0; ; number += 1) {
        const content = `${writer} ${number} `.repeat(1 + ((number * 97) % 500))
        const file = await answered(tryUpload(client, 'file.txt', content))
        if (!file) return
        files.add(file.json.id)
        const body = { ...TICKET, attachments: [file.json.id] }
        const ticket = await answered(client.call<{ id: string }>('POST', '/tickets', { body }))
        if (!ticket) return
        tickets.add(ticket.json.id)
      }
    }

    const writing = Array.from({ length: WRITERS }, (_, writer) => write(writer))
    await eventually(() => tickets.size > ENOUGH)
    const halves = await Promise.all(
      Array.from({ length: HALF_SENT }, () => sendHalf({ ...server, ...client }, JSON.stringify(TICKET))),
    )
    const ending = server.end('SIGTERM')
    await Promise.all(writing)
    const answers = await Promise.all(halves.map((half) => half.finish()))
    for (const answer of answers) {
      expect(answer).toStartWith('HTTP/1.1 201 Created\r\n')
      tickets.add(/"id":"(tkt_\w+)"/.exec(answer)?.[1] ?? 'none')
    }
    expect(await ending).toBe(0)

    const stored = idsIn(dataFolder)
    expect(new Set([...tickets, ...files]).difference(stored)).toEqual(new Set())
    // More of them would have been cut off.
    const storedTickets = [...stored].filter((id) => id.startsWith('tkt_'))
    expect(new Set(storedTickets).difference(tickets)).toEqual(new Set())

    await using _again = await startProgram({ BELLHOP_DATA: dataFolder, BELLHOP_LOG: 'error', ...settings })
    await eventually(() => receiver.requests.length >= tickets.size)
    await eventually(() => openDeliveries(dataFolder) === 0)
    const told = receiver.requests.map(({ body }) => JSON.parse(Buffer.from(body).toString()).data.ticket.id)
    expect(told.toSorted()).toEqual([...tickets].sort())
  },
  MAX_TEST_MS,
)

test('a request and an attempt that never end hold up a stop for no more than twelve seconds', async () => {
  await using receiver = { ...(await startReceiver()), [Symbol.asyncDispose]: () => receiver.stop() }
  receiver.respondWith(() => 'never')
  const clock = createManualClock()
  const settings = { BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8', BELLHOP_WEBHOOK_TIMEOUT: '60s' }
  const certificate = { BELLHOP_WEBHOOK_CA: await caFile() }
  const bellhop = await startBellhop({ clock, settings: { ...settings, ...certificate } })
  const client = await bellhop.organization()
  await createEndpoint(bellhop.deps, client.orgId, { url: receiver.url, events: ['ticket.created'] })
  await client.call('POST', '/tickets', { body: TICKET })
  await receiver.next()
  const half = await sendHalf({ ...bellhop, ...client }, JSON.stringify(TICKET))
  const stopping = bellhop.stop()
  clock.advance(12_000)
  await stopping
  expect(await half.finish()).toBe('')
})

async function caFile(): Promise<string> {
  const file = join(temporaryFolder('ca'), 'ca.pem')
  await Bun.write(file, (await makeCertificates()).ca)
  return file
}

const TICKET = { subject: 'Lost', message: 'Where?', customer: { name: 'Cy', email: 'cy@example.com' } }

/** Undefined when the server didn't take the request. */
async function answered<T extends { status: number }>(request: Promise<T>): Promise<T | undefined> {
  const answer = await request.catch(() => undefined)
  if (answer) expect(answer.status).toBe(201)
  return answer
}

function openDeliveries(dataFolder: string): number {
  using database = new Database(join(dataFolder, 'bellhop.db'), { readonly: true })
  database.run('PRAGMA busy_timeout = 5000')
  return Number(
    database
      .query("select count(*) from deliveries where state in ('pending', 'in_flight')")
      .values()[0]?.[0],
  )
}
