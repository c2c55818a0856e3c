import { expect, test } from 'bun:test'
import { createManualClock } from '../support/clock.ts'
import { openWebhooks } from '../support/webhooks.ts'

test('a name that resolves to a private address is logged as blocked_address, and nothing is sent', async () => {
  await using webhooks = await openWebhooks({ settings: { BELLHOP_WEBHOOK_ALLOW: '' } })
  const receiver = await webhooks.receiver()
  await webhooks.endpoint(`https://hooks.test:${receiver.port}/hook`)
  webhooks.deliver(async () => ['127.0.0.1'])
  await webhooks.ticket()
  const row = await webhooks.newest('pending', 1)
  expect(row.lastError).toBe('blocked_address')
  expect(receiver.connections()).toBe(0)
})

test('a name that resolves to another address at the retry is checked again', async () => {
  const clock = createManualClock()
  await using webhooks = await openWebhooks({ clock, settings: { BELLHOP_WEBHOOK_ALLOW: '127.0.0.1' } })
  const receiver = await webhooks.receiver(() => ({ status: 500, headers: { Connection: 'close' } }))
  await webhooks.endpoint(`https://hooks.test:${receiver.port}/hook`)
  const addresses = ['127.0.0.1', '127.0.0.2']
  webhooks.deliver(async () => [addresses.shift() ?? '127.0.0.2'])
  await webhooks.ticket()
  const { id } = await webhooks.newest('pending', 1)
  clock.advance(33_000)
  await webhooks.newest('pending', 2)
  const { attempts } = await webhooks.read(id)
  expect(attempts.map(({ outcome }) => outcome)).toEqual(['http_5xx', 'blocked_address'])
  expect(receiver.requests).toHaveLength(1)
})
