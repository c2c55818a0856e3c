import { describe, expect, test } from 'bun:test'
import {
  isTokenOf,
  replyAddress,
  tokensInAddresses,
  tokensInSubject,
  withoutSubjectToken,
  withSubjectToken,
} from '../../server/channels/email/reply-address.ts'
import { createEncryption } from '../../server/encryption.ts'
import { createId } from '../../server/ids.ts'

const signer = createEncryption('a secret for this test')
const ticket = createId('tkt', 1_770_000_000_000)
const address = replyAddress(signer, 'support@example.com', ticket)

describe('the address for replies', () => {
  test('is the address of the mailbox with a token of 22 lowercase letters and digits', () => {
    expect(address).toMatch(/^support\+[0-9a-z]{22}@example\.com$/)
    expect(address).toContain(`+${ticket.slice(-6)}`)
  })

  test.each([
    ['alone', address],
    ['in angle brackets with a name', `"Support, Inc" <${address}>`],
    ['among others', `ana@example.org, Support <${address}>, bob@example.org`],
    ['in upper case', address.toUpperCase()],
    ['under another domain of the mailbox', address.replace('example.com', 'mail.example.net')],
  ])('is found %s and leads to its ticket', (_, header) => {
    const [token, ...others] = tokensInAddresses([header])
    expect(others).toEqual([])
    expect(token?.handle).toBe(ticket.slice(-6))
    expect(token && isTokenOf(signer, token, ticket)).toBe(true)
  })

  test('is found once, whichever headers name it', () => {
    const tokens = tokensInAddresses(['support@example.com', address, `Support <${address}>`])
    expect(tokens).toHaveLength(1)
  })

  test('leads to no other ticket with the same handle', () => {
    const twin = `${createId('tkt', 1_780_000_000_000).slice(0, -6)}${ticket.slice(-6)}`
    const [token] = tokensInAddresses([address])
    expect(token && isTokenOf(signer, token, twin)).toBe(false)
  })

  test('with a changed character leads nowhere', () => {
    const last = address.indexOf('@') - 1
    for (let at = address.indexOf('+') + 1; at <= last; at++) {
      const changed = `${address.slice(0, at)}${address[at] === 'a' ? 'b' : 'a'}${address.slice(at + 1)}`
      const [token] = tokensInAddresses([changed])
      expect(token && isTokenOf(signer, token, ticket)).toBe(false)
    }
  })

  test.each(['support@example.com', 'support+news@example.com', '+@', '', 'support+ @example.com'])(
    '%p has no token',
    (header) => {
      expect(tokensInAddresses([header])).toEqual([])
    },
  )
})

describe('the token in a subject', () => {
  const subject = withSubjectToken(signer, 'Re: Broken lamp', ticket)

  test('is taken out and put in once, and the token of another desk stays', () => {
    const other = withSubjectToken(createEncryption('another secret of a test'), 'Broken lamp', ticket)
    const both = withSubjectToken(signer, other, ticket)
    expect(withSubjectToken(signer, both, ticket)).toBe(both)
    expect(withoutSubjectToken(signer, both, ticket)).toBe(other)
    expect(withoutSubjectToken(signer, `Re: ${subject.toUpperCase()} (was: lamp)`, ticket)).toBe(
      'Re: RE: BROKEN LAMP (was: lamp)',
    )
  })

  test('is not the handle alone, which anybody can write', () => {
    expect(tokensInSubject(`Re: [#${ticket.slice(-6)}] Broken lamp`)).toEqual([])
  })
})
