import { expect, test } from 'bun:test'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { createTicket } from '../../server/tickets/tickets.ts'
import { createEndpoint, MAX_ENDPOINTS } from '../../server/webhooks/endpoints/endpoints.ts'
import { createManualClock } from '../support/clock.ts'
import { startHangingServer } from '../support/hanging-server.ts'
import { eventually, openWebhooks, type Webhooks } from '../support/webhooks.ts'

const HEALTHY = 25

interface Hanging extends AsyncDisposable {
  /** How many attempts have reached the endpoints so far. */
  attempts(): number
  ticket(): Promise<unknown>
}

/**
 * Organizations whose endpoints take connections and never respond, with three deliveries waiting for each. Nothing
 * times out before the test moves the clock.
 */
async function hang({ deps }: Webhooks, howMany: number): Promise<Hanging> {
  const server = await startHangingServer()
  const orgIds: string[] = []
  for (let number = 0; number < howMany; number++) {
    if (number % MAX_ENDPOINTS === 0) {
      orgIds.push((await createOrganization(deps, { name: `Hanging ${number}` })).id)
    }
    const url = `https://127.0.0.1:${server.port}/${number}`
    await createEndpoint(deps, orgIds.at(-1) ?? '', { url, events: ['ticket.created'] })
  }
  const input = { subject: 'x', customer: { email: 'x@example.com' }, message: 'x' }
  const ticket = () => Promise.all(orgIds.map((orgId) => createTicket(deps, orgId, input)))
  for (let number = 0; number < 3; number++) await ticket()
  return {
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

test('600 endpoints that hang leave connections to the others', async () => {
  await using webhooks = await openWebhooks({ clock: createManualClock() })
  await using hanging = await hang(webhooks, 600)
  webhooks.deliver()
  await eventually(() => hanging.attempts() >= 416)
  const receiver = await webhooks.receiver()
  await webhooks.endpoint(receiver.url)
  for (let count = 0; count < HEALTHY; count++) {
    await webhooks.ticket()
    await receiver.next()
  }
  expect(hanging.attempts()).toBeLessThan(512)
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
