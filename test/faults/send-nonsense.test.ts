import { afterEach, describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
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
