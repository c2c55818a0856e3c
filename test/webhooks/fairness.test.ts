import { expect, test } from 'bun:test'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { createTicket } from '../../server/tickets/tickets.ts'
import { createEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { createManualClock, letRun } from '../support/clock.ts'
import type { Receiver } from '../support/receiver.ts'
import { eventually, openWebhooks, type Webhooks } from '../support/webhooks.ts'

const HANGING = 400
const HEALTHY = 25

/** An organization whose endpoints never respond, each with this many pending deliveries. */
async function hang(webhooks: Webhooks, receiver: Receiver, tickets = 1): Promise<void> {
  const { deps } = webhooks
  const { id } = await createOrganization(deps, { name: 'Hanging' })
  const make = (_: unknown, number: number) =>
    createEndpoint(deps, id, { url: `${receiver.url}/${number}`, events: ['ticket.created'] })
  await Promise.all(Array.from({ length: HANGING }, make))
  for (let number = 0; number < tickets; number++) {
    await createTicket(deps, id, { subject: 'x', customer: { email: 'x@example.com' }, message: 'x' })
  }
}

test('400 receivers that never respond do not slow down a healthy one', async () => {
  // Nothing times out, so a delivery that waited for one of them would never arrive.
  await using webhooks = await openWebhooks({ settings: { BELLHOP_WEBHOOK_TIMEOUT: '1h' } })
  const healthy = await webhooks.receiver()
  const hanging = await webhooks.receiver(() => 'never')
  await webhooks.endpoint(healthy.url)
  webhooks.deliver()
  await webhooks.ticket()
  await healthy.next()
  await hang(webhooks, hanging, 3)
  await eventually(() => hanging.requests.length >= 96)
  for (let count = 0; count < HEALTHY; count++) {
    await webhooks.ticket()
    await healthy.next()
  }
  // A part of the sockets is reserved for receivers that respond.
  expect(hanging.requests.length).toBe(96)
})

test('a new receiver among 400 that never respond gets its delivery while they time out', async () => {
  // On a busy machine this clock is slow, too, so that the healthy one has time to respond.
  const clock = createManualClock()
  using _ = letRun(clock)
  await using webhooks = await openWebhooks({ clock, settings: { BELLHOP_WEBHOOK_TIMEOUT: '500ms' } })
  const healthy = await webhooks.receiver()
  const hanging = await webhooks.receiver(() => 'never')
  await hang(webhooks, hanging)
  webhooks.deliver()
  await eventually(() => hanging.requests.length > 0)
  await webhooks.endpoint(healthy.url)
  await webhooks.ticket()
  await healthy.next()
})

test('a receiver that could not be reached three times in a row costs only one socket', async () => {
  const clock = createManualClock()
  await using webhooks = await openWebhooks({ clock })
  const receiver = await webhooks.receiver(() => 'never')
  await webhooks.endpoint(receiver.url)
  webhooks.deliver()
  for (let number = 0; number < 20; number++) await webhooks.ticket()
  await eventually(() => receiver.requests.length === 8)
  clock.advance(10_000)
  await eventually(() => receiver.requests.length === 9)
  clock.advance(10_000)
  await eventually(() => receiver.requests.length === 10)
  await Bun.sleep(20)
  expect(receiver.requests).toHaveLength(10)
})

test('an endpoint with a long backlog shares the loop equally with another endpoint', async () => {
  await using webhooks = await openWebhooks()
  const receiver = await webhooks.receiver()
  await webhooks.endpoint(`${receiver.url}/long`)
  await Promise.all(Array.from({ length: 400 }, () => webhooks.ticket()))
  await webhooks.endpoint(`${receiver.url}/short`)
  await Promise.all(Array.from({ length: 20 }, () => webhooks.ticket()))
  webhooks.deliver()
  await eventually(() => receiver.requests.length === 440)
  const lastShort = receiver.requests.findLastIndex(({ path }) => path.endsWith('short'))
  expect(lastShort).toBeLessThan(120)
})
