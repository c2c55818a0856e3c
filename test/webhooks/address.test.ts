import { afterEach, expect, test } from 'bun:test'
import { endSending, rawReceiverThat } from '../support/sending.ts'
import { eventually, openWebhooks } from '../support/webhooks.ts'

afterEach(endSending)

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
