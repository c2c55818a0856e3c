import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { resendDelivery } from '../../server/webhooks/deliveries/resend.ts'
import { createManualClock } from '../support/clock.ts'
import { eventually, openWebhooks } from '../support/webhooks.ts'

const SECOND = 1_000
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
/** Long enough for a request that must not come. */
const A_MOMENT_MS = 20
/** More than a timestamp in whole seconds can be off. */
const WAIT_MS = 2_200

describe('a delivery that fails', () => {
  test('is tried at once, after 30 seconds, 5 minutes and 30 minutes, and then is failed in the log', async () => {
    const clock = createManualClock()
    await using webhooks = await openWebhooks({ clock })
    const receiver = await webhooks.receiver(() => ({ status: 500, body: 'broken' }))
    await webhooks.endpoint(receiver.url)
    webhooks.deliver()
    await webhooks.ticket()
    for (const [retry, delay] of [30 * SECOND, 5 * MINUTE, 30 * MINUTE].entries()) {
      const waiting = await webhooks.newest('pending', retry + 1)
      const dueIn = waiting.dueAt - clock.now()
      expect(dueIn).toBeGreaterThanOrEqual(delay)
      expect(dueIn).toBeLessThanOrEqual(delay + 2 * SECOND)
      clock.advance(dueIn - 1)
      await Bun.sleep(A_MOMENT_MS)
      expect(receiver.requests).toHaveLength(retry + 1)
      clock.advance(1)
    }
    const { id } = await webhooks.newest('failed', 4)
    clock.advance(DAY)
    await Bun.sleep(A_MOMENT_MS)
    expect(receiver.requests).toHaveLength(4)

    const shown = await webhooks.read(id)
    expect(shown.lastError).toBe('http_5xx')
    expect(
      shown.attempts.map(({ number, kind, outcome, status }) => [number, kind, outcome, status]),
    ).toEqual([1, 2, 3, 4].map((number) => [number, 'scheduled', 'http_5xx', 500]))
    expect(Buffer.from(shown.attempts[3]?.responseBody ?? []).toString()).toBe('broken')
    expect(receiver.requests.map((request) => request.headers['x-service-delivery'])).toEqual([
      id,
      id,
      id,
      id,
    ])
    expect(receiver.requests.map((request) => request.headers['x-service-attempt'])).toEqual([
      '1',
      '2',
      '3',
      '4',
    ])
  })

  test('waits from the end of an attempt that timed out after 10 seconds', async () => {
    const clock = createManualClock()
    await using webhooks = await openWebhooks({ clock })
    const receiver = await webhooks.receiver(() => 'never')
    await webhooks.endpoint(receiver.url)
    webhooks.deliver()
    const start = clock.now()
    await webhooks.ticket()
    await receiver.next()
    clock.advance(10 * SECOND)
    const { id, dueAt } = await webhooks.newest('pending', 1)
    expect(dueAt - start).toBeGreaterThanOrEqual(40 * SECOND)
    const [attempt] = (await webhooks.read(id)).attempts
    expect(attempt).toMatchObject({ outcome: 'timeout', durationMs: 10 * SECOND, status: null })
  })
})

