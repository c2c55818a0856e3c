import type { ImapFlowError } from 'imapflow'
import { codeOf } from '../../../network/connection-errors.ts'
import type { MailAccount } from '../mail-account.ts'
import { connectionFailure, MailServerError, soundsTemporary, wordsOf } from '../mail-server-error.ts'

/** Response codes (RFC 5530) of a server that can't check a sign-in now. */
const UNAVAILABLE = ['UNAVAILABLE', 'SERVERBUG', 'INUSE', 'LIMIT']
const MISSING_FOLDER = ['NONEXISTENT', 'TRYCREATE']

const BY_CODE = new Map<string, MailServerError['code']>([
  ['CONNECT_TIMEOUT', 'connect_timeout'],
  ['GREETING_TIMEOUT', 'timeout'],
  ['UPGRADE_TIMEOUT', 'timeout'],
  ['ETIMEOUT', 'timeout'],
  ['NoConnection', 'reset'],
  ['EConnectionClosed', 'reset'],
  ['StateLogout', 'reset'],
  ['ClosedAfterConnectText', 'reset'],
  ['ClosedAfterConnectTLS', 'reset'],
  // The mail may still exist. The next session finds out.
  ['DownloadIncomplete', 'reset'],
  ['STARTTLS_INJECTION', 'tls_failed'],
  ['ETHROTTLE', 'rejected'],
])
/** The library could not read what the server sent. */
const UNREADABLE =
  /^(?:Parser|Invalid|MAX_IMAP|LineToo|LiteralToo|ResponseToo|ResponseProcessing|UnexpectedTag)/

/** An error of the library as a problem of the mailbox. `folder` is the one that the command was about. */
export function imapFailure(error: ImapFlowError, account: MailAccount, folder?: string): MailServerError {
  if (error instanceof MailServerError) return error
  const place = { host: account.host, port: account.port, folder }
  const fail = (code: MailServerError['code']) => new MailServerError(code, place, wordsIn(error), error)
  const { serverResponseCode = '' } = error
  if (error.authenticationFailed) {
    const isTemporary = UNAVAILABLE.includes(serverResponseCode) || soundsTemporary(wordsIn(error) ?? '')
    return fail(isTemporary ? 'sign_in_unavailable' : 'sign_in_refused')
  }
  if (error.mailboxMissing || MISSING_FOLDER.includes(serverResponseCode)) return fail('folder_missing')
  const code = codeOf(error)
  const known = BY_CODE.get(code)
  if (known) return fail(known)
  if (error.tlsFailed && !code) return fail('tls_missing')
  if (error.responseStatus) return fail('rejected')
  return UNREADABLE.test(code) ? fail('bad_response') : connectionFailure(error, place)
}

/** The server's own text, from a refused command or from its BYE. */
function wordsIn({ responseText, response, reason, authenticationFailed }: ImapFlowError): string | null {
  const refused = responseText ?? (authenticationFailed && typeof response === 'string' ? response : reason)
  return wordsOf(refused ?? '') || null
}
