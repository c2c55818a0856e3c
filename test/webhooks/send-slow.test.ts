import { afterEach, describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import type { Sender } from '../../server/webhooks/deliveries/send.ts'
import {
  endSending,
  listen,
  post,
  rawReceiverThat,
  receiverThat,
  repeat,
  senderWith,
  TIMEOUT_MS,
  text,
} from '../support/sending.ts'

afterEach(endSending)

describe('a slow receiver', () => {
  test('that never responds is a timeout', async () => {
    const receiver = await receiverThat(() => 'never')
    const result = await post(senderWith(), receiver.url)
    expect(result).toMatchObject({ outcome: 'timeout', status: null })
    expectTimeout(result.durationMs)
  })

  test('that responds in time is not a timeout', async () => {
    const receiver = await receiverThat(() => ({ delayMs: 100 }))
    expect((await post(senderWith(), receiver.url)).outcome).toBe('succeeded')
  })

  test('that sends its headers bit by bit is a timeout', async () => {
    const receiver = await rawReceiverThat((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      repeat(socket, 20, () => socket.write('x: y\r\n'))
    })
    expect((await post(senderWith(), receiver.url)).outcome).toBe('timeout')
  })

  test.each([
    ['stalls', 'content-length: 100\r\n\r\nhalf', false, 'half'],
    ['is cut off', 'content-length: 100\r\n\r\nhalf', true, 'half'],
    ['is garbage', 'transfer-encoding: chunked\r\n\r\nzz\r\n', false, ''],
  ])('whose body %s after a 200 has succeeded', async (_, rest, isClosed, read) => {
    const written = `HTTP/1.1 200 OK\r\n${rest}`
    const hungUp = Promise.withResolvers<void>()
    const receiver = await rawReceiverThat((socket) => {
      socket.on('close', () => hungUp.resolve())
      socket.once('data', () => (isClosed ? socket.end(written) : socket.write(written)))
    })
    const result = await post(senderWith(), receiver.url)
    expect(result).toMatchObject({ outcome: 'succeeded', status: 200, isBodyCut: true })
    expect(text(result.responseBody)).toBe(read)
    expect(result.durationMs).toBeLessThan(TIMEOUT_MS)
    await hungUp.promise
  })

  test('that accepts the connection but sends nothing is a connect timeout', async () => {
    const port = await listen(createServer())
    const result = await post(senderWith(), `https://127.0.0.1:${port}/`)
    expect(result.outcome).toBe('connect_timeout')
    expectTimeout(result.durationMs)
  })

  test('is disconnected when the attempt is aborted or the sender closed', async () => {
    const receiver = await receiverThat(() => 'never')
    const sender = senderWith({ timeoutMs: 60_000 })
    const abort = new AbortController()
    const aborted = post(sender, receiver.url, abort.signal)
    const closed = post(sender, receiver.url)
    const asking = senderWith({ timeoutMs: 60_000, resolve: () => new Promise(() => {}) })
    const resolving = post(asking, 'https://a.test/')
    await receiver.next()
    await receiver.next()
    abort.abort()
    expect((await aborted).outcome).toBe('interrupted')
    sender.close()
    expect((await closed).outcome).toBe('interrupted')
    expect((await post(sender, receiver.url)).outcome).toBe('interrupted')
    expect(receiver.requests).toHaveLength(2)
    asking.close()
    expect((await resolving).outcome).toBe('interrupted')
  })

  test('does not slow down a healthy one, even when there are 400 of them', async () => {
    const hanging = await receiverThat(() => 'never')
    const healthy = await receiverThat(() => ({}))
    const sender = senderWith({ timeoutMs: 60_000 })
    const alone = await medianLatency(sender, healthy.url)
    const stuck = Array.from({ length: 400 }, () => post(sender, hanging.url))
    for (let count = 0; count < 400; count++) await hanging.next()

    const beside = await medianLatency(sender, healthy.url)
    // Waiting for the 400 would take a minute; the 20 ms are for a busy machine.
    expect(beside).toBeLessThan(2 * alone + 20)
    sender.close()
    expect(new Set((await Promise.all(stuck)).map(({ outcome }) => outcome))).toEqual(
      new Set(['interrupted']),
    )
  }, 15_000)
})

async function medianLatency(sender: Sender, url: string): Promise<number> {
  const latencies: number[] = []
  for (let count = 0; count < 60; count++) {
    const startedAt = performance.now()
    expect((await post(sender, url)).outcome).toBe('succeeded')
    latencies.push(performance.now() - startedAt)
  }
  return latencies.sort((a, b) => a - b)[30] ?? 0
}

function expectTimeout(durationMs: number): void {
  expect(durationMs).toBeGreaterThanOrEqual(TIMEOUT_MS - 5)
  expect(durationMs).toBeLessThan(TIMEOUT_MS + 250)
}
