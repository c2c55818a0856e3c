import type { Deps } from '../../../deps.ts'
import type { Dialer } from '../../../network/dial.ts'
import type { MailAccount, MailAuth } from '../mail-account.ts'
import { accessTokenOf } from '../oauth/oauth-tokens.ts'
import { TokenError } from '../oauth/token-request.ts'
import { type Mailbox, signInSentence } from './mailbox-rows.ts'

/**
 * A server of a mailbox, and how to sign in there: with a password, or with a token that is renewed when needed or older
 * than `maxTokenAgeMs`. Without tokens, signing in fails with `TokenError`.
 */
export function mailAccountOf(
  deps: Deps,
  dialer: Dialer,
  mailbox: Mailbox,
  side: 'imap' | 'smtp',
  { maxTokenAgeMs: maxAgeMs }: { maxTokenAgeMs?: number } = {},
): MailAccount {
  const { user, ...server } = mailbox[side]
  if (mailbox.signIn === 'password') return { ...server, auth: passwordOf(deps, mailbox, side) }
  const accessToken = async () => {
    // Tokens are bound to the servers that are stored.
    if (!mailbox.tokens) throw new TokenError('refused', signInSentence(mailbox.signIn))
    return accessTokenOf(deps, dialer, mailbox, maxAgeMs === undefined ? {} : { maxAgeMs })
  }
  return { ...server, auth: { method: 'oauth2', user, accessToken } }
}

function passwordOf(deps: Deps, mailbox: Mailbox, side: 'imap' | 'smtp'): MailAuth | null {
  const { imapPassword, smtpPassword, id } = mailbox
  const { user } = mailbox[side]
  const encrypted = side === 'smtp' ? (smtpPassword ?? imapPassword) : imapPassword
  if (user === '' || !encrypted) return null
  return { method: 'password', user, password: deps.encryption.decrypt(encrypted, id) }
}
