import { afterEach, describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import {
  DELIVERY_ERROR_SENTENCES,
  isConnectFailure,
} from '../../server/webhooks/deliveries/delivery-errors.ts'
import { writeCaFile } from '../support/certificates.ts'
import {
  BODY,
  certificates,
  endSending,
  listen,
  post,
  rawReceiverThat,
  receiverThat,
  senderWith,
  text,
} from '../support/sending.ts'

afterEach(endSending)

describe('a delivery', () => {
  test('arrives byte for byte, with its headers and no others', async () => {
    const receiver = await receiverThat(() => ({
      status: 201,
      headers: { 'X-Answer': 'yes' },
      body: 'thanks',
    }))
    const headers = { 'Content-Type': 'application/json', 'X-Service-Delivery': 'dlv_1' }
    const result = await post(senderWith(), `${receiver.url}?a=b&c=%20#fragment`, headers)

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

  test('reuses the connection of the previous one', async () => {
    const receiver = await receiverThat(() => ({ body: 'ok' }))
    const sender = senderWith()
    for (let count = 0; count < 20; count++) await post(sender, receiver.url)
    expect(receiver.requests).toHaveLength(20)
    expect(receiver.connections()).toBe(1)
  })

  test('shares no connection with another endpoint, even at the same address', async () => {
    const receiver = await receiverThat(() => ({ body: 'ok' }))
    const sender = senderWith()
    const endpoints = ['whe_1', 'whe_2', 'whe_1', 'whe_2', 'whe_3', 'whe_3']
    for (const endpointId of endpoints) {
      expect((await post(sender, receiver.url, {}, endpointId)).outcome).toBe('succeeded')
    }
    expect(receiver.connections()).toBe(3)
  })

  test('is repeated on a new connection only when a reused one was closed meanwhile', async () => {
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
    expect(await post(sender, receiver.url)).not.toHaveProperty('detail')
    const detail = expect.stringContaining('sent again on a new one and may have arrived twice.')
    expect(await post(sender, receiver.url)).toMatchObject({ outcome: 'succeeded', detail })
    expect(connections).toBe(2)
    // That connection was not kept, so this one is new.
    const third = await post(sender, receiver.url)
    expect(third).toMatchObject({ outcome: 'reset', detail: 'socket hang up' })
    expect(connections).toBe(3)
  })

  test('stores no cookies', async () => {
    const receiver = await receiverThat(() => ({ headers: { 'Set-Cookie': 'a=b' } }))
    const sender = senderWith()
    await post(sender, receiver.url)
    await post(sender, receiver.url)
    expect(receiver.requests[1]?.headers.cookie).toBeUndefined()
  })
})

test('a closed port is a refused connection, by address and by a name with two addresses', async () => {
  const sender = senderWith({ resolve: async () => ['127.0.0.1', '127.0.0.1'] })
  expect((await post(sender, 'https://127.0.0.1:1/')).outcome).toBe('connect_refused')
  expect((await post(sender, 'https://hooks.test:1/')).outcome).toBe('connect_refused')
})

test('the environment can neither set a proxy nor turn off certificate checks', async () => {
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

test('an endpoint counts as reached when it responded, and as not reached when it did not', () => {
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
