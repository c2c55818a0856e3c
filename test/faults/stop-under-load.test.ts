import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { startBellhop } from '../support/bellhop.ts'
import { makeCertificates } from '../support/certificates.ts'
import { createManualClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folder.ts'
import { sendHalf } from '../support/half-request.ts'
import { startReceiver } from '../support/receiver.ts'

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
