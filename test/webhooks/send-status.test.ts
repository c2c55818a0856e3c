import { afterEach, describe, expect, test } from 'bun:test'
import { answer, endSending, post, rawReceiverThat, receiverThat, senderWith } from '../support/sending.ts'

afterEach(endSending)

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

  test('informational responses are skipped, and a protocol switch is a failure', async () => {
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
      expect(result).toMatchObject({ outcome: 'redirect', status, detail: `Redirect to ${trap.url}` })
      expect(result.responseHeaders.location).toBe(trap.url)
      expect(trap.connections()).toBe(0)
    },
  )
})
