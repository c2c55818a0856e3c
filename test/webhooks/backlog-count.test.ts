import { expect, test } from 'bun:test'
import { countBacklog } from '../../server/webhooks/backlog.ts'
import { disableEndpoint } from '../../server/webhooks/endpoints.ts'
import { createManualClock } from '../support/clock.ts'
import { openWebhooks } from '../support/webhooks.ts'

test('the backlog tells what waits, what is held, and since when the oldest has been due', async () => {
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

  // Set back before everything: nothing is late now.
  clock.jump(-600_000)
  expect((await countBacklog(deps)).oldestDueAt).toBeNull()
})
