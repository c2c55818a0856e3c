import { afterEach, describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { createManualClock } from '../support/clock.ts'
import {
  answer,
  endSending,
  hangUp,
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

describe('a receiver that responds with too much or invalid data', () => {
  test('with a gigabyte of body is cut off after 16 KiB', async () => {
    let written = 0
    const hungUp = Promise.withResolvers<void>()
    const chunk = Buffer.alloc(65_536, 'x')
    const receiver = await rawReceiverThat((socket) => {
      socket.on('close', () => hungUp.resolve())
      socket.once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${2 ** 30}\r\n\r\n`)
        const pour = () => {
          while (!socket.destroyed && written < 2 ** 30) {
            written += chunk.length
            if (!socket.write(chunk)) return socket.once('drain', pour)
          }
        }
        pour()
      })
    })
    const result = await post(senderWith({ timeoutMs: 5_000 }), receiver.url)
    // First, so that a failure does not print a gigabyte.
    expect(result.responseBody.byteLength).toBe(16_384)
    expect(result).toMatchObject({ outcome: 'succeeded', isBodyCut: true })
    expect(text(result.responseBody)).toBe('x'.repeat(16_384))
    await hungUp.promise
    expect(written).toBeLessThan(2 ** 25)
  })

  test('with exactly 16 KiB of body is read completely, and its connection is reused', async () => {
    const receiver = await receiverThat(() => ({ body: 'x'.repeat(16_384) }))
    const sender = senderWith()
    expect(await post(sender, receiver.url)).toMatchObject({ isBodyCut: false })
    await post(sender, receiver.url)
    expect(receiver.connections()).toBe(1)
  })

  test('is disconnected when its headers do not end', async () => {
    let written = 0
    const receiver = await rawReceiverThat((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      repeat(socket, 1, () => {
        for (let count = 0; count < 50; count++) socket.write(`x-${written++}: ${'y'.repeat(1_000)}\r\n`)
      })
    })
    const result = await post(senderWith({ timeoutMs: 5_000 }), receiver.url)
    expect(result.outcome).toBe('bad_response')
    expect(written).toBeLessThan(1_000)
  })

  test('is disconnected when its informational responses do not end', async () => {
    const receiver = await rawReceiverThat((socket) => {
      repeat(socket, 1, () => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'))
    })
    expect((await post(senderWith({ timeoutMs: 5_000 }), receiver.url)).outcome).toBe('bad_response')
  })

  test('with a compressed bomb is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000))
    const receiver = await receiverThat(() => ({ headers: { 'Content-Encoding': 'gzip' }, body: bomb }))
    const result = await post(senderWith({ timeoutMs: 5_000 }), receiver.url)
    expect(result.outcome).toBe('succeeded')
    expect(result.responseBody).toEqual(Uint8Array.from(bomb))
  })

  test.each([
    'hello\r\n\r\n',
    '\u0000\u0001\u0002\u0003\r\n\r\n',
    'HTTP/1.1 OK\r\n\r\n',
    'HTTP/9.9.9 200 OK\r\n\r\n',
  ])('is a bad response: %p', async (written) => {
    const receiver = await rawReceiverThat(answer(written))
    expect(await post(senderWith(), receiver.url)).toMatchObject({ outcome: 'bad_response', status: null })
  })

  test('is a bad response when it does not speak TLS', async () => {
    const port = await listen(createServer((socket) => socket.on('error', () => {}).write('SSH-2.0-x\r\n')))
    expect((await post(senderWith(), `https://127.0.0.1:${port}/`)).outcome).toBe('bad_response')
  })

  test.each([
    ['before TLS', () => listen(createServer((socket) => socket.resetAndDestroy()))],
    ['politely before TLS', () => listen(createServer((socket) => socket.end()))],
    ['instead of an answer', async () => (await rawReceiverThat(hangUp)).port],
  ])('is a reset when it hangs up %s', async (_, start) => {
    expect((await post(senderWith(), `https://127.0.0.1:${await start()}/`)).outcome).toBe('reset')
  })
})

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

  test('is disconnected when the sender is closed', async () => {
    const receiver = await receiverThat(() => 'never')
    const sender = senderWith()
    const closed = post(sender, receiver.url)
    const asking = senderWith({ resolve: () => new Promise(() => {}) })
    const resolving = post(asking, 'https://a.test/')
    await receiver.next()
    const closing = sender.close()
    expect((await closed).outcome).toBe('interrupted')
    expect((await post(sender, receiver.url)).outcome).toBe('interrupted')
    expect(receiver.requests).toHaveLength(1)
    await Promise.all([closing, asking.close()])
    expect((await resolving).outcome).toBe('interrupted')
  })
})
