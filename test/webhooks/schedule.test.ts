import { afterEach, describe, expect, test } from 'bun:test'
import type { DeliveryRow } from '../../server/webhooks/delivery-log.ts'
import { createManualClock } from '../support/clock.ts'
import { type Answer, startReceiver } from '../support/receiver.ts'
import { eventually, openWebhooks } from '../support/webhooks.ts'

const SECOND = 1_000
const MINUTE = 60_000
const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** An organization with one endpoint that answers so, a clock that stands still, and the delivery loop. */
async function scene(answer: Answer | 'never', settings?: Record<string, string>) {
  const clock = createManualClock()
  const receiver = await startReceiver({ respond: () => answer })
  cleanups.push(receiver.stop)
  const webhooks = await openWebhooks({ clock, ...(settings && { settings }) })
  cleanups.push(webhooks.stop)
  const { endpoint } = await webhooks.endpoint(receiver.url)
  webhooks.deliver()
  const start = clock.now()
  return {
    clock,
    receiver,
    webhooks,
    endpoint,
    /** Milliseconds since the start. */
    since: (time: number) => time - start,
    /** The one delivery there is, once it is in that state after so many attempts. */
    async delivery(state: string, attempts: number): Promise<DeliveryRow> {
      return eventually(async () => {
        const [row] = await webhooks.list()
        return row?.state === state && row.attempt === attempts ? row : undefined
      })
    },
  }
}

describe('a delivery that fails', () => {
  test('is tried at once, after 30 seconds, 5 minutes and 30 minutes, and then stands as failed in the log', async () => {
    const { clock, receiver, webhooks, since, delivery } = await scene({ status: 500, body: 'broken' })
    await webhooks.ticket()
    const delays = [30 * SECOND, 5 * MINUTE, 30 * MINUTE]
    for (const [retry, delay] of delays.entries()) {
      const waiting = await delivery('pending', retry + 1)
      const dueIn = waiting.dueAt - clock.now()
      expect(dueIn).toBeGreaterThanOrEqual(delay)
      expect(dueIn).toBeLessThanOrEqual(delay + 2 * SECOND)
      clock.advance(dueIn - 1)
      await Bun.sleep(20)
      expect(receiver.requests).toHaveLength(retry + 1)
      clock.advance(1)
    }
    const failed = await delivery('failed', 4)
    clock.advance(24 * 60 * MINUTE)
    await Bun.sleep(20)
    expect(receiver.requests).toHaveLength(4)

    const { attempts, ...shown } = await webhooks.read(failed.id)
    expect(shown).toMatchObject({ state: 'failed', lastError: 'http_5xx', lastStatus: 500 })
    expect(attempts.map(({ number, kind, outcome, status }) => [number, kind, outcome, status])).toEqual(
      [1, 2, 3, 4].map((number) => [number, 'scheduled', 'http_5xx', 500]),
    )
    const starts = attempts.map(({ startedAt }) => since(startedAt))
    expect(starts[0]).toBe(0)
    expect(Buffer.from(attempts[3]?.responseBody ?? []).toString()).toBe('broken')
  })
})
