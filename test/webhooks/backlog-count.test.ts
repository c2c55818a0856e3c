import { expect, test } from 'bun:test'
import { countBacklog } from '../../server/webhooks/deliveries/backlog.ts'
import { displayedState } from '../../server/webhooks/deliveries/views.ts'
import { CANCEL_SLICE, deleteEndpoint, disableEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { writeBacklog } from '../support/backlog.ts'
import { createManualClock } from '../support/clock.ts'
import { openWebhooks } from '../support/webhooks.ts'

test('the backlog counts pending and held deliveries, and has the due time of the oldest', async () => {
  const clock = createManualClock()
  await using webhooks = await openWebhooks({ clock })
  const { deps, orgId } = webhooks
  const nothing = { pending: 0, held: 0, inFlight: 0, failed: 0, oldestDueAt: null }
  expect(await countBacklog(deps)).toEqual(nothing)

  const { endpoint: off } = await webhooks.endpoint('https://127.0.0.1:1/off')
  await webhooks.endpoint('https://127.0.0.1:1/on')
  await disableEndpoint(deps, orgId, off.id)
  const heldAt = clock.now()
  await webhooks.ticket()
  clock.advance(5_000)
  await webhooks.endpoint('https://127.0.0.1:1/later')
  await webhooks.ticket()
  clock.advance(60_000)
  expect(await countBacklog(deps)).toEqual({ ...nothing, pending: 3, held: 2, oldestDueAt: heldAt })

  // With the clock set back, nothing is overdue.
  clock.jump(-600_000)
  expect((await countBacklog(deps)).oldestDueAt).toBeNull()
})

test('deliveries of a deleted endpoint are no longer pending, in the count and in the log', async () => {
  await using webhooks = await openWebhooks()
  const { deps, orgId } = webhooks
  const { endpoint } = await webhooks.endpoint('https://127.0.0.1:1/')
  await writeBacklog(deps.config, orgId, CANCEL_SLICE + 500, deps.clock.now())
  await disableEndpoint(deps, orgId, endpoint.id)
  expect((await webhooks.list({ state: 'held' })).map(displayedState)).toEqual(Array(100).fill('held'))
  await deleteEndpoint(deps, orgId, endpoint.id)
  await webhooks.endpoint('https://127.0.0.1:1/other')
  expect(await countBacklog(deps)).toMatchObject({ pending: 0, held: 0 })
  expect(await webhooks.list({ state: 'pending' })).toEqual([])
  expect(await webhooks.list({ state: 'held' })).toEqual([])
})
