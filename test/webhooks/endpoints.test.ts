import { describe, expect, test } from 'bun:test'
import { resendDelivery } from '../../server/webhooks/deliveries/resend.ts'
import { viewDelivery } from '../../server/webhooks/deliveries/views.ts'
import {
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  listEndpoints,
  readEndpoint,
  updateEndpoint,
} from '../../server/webhooks/endpoints/endpoints.ts'
import { viewEndpoint } from '../../server/webhooks/endpoints/views.ts'
import { createManualClock } from '../support/clock.ts'
import { eventually, openWebhooks } from '../support/webhooks.ts'

const HOUR = 3_600_000

describe('an endpoint', () => {
  test('gets only the events it is subscribed to, starting with the change', async () => {
    await using webhooks = await openWebhooks()
    const receiver = await webhooks.receiver()
    const { endpoint } = await webhooks.endpoint(receiver.url, ['message.sent'])
    webhooks.deliver()
    await webhooks.ticket()
    await receiver.next()
    const change = { events: ['ticket.created'] }
    await updateEndpoint(webhooks.deps, webhooks.orgId, { id: endpoint.id, change })
    await webhooks.ticket()
    await receiver.next()
    expect(receiver.requests.map(({ headers }) => headers['x-service-event'])).toEqual([
      'message.sent',
      'ticket.created',
    ])
  })

  test('that is edited during an attempt gets the retry at its new URL', async () => {
    const clock = createManualClock()
    await using webhooks = await openWebhooks({ clock })
    const [old, next] = [await webhooks.receiver(() => 'never'), await webhooks.receiver()]
    const { endpoint } = await webhooks.endpoint(old.url)
    webhooks.deliver()
    await webhooks.ticket()
    await old.next()
    await updateEndpoint(webhooks.deps, webhooks.orgId, { id: endpoint.id, change: { url: next.url } })
    clock.advance(10_000)
    const { id } = await webhooks.newest('pending', 1)
    clock.advance(32_000)
    await next.next()
    await webhooks.newest('succeeded', 2)
    expect((await webhooks.read(id)).attempts.map(({ url }) => url)).toEqual([old.url, next.url])
  })

  test('that is disabled holds failed and new deliveries, and sends them in order when it is enabled', async () => {
    const clock = createManualClock()
    await using webhooks = await openWebhooks({ clock })
    const receiver = await webhooks.receiver(() => 'never')
    const { endpoint } = await webhooks.endpoint(receiver.url)
    webhooks.deliver()
    await webhooks.ticket('first')
    await receiver.next()
    await disableEndpoint(webhooks.deps, webhooks.orgId, endpoint.id)
    await webhooks.ticket('second')
    clock.advance(10_000)
    await eventually(async () => (await webhooks.list({ state: 'held' })).length === 2)
    clock.advance(HOUR)
    await Bun.sleep(20)
    expect(receiver.requests).toHaveLength(1)

    receiver.respondWith(() => ({}))
    await enableEndpoint(webhooks.deps, webhooks.orgId, endpoint.id)
    await eventually(async () => (await webhooks.list({ state: 'succeeded' })).length === 2)
    expect(await webhooks.list({ state: 'held' })).toEqual([])
  })

  test('that is deleted during an attempt gets nothing more; its pending deliveries are cancelled, and the log stays', async () => {
    const clock = createManualClock()
    await using webhooks = await openWebhooks({ clock })
    const receiver = await webhooks.receiver(() => 'never')
    const { endpoint } = await webhooks.endpoint(receiver.url)
    webhooks.deliver()
    for (const subject of ['first', 'second', 'third']) await webhooks.ticket(subject)
    await receiver.next()
    await deleteEndpoint(webhooks.deps, webhooks.orgId, endpoint.id)
    await webhooks.ticket('after')
    clock.advance(10_000)
    clock.advance(HOUR)
    const rows = await webhooks.list()
    expect(rows.map((row) => viewDelivery(row).state)).toEqual(['cancelled', 'cancelled', 'cancelled'])
    const { attempts } = await eventually(async () => {
      const detail = await webhooks.read(rows[2]?.id ?? '')
      return detail.attempts[0]?.outcome ? detail : undefined
    })
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['timeout'])
    const later = await webhooks.list()
    expect(later.map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'cancelled'])
    expect(receiver.requests).toHaveLength(1)
    expect(await listEndpoints(webhooks.deps, webhooks.orgId)).toEqual([])
    const resending = resendDelivery(webhooks.deps, webhooks.orgId, rows[0]?.id ?? '')
    await expect(resending).rejects.toMatchObject({ status: 409, code: 'endpoint_deleted' })
  })

  test('whose last retry gets a 410 is switched off, holds its pending deliveries, and can be enabled', async () => {
    const clock = createManualClock()
    await using webhooks = await openWebhooks({ clock, settings: { BELLHOP_WEBHOOK_RETRIES: '30s' } })
    const receiver = await webhooks.receiver(() => ({ status: 410 }))
    const { endpoint } = await webhooks.endpoint(receiver.url)
    webhooks.deliver()
    await webhooks.ticket()
    await webhooks.newest('pending', 1)
    clock.advance(33_000)
    await webhooks.newest('failed', 2)
    await webhooks.ticket()
    await webhooks.newest('held', 0)
    const off = viewEndpoint(await readEndpoint(webhooks.deps, webhooks.orgId, endpoint.id))
    expect(off).toMatchObject({ isOn: false, offReason: 'gone', health: { successRate: 0 } })
    expect(webhooks.logLines.filter((line) => line.includes('endpoint_switched_off'))).toHaveLength(1)

    receiver.respondWith(() => ({}))
    await enableEndpoint(webhooks.deps, webhooks.orgId, endpoint.id)
    await webhooks.newest('succeeded', 1)
  })

  test('that only failed for 120 hours is switched off, but not one that succeeded in between', async () => {
    const clock = createManualClock()
    await using webhooks = await openWebhooks({ clock, settings: { BELLHOP_WEBHOOK_RETRIES: '1s' } })
    const receiver = await webhooks.receiver(() => ({ status: 500 }))
    const { endpoint } = await webhooks.endpoint(receiver.url)
    webhooks.deliver()
    const fail = async () => {
      await webhooks.ticket()
      await webhooks.newest('pending', 1)
      clock.advance(1_100)
      await webhooks.newest('failed', 2)
    }
    const isOn = async () => (await readEndpoint(webhooks.deps, webhooks.orgId, endpoint.id)).offAt === null
    await fail()
    clock.advance(119 * HOUR)
    await fail()
    expect(await isOn()).toBe(true)
    receiver.respondWith(() => ({}))
    await webhooks.ticket()
    await webhooks.newest('succeeded', 1)
    receiver.respondWith(() => ({ status: 500 }))
    clock.advance(2 * HOUR)
    await fail()
    expect(await isOn()).toBe(true)
    // Two failures before and after a long sleep are not 120 hours of failures.
    clock.advance(121 * HOUR)
    await fail()
    expect(await isOn()).toBe(true)
    for (let failures = 4; failures < 18; failures += 2) await fail()
    expect(await isOn()).toBe(true)
    await fail()
    expect((await readEndpoint(webhooks.deps, webhooks.orgId, endpoint.id)).offReason).toBe('failing')
  })
})
