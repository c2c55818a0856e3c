import { afterEach, describe, expect, test } from 'bun:test'
import { certificates, endSending, post, receiverThat, senderWith } from '../support/sending.ts'

afterEach(endSending)

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

  test('of a private authority is rejected unless the authority is trusted', async () => {
    const receiver = await receiverThat(() => ({}))
    expect((await post(senderWith({ ca: undefined }), receiver.url)).outcome).toBe('tls_untrusted')
  })

  test('of the second authority in the file is accepted', async () => {
    const receiver = await receiverThat(() => ({}))
    const ca = `# two of them\n${certificates.selfSigned.cert}\n${certificates.ca}`
    expect((await post(senderWith({ ca }), receiver.url)).outcome).toBe('succeeded')
  })

  test('that cannot be parsed stops the start', () => {
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'
    expect(() => senderWith({ ca: 'nothing' })).toThrow()
    expect(() => senderWith({ ca: broken })).toThrow()
  })
})
