import { expect, test } from 'bun:test'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { createTicket } from '../../server/tickets/tickets.ts'
import { createEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { createManualClock } from '../support/clock.ts'
import { startHangingServer } from '../support/hanging-server.ts'
import { eventually, openWebhooks, type Webhooks } from '../support/webhooks.ts'

const TIMEOUT_MS = 10_000
const HEALTHY = 25

interface Hanging extends AsyncDisposable {
  orgId: string
  /** How many attempts have reached its endpoints so far. */
  attempts(): number
  ticket(): Promise<unknown>
}

/**
 * An organization whose endpoints take connections and never respond, with three deliveries waiting for each. Nothing
 * times out before the test moves the clock.
 */
async function hang({ deps }: Webhooks, howMany: number): Promise<Hanging> {
  const server = await startHangingServer()
  const { id: orgId } = await createOrganization(deps, { name: 'Hanging' })
  const make = (_: unknown, number: number) =>
    createEndpoint(deps, orgId, {
      url: `https://127.0.0.1:${server.port}/${number}`,
      events: ['ticket.created'],
    })
  await Promise.all(Array.from({ length: howMany }, make))
  const ticket = () =>
    createTicket(deps, orgId, { subject: 'x', customer: { email: 'x@example.com' }, message: 'x' })
  for (let number = 0; number < 3; number++) await ticket()
  return {
    orgId,
    attempts: server.connections,
    ticket,
    async [Symbol.asyncDispose]() {
      server.stop()
    },
  }
}

test('400 receivers that never respond do not slow down a healthy one', async () => {
  await using webhooks = await openWebhooks({ clock: createManualClock() })
  const healthy = await webhooks.receiver()
  await webhooks.endpoint(healthy.url)
  webhooks.deliver()
  await webhooks.ticket()
  await healthy.next()
  await using hanging = await hang(webhooks, 400)
  await eventually(() => hanging.attempts() === 400)
  for (let count = 0; count < HEALTHY; count++) {
    await webhooks.ticket()
    await healthy.next()
  }
  // Each got one attempt, although three deliveries wait for it.
  expect(hanging.attempts()).toBe(400)
  // Receivers that hang do not cost a healthy one its connection. An idle one closes after four seconds.
  expect(healthy.connections()).toBeLessThan(HEALTHY)
})

test('the first delivery of a new endpoint arrives while 400 others hang', async () => {
  const clock = createManualClock()
  await using webhooks = await openWebhooks({ clock })
  await using hanging = await hang(webhooks, 400)
  webhooks.deliver()
  await eventually(() => hanging.attempts() === 400)
  const receiver = await webhooks.receiver()
  await webhooks.endpoint(receiver.url)
  await webhooks.ticket()
  await receiver.next()
  // Also in the same organization.
  const events = ['message.sent']
  await createEndpoint(webhooks.deps, hanging.orgId, { url: receiver.url, events })
  await hanging.ticket()
  await receiver.next()
  expect(hanging.attempts()).toBe(400)
})

test('an organization with 600 endpoints that hang leaves connections to the others', async () => {
  await using webhooks = await openWebhooks({ clock: createManualClock() })
  await using hanging = await hang(webhooks, 600)
  webhooks.deliver()
  await eventually(() => hanging.attempts() === 416)
  const receiver = await webhooks.receiver()
  await webhooks.endpoint(receiver.url)
  for (let count = 0; count < HEALTHY; count++) {
    await webhooks.ticket()
    await receiver.next()
  }
  expect(hanging.attempts()).toBe(416)
})

test('endpoints that did not respond share a part of the connections', async () => {
  const clock = createManualClock()
  await using webhooks = await openWebhooks({ clock })
  await using hanging = await hang(webhooks, 200)
  webhooks.deliver()
  const receiver = await webhooks.receiver((_, number) => (number === 0 ? 'never' : {}))
  await webhooks.endpoint(receiver.url)
  await webhooks.ticket()
  await receiver.next()
  await eventually(() => hanging.attempts() === 200)
  clock.advance(TIMEOUT_MS)
  await eventually(() => hanging.attempts() === 296)
  // Another organization has its share of that part: here, an endpoint that responds again.
  await webhooks.ticket()
  await receiver.next()
  expect(hanging.attempts()).toBe(296)
})

test('a new receiver gets one attempt at a time until it responds', async () => {
  const clock = createManualClock()
  await using webhooks = await openWebhooks({ clock })
  const receiver = await webhooks.receiver(() => 'never')
  await webhooks.endpoint(receiver.url)
  for (let number = 0; number < 20; number++) await webhooks.ticket()
  webhooks.deliver()
  await eventually(() => receiver.requests.length === 1)
  clock.advance(TIMEOUT_MS)
  await eventually(() => receiver.requests.length === 2)
  receiver.respondWith((_, number) => (number === 2 ? { status: 500 } : 'never'))
  clock.advance(TIMEOUT_MS)
  // The third attempt gets a response, so eight more follow at once.
  await eventually(() => receiver.requests.length === 11)
  clock.advance(TIMEOUT_MS)
  await eventually(() => receiver.requests.length === 12)
})

test('an endpoint with a long backlog shares the loop equally with another one, and its results share commits', async () => {
  // What waits to share a commit waits until the queue is short: this clock does not move.
  await using webhooks = await openWebhooks({ clock: createManualClock() })
  const receiver = await webhooks.receiver()
  await webhooks.endpoint(`${receiver.url}/long`)
  await Promise.all(Array.from({ length: 400 }, () => webhooks.ticket()))
  await webhooks.endpoint(`${receiver.url}/short`)
  await Promise.all(Array.from({ length: 20 }, () => webhooks.ticket()))
  let commits = 0
  webhooks.deps.pulse.listen(() => commits++)
  webhooks.deliver()
  await eventually(() => receiver.requests.length === 440)
  const lastShort = receiver.requests.findLastIndex(({ path }) => path.endsWith('short'))
  expect(lastShort).toBeLessThan(120)
  expect(commits).toBeLessThan(440 / 3)
})
