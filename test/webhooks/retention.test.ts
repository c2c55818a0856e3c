import { expect, test } from 'bun:test'
import { events } from '../../server/database/tables/events.ts'
import { startRetention } from '../../server/webhooks/deliveries/retention.ts'
import { disableEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { createManualClock } from '../support/clock.ts'
import { eventually, openWebhooks } from '../support/webhooks.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
/** Sweeps are an hour apart: with shorter steps, most of the test would be pauses between looks. */
const STEP = 60 * MINUTE

test('details of attempts are kept for 30 days, the log for 90 days, and held deliveries without limit', async () => {
  const clock = createManualClock()
  await using webhooks = await openWebhooks({ clock })
  const { deps, orgId } = webhooks
  const receiver = await webhooks.receiver(() => ({ body: 'thanks' }))
  const { endpoint } = await webhooks.endpoint(receiver.url)
  const delivering = webhooks.deliver()
  await webhooks.ticket('old')
  const { id } = await webhooks.newest('succeeded', 1)
  await webhooks.ticket('old too')
  await webhooks.newest('succeeded', 1)
  await delivering.stop()
  clock.advance(DAY)
  await disableEndpoint(deps, orgId, endpoint.id)
  await webhooks.ticket('held')
  const [held] = await webhooks.list({ state: 'held' })
  const numbers = async () =>
    (await deps.database.read.select({ number: events.number }).from(events))
      .map(({ number }) => number)
      .sort()

  const retention = startRetention(deps)
  const sweepUntil = (look: () => Promise<boolean>) =>
    eventually(async () => {
      clock.advance(STEP)
      return look()
    })
  const details = async () => (await webhooks.read(id)).attempts[0]?.requestHeaders ?? null
  clock.advance(28 * DAY)
  await sweepUntil(async () => true)
  expect(await details()).not.toBeNull()
  clock.advance(2 * DAY)
  await sweepUntil(async () => (await details()) === null)
  expect(await webhooks.list()).toHaveLength(3)
  expect((await webhooks.read(id)).attempts[0]).toMatchObject({ outcome: 'succeeded', status: 200 })
  expect((await webhooks.read(id)).body).not.toBeNull()

  clock.advance(60 * DAY)
  await sweepUntil(async () => (await webhooks.list()).length === 1)
  await sweepUntil(async () => !(await numbers()).includes(1))
  clock.advance(400 * DAY)
  for (let sweeps = 0; sweeps < 10; sweeps++) await sweepUntil(async () => true)
  await retention.stop()
  expect((await webhooks.list()).map((row) => row.id)).toEqual([held?.id ?? ''])
  expect((await webhooks.read(held?.id ?? '')).body).not.toBeNull()
  expect(await numbers()).toContain(held?.eventNumber ?? 0)
})
