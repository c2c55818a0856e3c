import { expect, test } from 'bun:test'
import { replaySlice } from '../../server/webhooks/api/replay.ts'
import { listDeliveries } from '../../server/webhooks/deliveries/delivery-log.ts'
import { readResendJob, resendFailedSince, startResending } from '../../server/webhooks/deliveries/resend.ts'
import { createManualClock } from '../support/clock.ts'
import { makeManyTickets } from '../support/many-tickets.ts'
import { eventually, openWebhooks } from '../support/webhooks.ts'

const HOUR = 3_600_000

test('all failed deliveries of an endpoint since a time are resent, and a restart in the middle loses none', async () => {
  const clock = createManualClock()
  await using webhooks = await openWebhooks({ clock, settings: { BELLHOP_WEBHOOK_RETRIES: '1s' } })
  const { deps, orgId } = webhooks
  const receiver = await webhooks.receiver(() => ({ status: 500 }))
  const { endpoint } = await webhooks.endpoint(receiver.url)
  const count = async (state: string) => {
    let [found, cursor]: [number, string | null] = [0, null]
    do {
      const page = await listDeliveries(deps, orgId, { state, limit: 100, ...(cursor && { cursor }) })
      found += page.deliveries.length
      cursor = page.nextCursor
    } while (cursor)
    return found
  }
  const failAll = async (total: number) => {
    await eventually(async () => {
      clock.advance(1_100)
      return (await count('failed')) === total
    })
  }
  const first = webhooks.deliver()
  await webhooks.ticket('too old')
  await failAll(1)
  clock.advance(HOUR)
  const since = clock.now()
  await makeManyTickets(deps, orgId, 450)
  await failAll(451)
  await first.stop()

  const job = await resendFailedSince(deps, orgId, { endpointId: endpoint.id, since })
  const before = startResending(deps, replaySlice)
  await eventually(async () => (await readResendJob(deps, orgId, job.id)).resent > 0)
  await before.stop()
  const stopped = await readResendJob(deps, orgId, job.id)
  expect(await count('pending')).toBe(stopped.resent)

  const after = startResending(deps, replaySlice)
  const done = await eventually(async () => {
    const read = await readResendJob(deps, orgId, job.id)
    return read.finishedAt === null ? undefined : read
  })
  await after.stop()
  expect(done.resent).toBe(450)
  const sent = receiver.requests.length
  receiver.respondWith(() => ({}))
  webhooks.deliver()
  await eventually(async () => (await count('succeeded')) === 450)
  expect(receiver.requests.length - sent).toBe(450)
  expect(await count('failed')).toBe(1)
})