describe('a delivery that arrives', () => {
  test('is the event byte for byte, signed over these bytes, with its own id for each endpoint', async () => {
    await using webhooks = await openWebhooks()
    const receiver = await webhooks.receiver()
    const one = await webhooks.endpoint(`${receiver.url}/one`)
    const two = await webhooks.endpoint(`${receiver.url}/two`)
    webhooks.deliver()
    await webhooks.ticket('Grüße "quoted" \u2028 🛎️')
    await receiver.next()
    await receiver.next()

    const ids = new Set<string>()
    for (const request of receiver.requests) {
      const { secret } = request.path.endsWith('one') ? one : two
      const id = request.headers['x-service-delivery'] ?? ''
      ids.add(id)
      const { body } = await webhooks.read(id)
      expect(Buffer.from(request.body).equals(Buffer.from(body ?? []))).toBe(true)
      expect(request.headers['x-service-signature']).toBe(
        `sha256=${createHmac('sha256', secret).update(request.body).digest('hex')}`,
      )
      const text = Buffer.from(request.body).toString()
      expect(new Webhook(secret).verify(text, request.headers)).toMatchObject({ event: 'ticket.created' })
      expect(request.headers).toMatchObject({
        'content-type': 'application/json',
        'x-service-event': 'ticket.created',
        'x-service-attempt': '1',
        'webhook-id': id,
        'user-agent': expect.stringMatching(/^Bellhop\/\d/),
      })
      expect(request.headers['x-service-test']).toBeUndefined()
    }
    expect(ids.size).toBe(2)
    const [row] = await eventually(async () => {
      const rows = await webhooks.list({ state: 'succeeded' })
      return rows.length === 2 ? rows : undefined
    })
    const [attempt] = (await webhooks.read(row?.id ?? '')).attempts
    expect(attempt?.requestHeaders?.['X-Service-Delivery']).toBe(row?.id)
    expect(attempt).toMatchObject({ outcome: 'succeeded', status: 200, kind: 'scheduled' })
  })

  test('that waited behind slow ones of its endpoint carries the time it was sent', async () => {
    await using webhooks = await openWebhooks()
    const free = Promise.withResolvers<void>()
    const receiver = await webhooks.receiver((_, number) => (number < 20 ? {} : { after: free.promise }))
    const { secret } = await webhooks.endpoint(receiver.url)
    for (let tickets = 0; tickets < 60; tickets++) await webhooks.ticket()
    webhooks.deliver()
    await eventually(async () => (await webhooks.list({ state: 'succeeded' })).length === 20)
    await Bun.sleep(WAIT_MS)
    const requestOf = (id: string) =>
      receiver.requests.find(({ headers }) => headers['x-service-delivery'] === id)
    const waiting = (await webhooks.list({ state: 'in_flight' })).filter(({ id }) => !requestOf(id))
    expect(waiting).not.toBeEmpty()
    const freedAt = Date.now()
    free.resolve()

    for (const { id } of waiting) {
      const [attempt] = await eventually(async () => {
        const { attempts } = await webhooks.read(id)
        return attempts[0]?.outcome === 'succeeded' ? attempts : undefined
      })
      const { headers = {}, body = '' } = requestOf(id) ?? {}
      const timestamp = headers['webhook-timestamp']
      expect(Number(timestamp)).toBeGreaterThanOrEqual(Math.floor((freedAt - SECOND) / SECOND))
      expect(new Webhook(secret).verify(Buffer.from(body).toString(), headers)).toBeTruthy()
      expect(attempt?.startedAt).toBeGreaterThanOrEqual(freedAt - SECOND)
      expect(attempt?.requestHeaders?.['webhook-timestamp']).toBe(timestamp)
    }
  })

  test('and is resent has the same id and bytes, in one attempt marked manual', async () => {
    await using webhooks = await openWebhooks()
    const receiver = await webhooks.receiver()
    await webhooks.endpoint(receiver.url)
    webhooks.deliver()
    await webhooks.ticket()
    const { id } = await webhooks.newest('succeeded', 1)
    receiver.respondWith(() => ({ status: 500 }))
    await resendDelivery(webhooks.deps, webhooks.orgId, id)
    await webhooks.newest('failed', 2)

    const [first, second] = receiver.requests
    expect(second?.headers['x-service-delivery']).toBe(id)
    expect(second?.body).toEqual(first?.body ?? new Uint8Array())
    const { attempts } = await webhooks.read(id)
    expect(attempts.map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ['scheduled', 'succeeded'],
      ['manual', 'http_5xx'],
    ])
  })

  test('comes in the order of the commits, and a retry does not delay others', async () => {
    const clock = createManualClock()
    await using webhooks = await openWebhooks({ clock })
    const receiver = await webhooks.receiver((_, number) => ({ status: number === 0 ? 500 : 200 }))
    await webhooks.endpoint(receiver.url)
    for (let number = 0; number < 60; number++) await webhooks.ticket(`Ticket ${number}`)
    webhooks.deliver()
    await eventually(() => receiver.requests.length === 60)
    const subjects = receiver.requests.map(
      ({ body }) => JSON.parse(Buffer.from(body).toString()).data.ticket.subject,
    )
    // Eight are sent at once, so they may arrive in another order than they were sent in.
    const order = subjects.map((subject) => Number(subject.slice(7)))
    for (const [position, number] of order.entries()) expect(Math.abs(position - number)).toBeLessThan(8)
    clock.advance(33 * SECOND)
    await eventually(() => receiver.requests.length === 61)
  })
})
