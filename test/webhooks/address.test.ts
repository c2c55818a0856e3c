import { afterEach, expect, test } from 'bun:test'
import { createManualClock } from '../support/clock.ts'
import { endSending, rawReceiverThat } from '../support/sending.ts'
import { eventually, openWebhooks } from '../support/webhooks.ts'

afterEach(endSending)

test('a name is allowed that resolves into an allowed network, localhost as well as one of the own network', async () => {
  await using webhooks = await openWebhooks({ settings: { BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8' } })
  const receiver = await webhooks.receiver()
  await webhooks.endpoint(`https://localhost:${receiver.port}/hook`)
  await webhooks.endpoint(`https://shop.internal:${receiver.port}/hook`)
  // The second one is dialled, and nothing listens there.
  webhooks.deliver(async (name) => [name === 'localhost' ? '127.0.0.1' : '127.0.0.2'])
  await webhooks.ticket()
  const deliveries = await eventually(async () => {
    const all = await webhooks.list()
    return all.length === 2 &&
      all.every(({ attempt, lastError, state }) => attempt === 1 && (lastError ?? state === 'succeeded'))
      ? all
      : undefined
  })
  expect(deliveries.map(({ lastError }) => lastError).sort()).toEqual(['connect_refused', null])
  expect(receiver.requests).toHaveLength(1)
})

test('an attempt that was sent twice, because a kept connection ended, says so in the log', async () => {
  await using webhooks = await openWebhooks()
  let requests = 0
  const receiver = await rawReceiverThat((socket) => {
    let isUsed = false
    socket.on('data', () => {
      requests += 1
      if (isUsed) return socket.destroy()
      isUsed = true
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
    })
  })
  await webhooks.endpoint(receiver.url)
  webhooks.deliver()
  await webhooks.ticket()
  const first = await webhooks.newest('succeeded', 1)
  await webhooks.ticket()
  const second = await eventually(async () => {
    const row = await webhooks.newest('succeeded', 1)
    return row.id === first.id ? undefined : row
  })
  const detailOf = async (id: string) => (await webhooks.read(id)).attempts.map(({ detail }) => detail)
  expect(await detailOf(first.id)).toEqual([null])
  expect(await detailOf(second.id)).toEqual([expect.stringContaining('may have arrived twice')])
  expect(requests).toBe(3)
})

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
