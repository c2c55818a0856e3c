import { afterEach, describe, expect, test } from 'bun:test'
import { endSending, post, receiverThat, senderWith } from '../support/sending.ts'

afterEach(endSending)

describe('an address that is not public', () => {
  test.each(['https://10.0.0.1/', 'https://[::1]/', 'https://0x7f000002/', 'https://[::ffff:127.0.0.1]/'])(
    'is not connected to: %s',
    async (url) => {
      expect(await post(senderWith(), url)).toMatchObject({ outcome: 'blocked_address', durationMs: 0 })
    },
  )

  test('is not connected to when a name resolves to it', async () => {
    const receiver = await receiverThat(() => ({}))
    const sender = senderWith({ allow: [], resolve: async () => ['127.0.0.1', '::1', '169.254.169.254'] })
    const result = await post(sender, `https://hooks.test:${receiver.port}/`)
    expect(result).toMatchObject({
      outcome: 'blocked_address',
      detail: 'hooks.test has no public address.',
    })
    expect(receiver.connections()).toBe(0)
  })

  test('is skipped when a name also resolves to a public one', async () => {
    const receiver = await receiverThat(() => ({}))
    const sender = senderWith({ resolve: async () => ['10.0.0.1', '127.0.0.1'] })
    expect((await post(sender, `https://hooks.test:${receiver.port}/`)).outcome).toBe('succeeded')
  })

  test('is not connected to when the name resolves to it only later', async () => {
    const receiver = await receiverThat(() => ({ headers: { Connection: 'close' } }))
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1']]
    let asked = 0
    const sender = senderWith({ resolve: async () => answers[asked++] ?? [] })
    const url = `https://rebinding.hooks.test:${receiver.port}/`
    expect((await post(sender, url)).outcome).toBe('succeeded')
    // Resolved once for each connection, so the address that was checked is the one connected to.
    expect(asked).toBe(1)
    expect((await post(sender, url)).outcome).toBe('blocked_address')
    expect((await post(sender, url)).outcome).toBe('succeeded')
    expect(receiver.requests).toHaveLength(2)
  })

  test('is connected to when the operator allows the name', async () => {
    const receiver = await receiverThat(() => ({}))
    const sender = senderWith({ allow: ['hooks.test'] })
    expect((await post(sender, `https://hooks.test:${receiver.port}/`)).outcome).toBe('succeeded')
    expect((await post(sender, receiver.url)).outcome).toBe('blocked_address')
  })

  test('is not connected to over http', async () => {
    expect((await post(senderWith(), 'http://127.0.0.1/')).outcome).toBe('blocked_address')
  })
})

describe('a name', () => {
  test.each([
    ['that has no address', async () => []],
    ['that cannot be resolved', () => Promise.reject(new Error('SERVFAIL'))],
    ['whose name server never answers', () => new Promise<string[]>(() => {})],
  ])('%s is a dns error', async (_, resolve) => {
    expect((await post(senderWith({ resolve, timeoutMs: 300 }), 'https://hooks.test/')).outcome).toBe('dns')
  })

  test('is resolved by the system by default', async () => {
    const receiver = await receiverThat(() => ({}))
    const sender = senderWith({ resolve: undefined, allow: ['localhost'], timeoutMs: 5_000 })
    expect((await post(sender, `https://localhost:${receiver.port}/`)).outcome).toBe('succeeded')
  })
})
