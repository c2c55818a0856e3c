import { describe, expect, test } from 'bun:test'
import { endpoints } from '../../server/database/tables/webhooks.ts'
import { createManualClock } from '../support/clock.ts'
import { eventually, openWebhooks, type Webhooks } from '../support/webhooks.ts'

const SECOND = 1_000
const HOUR = 3_600_000
/** Long enough for a request that must not come. */
const A_MOMENT_MS = 20

for (const [name, jump] of [
  ['set an hour forward', HOUR],
  ['set an hour back', -HOUR],
] as const) {
  describe(`when the clock is ${name}`, () => {
    test('a retry keeps its delay after the failure: neither early nor an hour late', async () => {
      const clock = createManualClock()
      await using webhooks = await openWebhooks({ clock })
      const receiver = await webhooks.receiver((_, number) => ({ status: number === 0 ? 500 : 200 }))
      await webhooks.endpoint(receiver.url)
      webhooks.deliver()
      await webhooks.ticket()
      await webhooks.newest('pending', 1)
      clock.advance(10 * SECOND)
      clock.jump(jump)
      // Any commit wakes the loop, which then notices the jump.
      await webhooks.endpoint(receiver.url, ['message.sent'])
      await Bun.sleep(A_MOMENT_MS)
      clock.advance(19 * SECOND)
      await Bun.sleep(A_MOMENT_MS)
      expect(receiver.requests).toHaveLength(1)
      clock.advance(4 * SECOND)
      await eventually(() => receiver.requests.length === 2)
      await webhooks.newest('succeeded', 2)
    })

    test('new deliveries are sent at once, after those that were already waiting', async () => {
      const clock = createManualClock()
      await using webhooks = await openWebhooks({ clock })
      const receiver = await webhooks.receiver(() => 'never')
      await webhooks.endpoint(receiver.url)
      webhooks.deliver()
      // The only slot of a new endpoint is in use, so these wait.
      for (let number = 0; number < 5; number++) await webhooks.ticket(`Ticket ${number}`)
      await eventually(() => receiver.requests.length === 1)
      clock.jump(jump)
      for (let number = 5; number < 9; number++) await webhooks.ticket(`Ticket ${number}`)
      receiver.respondWith(() => ({}))
      clock.advance(10 * SECOND)
      await eventually(() => receiver.requests.length === 9)
      const subjects = receiver.requests.map(
        ({ body }) => JSON.parse(Buffer.from(body).toString()).data.ticket.subject,
      )
      const later = subjects.slice(1).map((subject) => Number(subject.slice(7)))
      expect(later.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    })
  })
}

test('due times later than any delay, written before a restart, are moved to now or soon', async () => {
  const clock = createManualClock()
  await using webhooks = await openWebhooks({ clock })
  const receiver = await webhooks.receiver((_, number) => ({ status: number === 0 ? 500 : 200 }))
  await webhooks.endpoint(receiver.url)
  const before = webhooks.deliver()
  await webhooks.ticket('failed')
  await webhooks.newest('pending', 1)
  await before.stop()
  await webhooks.ticket('waiting')
  clock.jump(-48 * HOUR)
  webhooks.deliver()
  await eventually(() => receiver.requests.length === 2)
  await eventually(async () => (await webhooks.list({ state: 'succeeded' })).length === 1)
  clock.advance(HOUR + 3 * SECOND)
  await eventually(() => receiver.requests.length === 3)
})

test('after the machine slept for a day, a retry is sent once and on time', async () => {
  const clock = createManualClock()
  await using webhooks = await openWebhooks({ clock })
  const receiver = await failTwenty(webhooks)
  clock.jump(24 * HOUR)
  clock.advance(33 * SECOND)
  await allPending(webhooks, 2)
  await Bun.sleep(A_MOMENT_MS)
  expect(receiver.requests).toHaveLength(40)
})

test('an endpoint that fails is not switched off because the clock was set a year forward', async () => {
  const clock = createManualClock()
  await using webhooks = await openWebhooks({ clock })
  await failTwenty(webhooks)
  clock.jump(365 * 24 * HOUR)
  for (const attempt of [2, 3]) {
    clock.advance(attempt === 2 ? 33 * SECOND : 303 * SECOND)
    await allPending(webhooks, attempt)
  }
  const [endpoint] = await webhooks.deps.database.read.select().from(endpoints)
  expect(endpoint?.offReason).toBeNull()
  expect(clock.now() - (endpoint?.failingSince ?? 0)).toBeLessThan(HOUR)
})

/** The first attempts of twenty deliveries to a receiver that always fails. */
async function failTwenty(webhooks: Webhooks) {
  const receiver = await webhooks.receiver(() => ({ status: 500 }))
  await webhooks.endpoint(receiver.url)
  webhooks.deliver()
  for (let number = 0; number < 20; number++) await webhooks.ticket()
  await allPending(webhooks, 1)
  return receiver
}

/** Waits until every delivery has failed so often and waits for its next attempt. */
function allPending(webhooks: Webhooks, attempts: number) {
  return eventually(async () =>
    (await webhooks.list()).every(({ state, attempt }) => state === 'pending' && attempt === attempts),
  )
}
