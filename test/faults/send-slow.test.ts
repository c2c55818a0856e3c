import { afterEach, describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { createManualClock } from '../support/clock.ts'
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
    const clock = createManualClock()
    const receiver = await receiverThat(() => 'never')
    const sending = post(senderWith({ clock }), receiver.url)
    await receiver.next()
    clock.advance(TIMEOUT_MS)
    expect(await sending).toMatchObject({ outcome: 'timeout', status: null, durationMs: TIMEOUT_MS })
  })

  test('that responds in time is not a timeout', async () => {
    const clock = createManualClock()
    const receiver = await receiverThat(() => ({ delayMs: 20 }))
    const sending = post(senderWith({ clock }), receiver.url)
    await receiver.next()
    clock.advance(TIMEOUT_MS - 1)
    expect(await sending).toMatchObject({ outcome: 'succeeded', durationMs: TIMEOUT_MS - 1 })
  })

  test('that sends its headers bit by bit is a timeout', async () => {
    const clock = createManualClock()
    const asked = Promise.withResolvers<void>()
    const receiver = await rawReceiverThat((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      repeat(socket, 20, () => socket.write('x: y\r\n'))
      socket.once('data', () => asked.resolve())
    })
    const sending = post(senderWith({ clock }), receiver.url)
    await asked.promise
    clock.advance(TIMEOUT_MS)
    expect((await sending).outcome).toBe('timeout')
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
    const clock = createManualClock()
    const responded = Promise.withResolvers<void>()
    let looks = 0
    const monotonic = () => {
      looks += 1
      // At the start, and when the status is there.
      if (looks === 2) setImmediate(responded.resolve)
      return clock.monotonic()
    }
    const sending = post(senderWith({ clock: { ...clock, monotonic } }), receiver.url)
    await responded.promise
    // Only the one that stalls is cut off by the time limit.
    if (rest.endsWith('half') && !isClosed) clock.advance(TIMEOUT_MS)
    const result = await sending
    expect(result).toMatchObject({ outcome: 'succeeded', status: 200, isBodyCut: true })
    expect(text(result.responseBody)).toBe(read)
    // The duration ends with the status, not with the body.
    expect(result.durationMs).toBe(0)
    await hungUp.promise
  })

  test('that accepts the connection but sends nothing is a connect timeout', async () => {
    const clock = createManualClock()
    const accepted = Promise.withResolvers<void>()
    const port = await listen(createServer(() => accepted.resolve()))
    const sending = post(senderWith({ clock }), `https://127.0.0.1:${port}/`)
    await accepted.promise
    clock.advance(TIMEOUT_MS)
    expect(await sending).toMatchObject({ outcome: 'connect_timeout', durationMs: TIMEOUT_MS })
  })

  test('is disconnected when the attempt is aborted or the sender closed', async () => {
    const receiver = await receiverThat(() => 'never')
    const sender = senderWith()
    const abort = new AbortController()
    const aborted = post(sender, receiver.url, abort.signal)
    const closed = post(sender, receiver.url)
    const asking = senderWith({ resolve: () => new Promise(() => {}) })
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
})
