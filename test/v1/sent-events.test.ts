import { afterAll, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { startBellhop } from '../support/bellhop.ts'
import { makeCertificates } from '../support/certificates.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type ReceivedRequest, startReceiver } from '../support/receiver.ts'
import { storedEvents } from '../support/subscription.ts'
import { makeTicket } from '../support/tickets.ts'

// Specification, sections 5 and 6, from end to end: a call of the API arrives, signed, at a real HTTPS receiver.

const caFile = join(temporaryFolder('ca'), 'ca.pem')
writeFileSync(caFile, (await makeCertificates()).ca)
const bellhop = await startBellhop({
  settings: { BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8', BELLHOP_WEBHOOK_CA: caFile },
})
const receiver = await startReceiver()
afterAll(async () => {
  await bellhop.stop()
  await receiver.stop()
})

test('a ticket and an answer through the API arrive signed, each event once, with the bytes of the log', async () => {
  const client = await bellhop.organization()
  const input = { url: receiver.url, events: ['ticket.created', 'message.sent'] }
  const { secret } = await createEndpoint(bellhop.deps, client.orgId, input)
  const { id } = await makeTicket(client, { subject: 'Größe 👋' })
  await client.call('POST', `/tickets/${id}/messages`, { body: { text: 'It is attached.' } })
  const received = [await receiver.next(), await receiver.next(), await receiver.next()]
  // Their order is not promised: the log tells which is which.
  const logged = (await storedEvents(bellhop.deps, client.orgId)).filter(({ body }) => body !== '')
  expect(received.map(textOf).sort()).toEqual(logged.map(({ body }) => body).sort())
  for (const request of received) {
    const { event, data } = JSON.parse(textOf(request))
    const hmac = createHmac('sha256', secret).update(request.body).digest('hex')
    expect(request).toMatchObject({ method: 'POST', path: '/hook' })
    expect(request.headers).toMatchObject({
      'x-service-signature': `sha256=${hmac}`,
      'x-service-event': event,
      'content-type': 'application/json',
    })
    expect(request.headers['x-service-delivery']).toMatch(/^dlv_[0-9a-z]{26}$/)
    expect([data.ticket.id, data.ticket.orgId]).toEqual([id, client.orgId])
  }
  expect(new Set(received.map(({ headers }) => headers['x-service-delivery'])).size).toBe(3)
})

function textOf({ body }: ReceivedRequest): string {
  return new TextDecoder().decode(body)
}
