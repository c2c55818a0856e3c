import { describe, expect, test } from 'bun:test'
import {
  messageIdOf,
  messageIdsIn,
  messageToken,
  ownMessageIdsIn,
  referencesTo,
} from '../../server/channels/email/message-id.ts'
import { createEncryption } from '../../server/encryption.ts'
import { createId } from '../../server/ids.ts'

const signer = createEncryption('a secret for this test')
const first = createId('msg', 1_770_000_000_000)
const second = createId('msg', 1_770_000_000_001)
const own = messageIdOf(signer, first, 'example.com')

describe('the Message-ID of a message', () => {
  test('names the message, with a signature, under the domain of the mailbox', () => {
    expect(own).toMatch(new RegExp(`^<${first}\\.[0-9a-z]{16}@example\\.com>$`))
    expect(messageIdOf(signer, first, 'bücher.example')).toEndWith('@xn--bcher-kva.example>')
  })

  test('leads back to the message from In-Reply-To and References, in their order', () => {
    const references = `<one@customer.example>\r\n ${messageIdOf(signer, second, 'example.com')}\t${own}`
    expect(ownMessageIdsIn(signer, own, references)).toEqual([first, second])
  })

  test('is known in upper case and as the token of a header', () => {
    expect(ownMessageIdsIn(signer, own.toUpperCase())).toEqual([first])
    expect(ownMessageIdsIn(signer, messageToken(signer, first))).toEqual([first])
  })

  test.each([
    ['another signature', own.replace(/\.[0-9a-z]{4}/, '.0000')],
    [
      'the signature of another message',
      `<${first}.${messageToken(signer, second).split('.')[1]}@example.com>`,
    ],
    ['no signature', `<${first}@example.com>`],
    ['another secret', messageIdOf(createEncryption('another secret of a test'), first, 'example.com')],
  ])('with %s is a stranger’s', (_, header) => {
    expect(ownMessageIdsIn(signer, header)).toEqual([])
  })
})

describe('the references of an answer', () => {
  test('are those of the mail, then the mail, each once', () => {
    const references = ['<a@x.test>', '<b@x.test>', '<a@x.test>']
    expect(referencesTo({ messageId: '<c@x.test>', references })).toEqual([
      '<a@x.test>',
      '<b@x.test>',
      '<c@x.test>',
    ])
  })

  test('stay within 1,500 characters: the one that began the conversation, and the newest', () => {
    const references = Array.from({ length: 1_000 }, (_, n) => `<${n}@customer.example>`)
    const kept = referencesTo({ messageId: '<last@customer.example>', references })
    expect(kept.join(' ').length).toBeLessThanOrEqual(1_500)
    expect(kept.join(' ').length).toBeGreaterThan(1_400)
    expect(kept[0]).toBe('<0@customer.example>')
    expect(kept.slice(-2)).toEqual(['<999@customer.example>', '<last@customer.example>'])
  })

  test('hold nothing that is not a message id', () => {
    const references = ['<a@x.test>\r\nBcc: <evil@x.test>', 'word', '<ü@x.test>', `<${'x'.repeat(2_000)}@x>`]
    expect(referencesTo({ messageId: 'none', references })).toEqual(['<a@x.test>', '<evil@x.test>'])
    expect(messageIdsIn('<a@b> text <c\r\n@d> <<e@f>>')).toEqual(['<a@b>', '<e@f>'])
  })
})
