import { describe, expect, test } from 'bun:test'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { listDeliveries, readDelivery } from '../../server/webhooks/deliveries/delivery-log.ts'
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
  const before = startResending(deps)
  await eventually(async () => (await readResendJob(deps, orgId, job.id)).resent > 0)
  await before.stop()
  const stopped = await readResendJob(deps, orgId, job.id)
  expect(await count('pending')).toBe(stopped.resent)

  const after = startResending(deps)
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

describe('the delivery log', () => {
  test('is newest first, has pages, and filters by endpoint, event, state and time', async () => {
    const clock = createManualClock()
    await using webhooks = await openWebhooks({ clock })
    const { deps, orgId } = webhooks
    const one = await webhooks.endpoint('https://example.com/one')
    await webhooks.endpoint('https://example.com/two', ['message.sent'])
    await webhooks.ticket()
    clock.advance(HOUR)
    const later = clock.now()
    for (let number = 0; number < 4; number++) await webhooks.ticket()

    const all = await webhooks.list()
    expect(all).toHaveLength(10)
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .sort()
        .reverse(),
    )
    const paged: string[] = []
    let cursor: string | undefined
    for (let pages = 0; pages < 4; pages++) {
      const page = await listDeliveries(deps, orgId, { limit: 3, cursor })
      paged.push(...page.deliveries.map(({ id }) => id))
      cursor = page.nextCursor ?? undefined
    }
    expect(cursor).toBeUndefined()
    expect(paged).toEqual(all.map(({ id }) => id))
    expect(await webhooks.list({ endpointId: one.endpoint.id })).toHaveLength(5)
    expect(await webhooks.list({ event: 'message.sent' })).toHaveLength(5)
    expect(await webhooks.list({ since: later })).toHaveLength(8)
    expect(await webhooks.list({ until: later })).toHaveLength(2)
    expect(await webhooks.list({ state: 'pending' })).toHaveLength(10)
    expect(await webhooks.list({ state: 'succeeded' })).toEqual([])
    await expect(webhooks.list({ state: 'lost' })).rejects.toMatchObject({ status: 400 })
    await expect(webhooks.list({ cursor: 'nonsense' })).rejects.toMatchObject({ status: 400 })
  })

  test('shows nothing of another organization', async () => {
    await using webhooks = await openWebhooks()
    await webhooks.endpoint('https://example.com/one')
    await webhooks.ticket()
    const [row] = await webhooks.list()
    const other = await createOrganization(webhooks.deps, { name: 'Other' })
    expect((await listDeliveries(webhooks.deps, other.id)).deliveries).toEqual([])
    await expect(readDelivery(webhooks.deps, other.id, row?.id ?? '')).rejects.toMatchObject({ status: 404 })
  })
})
