import { afterEach, describe, expect, test } from 'bun:test'
import { createServer, type Server, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { systemClock } from '../../server/clock.ts'
import { DELIVERY_ERROR_SENTENCES, isConnectFailure } from '../../server/webhooks/delivery-errors.ts'
import type { Resolve } from '../../server/webhooks/dial.ts'
import { createAddressPolicy } from '../../server/webhooks/public-address.ts'
import { createSender, type Sender } from '../../server/webhooks/send.ts'
import { type Certificates, makeCertificates, writeCaFile } from '../support/certificates.ts'
import { type Respond, startRawReceiver, startReceiver } from '../support/receiver.ts'

const TIMEOUT_MS = 300
const BODY = new TextEncoder().encode('{"event":"ticket.created","data":{"subject":"Grüße 🛎️"}}')
const certificates = await makeCertificates()
const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

describe('a delivery', () => {
  test('arrives byte for byte, with its headers and nothing that was not asked for', async () => {
    const receiver = await receiverThat(() => ({
      status: 201,
      headers: { 'X-Answer': 'yes' },
      body: 'thanks',
    }))
    const result = await senderWith().send({
      url: `${receiver.url}?a=b&c=%20#fragment`,
      headers: { 'Content-Type': 'application/json', 'X-Service-Delivery': 'dlv_1' },
      body: BODY,
    })

    expect(result).toMatchObject({ outcome: 'succeeded', status: 201, isBodyCut: false })
    expect(result.responseHeaders['x-answer']).toBe('yes')
    expect(text(result.responseBody)).toBe('thanks')
    expect(receiver.requests).toHaveLength(1)
    const [request] = receiver.requests
    expect(request).toMatchObject({ method: 'POST', path: '/hook?a=b&c=%20', body: BODY })
    expect(request?.headers).toEqual({
      'accept-encoding': 'identity',
      connection: 'keep-alive',
      'content-length': String(BODY.byteLength),
      'content-type': 'application/json',
      host: `127.0.0.1:${receiver.port}`,
      'x-service-delivery': 'dlv_1',
    })
  })

  test('uses the connection of the one before it', async () => {
    const receiver = await receiverThat(() => ({ body: 'ok' }))
    const sender = senderWith()
    for (let count = 0; count < 20; count++) await post(sender, receiver.url)
    expect(receiver.requests).toHaveLength(20)
    expect(receiver.connections()).toBe(1)
  })

  test('goes again on a new connection when a kept one was closed meanwhile, and only then', async () => {
    let connections = 0
    const receiver = await rawReceiverThat((socket) => {
      const number = connections++
      let requests = 0
      socket.on('data', () => {
        if (number === 2 || requests++ > 0) socket.destroy()
        else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
      })
    })
    const sender = senderWith()
    expect((await post(sender, receiver.url)).outcome).toBe('succeeded')
    expect((await post(sender, receiver.url)).outcome).toBe('succeeded')
    expect(connections).toBe(2)
    expect((await post(sender, receiver.url)).outcome).toBe('reset')
    expect(connections).toBe(3)
  })

  test('is repeated once at most, however many kept connections were closed', async () => {
    let requests = 0
    const receiver = await rawReceiverThat((socket) => {
      let isUsed = false
      socket.on('data', () => {
        requests++
        if (isUsed) return socket.destroy()
        isUsed = true
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
      })
    })
    const sender = senderWith()
    await Promise.all([1, 2, 3].map(() => post(sender, receiver.url)))
    expect((await post(sender, receiver.url)).outcome).toBe('succeeded')
    expect(requests).toBe(5)
  })

  test('keeps no cookie', async () => {
    const receiver = await receiverThat(() => ({ headers: { 'Set-Cookie': 'a=b' } }))
    const sender = senderWith()
    await post(sender, receiver.url)
    await post(sender, receiver.url)
    expect(receiver.requests[1]?.headers.cookie).toBeUndefined()
  })
})

describe('the status decides', () => {
  test.each([
    [200, 'succeeded'],
    [204, 'succeeded'],
    [299, 'succeeded'],
    [304, 'redirect'],
    [400, 'http_4xx'],
    [410, 'http_4xx'],
    [500, 'http_5xx'],
    [599, 'http_5xx'],
    [600, 'bad_response'],
    [700, 'bad_response'],
  ] as const)('%p is %p', async (status, outcome) => {
    const receiver = await rawReceiverThat(answer(`HTTP/1.1 ${status} Whatever\r\ncontent-length: 0\r\n\r\n`))
    expect(await post(senderWith(), receiver.url)).toMatchObject({ outcome, status })
  })

  test('an interim answer is passed over, and a switch of protocols is none', async () => {
    const early = await rawReceiverThat(
      answer('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
    )
    expect((await post(senderWith(), early.url)).outcome).toBe('succeeded')
    const upgrade = await rawReceiverThat(
      answer('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    )
    expect((await post(senderWith(), upgrade.url)).outcome).toBe('bad_response')
  })

  test.each([
    [429, '7', 7_000],
    [503, '1', 1_000],
    [503, 'nonsense', undefined],
    [500, '7', undefined],
  ])('%p with Retry-After %p asks for %p milliseconds', async (status, value, expected) => {
    const receiver = await receiverThat(() => ({ status, headers: { 'Retry-After': value } }))
    expect((await post(senderWith(), receiver.url)).retryAfterMs).toBe(expected)
  })

  test.each([300, 301, 302, 303, 307, 308])(
    '%p is not followed, and its Location is kept',
    async (status) => {
      const trap = await receiverThat(() => ({}))
      const receiver = await receiverThat(() => ({ status, headers: { Location: trap.url } }))
      const result = await post(senderWith(), receiver.url)
      expect(result).toMatchObject({ outcome: 'redirect', status, detail: `It pointed to ${trap.url}` })
      expect(result.responseHeaders.location).toBe(trap.url)
      expect(trap.connections()).toBe(0)
    },
  )
})

describe('a slow receiver', () => {
  test('that never answers is a timeout', async () => {
    const receiver = await receiverThat(() => 'never')
    const result = await post(senderWith(), receiver.url)
    expect(result).toMatchObject({ outcome: 'timeout', status: null })
    expectTimeout(result.durationMs)
  })

  test('that answers in time is none', async () => {
    const receiver = await receiverThat(() => ({ delayMs: 100 }))
    expect((await post(senderWith(), receiver.url)).outcome).toBe('succeeded')
  })

  test('that trickles its headers is a timeout', async () => {
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

  test('that accepts the connection and says nothing was not reached in time', async () => {
    const port = await listen(createServer())
    const result = await post(senderWith(), `https://127.0.0.1:${port}/`)
    expect(result.outcome).toBe('connect_timeout')
    expectTimeout(result.durationMs)
  })

  test('is not waited for any longer when the attempt is aborted or the sender closed', async () => {
    const receiver = await receiverThat(() => 'never')
    const sender = senderWith({ timeoutMs: 60_000 })
    const abort = new AbortController()
    const aborted = post(sender, receiver.url, abort.signal)
    const closed = post(sender, receiver.url)
    const resolving = post(
      senderWith({ timeoutMs: 60_000, resolve: () => new Promise(() => {}) }),
      'https://a.test/',
    )
    await receiver.next()
    await receiver.next()
    abort.abort()
    expect((await aborted).outcome).toBe('interrupted')
    sender.close()
    expect((await closed).outcome).toBe('interrupted')
    expect((await post(sender, receiver.url)).outcome).toBe('interrupted')
    expect(receiver.requests).toHaveLength(2)
    cleanups.pop()?.()
    expect((await resolving).outcome).toBe('interrupted')
  })

  test('does not slow down a healthy one, not even 400 of them', async () => {
    const hanging = await receiverThat(() => 'never')
    const healthy = await receiverThat(() => ({}))
    const sender = senderWith({ timeoutMs: 60_000 })
    const alone = await medianLatency(sender, healthy.url)
    const stuck = Array.from({ length: 400 }, () => post(sender, hanging.url))
    for (let count = 0; count < 400; count++) await hanging.next()

    const beside = await medianLatency(sender, healthy.url)
    // Waiting behind the 400 would take a minute; the 20 ms are for a busy machine.
    expect(beside).toBeLessThan(2 * alone + 20)
    sender.close()
    expect(new Set((await Promise.all(stuck)).map(({ outcome }) => outcome))).toEqual(
      new Set(['interrupted']),
    )
  }, 15_000)
})

describe('a receiver that answers too much or nonsense', () => {
  test('has a gigabyte of body cut after 16 KiB', async () => {
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

  test('has exactly 16 KiB of body read whole, and its connection kept', async () => {
    const receiver = await receiverThat(() => ({ body: 'x'.repeat(16_384) }))
    const sender = senderWith()
    expect(await post(sender, receiver.url)).toMatchObject({ isBodyCut: false })
    await post(sender, receiver.url)
    expect(receiver.connections()).toBe(1)
  })

  test('is hung up on when its headers do not end', async () => {
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

  test('is hung up on when its interim answers do not end', async () => {
    const receiver = await rawReceiverThat((socket) => {
      repeat(socket, 1, () => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'))
    })
    expect((await post(senderWith({ timeoutMs: 5_000 }), receiver.url)).outcome).toBe('bad_response')
  })

  test('has a compressed bomb left compressed', async () => {
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

describe('a certificate', () => {
  test.each([
    ['expired', 'tls_expired'],
    ['notYetValid', 'tls_expired'],
    ['wrongName', 'tls_name'],
    ['selfSigned', 'tls_untrusted'],
    ['otherAuthority', 'tls_untrusted'],
  ] as const)('that is %s ends the attempt as %s before anything is sent', async (kind, outcome) => {
    const receiver = await receiverThat(() => ({}), certificates[kind])
    const sender = senderWith()
    expect(await post(sender, receiver.url)).toMatchObject({ outcome, status: null })
    expect(await post(sender, `https://a.hooks.test:${receiver.port}/`)).toMatchObject({ outcome })
    expect(receiver.requests).toHaveLength(0)
  })

  test('of a private authority is refused unless the authority is trusted', async () => {
    const receiver = await receiverThat(() => ({}))
    expect((await post(senderWith({ ca: undefined }), receiver.url)).outcome).toBe('tls_untrusted')
  })

  test('of the second authority in the file is good as well', async () => {
    const receiver = await receiverThat(() => ({}))
    const ca = `# two of them\n${certificates.selfSigned.cert}\n${certificates.ca}`
    expect((await post(senderWith({ ca }), receiver.url)).outcome).toBe('succeeded')
  })

  test('that cannot be read stops the start', () => {
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'
    expect(() => senderWith({ ca: 'nothing' })).toThrow()
    expect(() => senderWith({ ca: broken })).toThrow()
  })
})

describe('an address that is not public', () => {
  test.each(['https://10.0.0.1/', 'https://[::1]/', 'https://0x7f000002/', 'https://[::ffff:127.0.0.1]/'])(
    'is not dialled as it stands: %s',
    async (url) => {
      expect(await post(senderWith(), url)).toMatchObject({ outcome: 'blocked_address', durationMs: 0 })
    },
  )

  test('is not dialled when a name leads to it', async () => {
    const receiver = await receiverThat(() => ({}))
    const sender = senderWith({ allow: [], resolve: async () => ['127.0.0.1', '::1', '169.254.169.254'] })
    const result = await post(sender, `https://hooks.test:${receiver.port}/`)
    expect(result).toMatchObject({
      outcome: 'blocked_address',
      detail: 'hooks.test leads to no public address.',
    })
    expect(receiver.connections()).toBe(0)
  })

  test('is left out when a name leads to a good one as well', async () => {
    const receiver = await receiverThat(() => ({}))
    const sender = senderWith({ resolve: async () => ['10.0.0.1', '127.0.0.1'] })
    expect((await post(sender, `https://hooks.test:${receiver.port}/`)).outcome).toBe('succeeded')
  })

  test('is not dialled when the name leads to it only later', async () => {
    const receiver = await receiverThat(() => ({ headers: { Connection: 'close' } }))
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1']]
    let asked = 0
    const sender = senderWith({ resolve: async () => answers[asked++] ?? [] })
    const url = `https://rebinding.hooks.test:${receiver.port}/`
    expect((await post(sender, url)).outcome).toBe('succeeded')
    // Asked once for one dial: there is no second answer that could differ from the checked one.
    expect(asked).toBe(1)
    expect((await post(sender, url)).outcome).toBe('blocked_address')
    expect((await post(sender, url)).outcome).toBe('succeeded')
    expect(receiver.requests).toHaveLength(2)
  })

  test('is dialled when the operator allows the name', async () => {
    const receiver = await receiverThat(() => ({}))
    const sender = senderWith({ allow: ['hooks.test'] })
    expect((await post(sender, `https://hooks.test:${receiver.port}/`)).outcome).toBe('succeeded')
    expect((await post(sender, receiver.url)).outcome).toBe('blocked_address')
  })

  test('is not dialled over http at all', async () => {
    expect((await post(senderWith(), 'http://127.0.0.1/')).outcome).toBe('blocked_address')
  })
})

describe('a name', () => {
  test.each([
    ['that has no address', async () => []],
    ['that cannot be resolved', () => Promise.reject(new Error('SERVFAIL'))],
    ['whose name server never answers', () => new Promise<string[]>(() => {})],
  ])('%s is a dns error', async (_, resolve) => {
    expect((await post(senderWith({ resolve }), 'https://hooks.test/')).outcome).toBe('dns')
  })

  test('is resolved by the system unless told otherwise', async () => {
    const receiver = await receiverThat(() => ({}))
    const sender = senderWith({ resolve: undefined, allow: ['localhost'], timeoutMs: 5_000 })
    expect((await post(sender, `https://localhost:${receiver.port}/`)).outcome).toBe('succeeded')
  })
})

test('a closed port is a refused connection, by address and by a name with two', async () => {
  const sender = senderWith({ resolve: async () => ['127.0.0.1', '127.0.0.1'] })
  expect((await post(sender, 'https://127.0.0.1:1/')).outcome).toBe('connect_refused')
  expect((await post(sender, 'https://hooks.test:1/')).outcome).toBe('connect_refused')
})

test('a proxy in the environment sees nothing, and neither can the environment switch certificates off', async () => {
  let seen = 0
  const proxy = `http://127.0.0.1:${await listen(createServer(() => seen++))}`
  const receiver = await receiverThat(() => ({}))
  const bad = await receiverThat(() => ({}), certificates.selfSigned)
  const caFile = await writeCaFile()
  const run = async (port: number) => {
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
    const child = Bun.spawn(
      [process.execPath, `${import.meta.dir}/../support/send-once.ts`, `https://hooks.test:${port}/`, caFile],
      {
        env: {
          ...Object.fromEntries(names.map((name) => [name, proxy])),
          NODE_USE_ENV_PROXY: '1',
          NODE_TLS_REJECT_UNAUTHORIZED: '0',
        },
        stderr: 'ignore',
      },
    )
    return (await new Response(child.stdout).text()).trim()
  }
  expect(await Promise.all([run(receiver.port), run(bad.port)])).toEqual(['succeeded', 'tls_untrusted'])
  expect(receiver.requests).toHaveLength(1)
  expect(seen).toBe(0)
})

test('an endpoint counts as not reached when nothing answered, and as reached when something did', () => {
  const words = Object.keys(DELIVERY_ERROR_SENTENCES) as (keyof typeof DELIVERY_ERROR_SENTENCES)[]
  expect(words.filter((word) => !isConnectFailure(word))).toEqual([
    'reset',
    'bad_response',
    'redirect',
    'http_4xx',
    'http_5xx',
    'interrupted',
  ])
})

function senderWith(
  given: {
    allow?: string[]
    timeoutMs?: number
    ca?: string | undefined
    resolve?: Resolve | undefined
  } = {},
): Sender {
  const { allow = ['127.0.0.1'], timeoutMs = TIMEOUT_MS } = given
  const resolve = 'resolve' in given ? given.resolve : async () => ['127.0.0.1']
  const sender = createSender({
    clock: systemClock,
    policy: createAddressPolicy(allow),
    timeoutMs,
    ca: 'ca' in given ? given.ca : certificates.ca,
    ...(resolve && { resolve }),
  })
  cleanups.push(() => sender.close())
  return sender
}

async function receiverThat(respond: Respond, cert: Certificates['valid'] = certificates.valid) {
  const receiver = await startReceiver({ respond, cert })
  cleanups.push(() => receiver.stop())
  return receiver
}

async function rawReceiverThat(onSocket: (socket: TLSSocket) => void) {
  const receiver = await startRawReceiver(onSocket)
  cleanups.push(() => receiver.stop())
  return receiver
}

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('no port')
  return address.port
}

function post(sender: Sender, url: string, signal?: AbortSignal) {
  return sender.send({ url, headers: {}, body: BODY, ...(signal && { signal }) })
}

function answer(written: string) {
  return (socket: TLSSocket) => socket.once('data', () => socket.write(written))
}

function hangUp(socket: TLSSocket): void {
  socket.once('data', () => socket.destroy())
}

function repeat(socket: TLSSocket, everyMs: number, call: () => void): void {
  const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : call()), everyMs)
}

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

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
