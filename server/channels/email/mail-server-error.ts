import { type ConnectionErrorCode, codeOf, connectionErrorOf } from '../../network/connection-errors.ts'
import { ALLOW_HINT } from './mail-account.ts'

const MAX_WORDS_LENGTH = 300

/** What a session with a mail server stopped at, in the order of a session. "Test connection" shows these steps. */
type MailStep = 'name' | 'connection' | 'tls' | 'sign_in' | 'folder' | 'session'

type MailErrorCode =
  | ConnectionErrorCode
  /** The server doesn't offer STARTTLS, or someone in between removed the offer. */
  | 'tls_missing'
  /** No TLS on this port. */
  | 'tls_failed'
  /** TLS from the first byte on this port, where STARTTLS was chosen. */
  | 'tls_expected'
  /** The port is for another protocol. */
  | 'wrong_protocol'
  | 'sign_in_refused'
  /** The server can't check the sign-in now. */
  | 'sign_in_unavailable'
  | 'folder_missing'
  /** The server said no to the session or to a command. */
  | 'rejected'
  | 'timeout'
  | 'reset'
  | 'bad_response'
  /** The session was closed on this side. */
  | 'interrupted'

/** With TLS, as RFC 8314 recommends. */
const USUAL_PORTS = { IMAP: '993', SMTP: '465' }

const STEPS: Record<MailErrorCode, MailStep> = {
  dns: 'name',
  blocked_address: 'name',
  connect_refused: 'connection',
  connect_timeout: 'connection',
  tls_expired: 'tls',
  tls_untrusted: 'tls',
  tls_name: 'tls',
  tls_missing: 'tls',
  tls_failed: 'tls',
  tls_expected: 'tls',
  wrong_protocol: 'connection',
  sign_in_refused: 'sign_in',
  sign_in_unavailable: 'sign_in',
  folder_missing: 'folder',
  rejected: 'session',
  timeout: 'session',
  reset: 'session',
  bad_response: 'session',
  interrupted: 'session',
}

interface Place {
  host: string
  port: number
  folder?: string | undefined
  /** For `wrong_protocol`: what is needed here, and what the server speaks. */
  protocol?: 'IMAP' | 'SMTP'
  spoken?: 'IMAP' | 'SMTP' | 'POP3'
}

/** A problem of a mailbox with its server. The message is a sentence for an administrator. */
export class MailServerError extends Error {
  override name = 'MailServerError'
  readonly step: MailStep

  constructor(
    readonly code: MailErrorCode,
    place: Place,
    /** What the server said, in one line; null when it said nothing. */
    readonly words: string | null = null,
    cause?: unknown,
  ) {
    super(sentence(code, place, words), { cause })
    this.step = STEPS[code]
  }
}

/** The error for a connection that could not be opened, or broke before the sign-in. */
export function connectionFailure(failure: Error, place: Place): MailServerError {
  const known = connectionErrorOf(failure)
  if (known) return new MailServerError(known, place, null, failure)
  const code = codeOf(failure)
  const isTls = code.startsWith('ERR_SSL_') || code === 'EPROTO'
  return new MailServerError(isTls ? 'tls_failed' : 'reset', place, null, failure)
}

/**
 * A server's reply as one line without control characters and without the repeated codes of a multiline reply. At most
 * 300 characters.
 */
export function wordsOf(reply: string): string {
  const [first = '', ...others] = reply.split(/\r?\n/)
  const code = /^(\d{3})[ -](\d\.\d{1,3}\.\d{1,3} )?/.exec(first)
  const lines = others.map((line) => line.replace(/^\d{3}[ -](?:\d\.\d{1,3}\.\d{1,3}(?: |$))?/, ''))
  const start = code ? `${code[1]} ${code[2] ?? ''}${first.slice(code[0].length)}` : first
  const text = [start, ...lines].join(' ').replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
  return text.trim().slice(0, MAX_WORDS_LENGTH)
}

/**
 * Whether the text of a refused sign-in describes a temporary fault of the server. Some servers have no code for that.
 */
export function soundsTemporary(words: string): boolean {
  return /\btemporar|try(?:ing)? (?:again|later)|(?:server|service|system) (?:is )?(?:busy|unavailable)|too many|rate limit/i.test(
    words,
  )
}

function sentence(code: MailErrorCode, place: Place, words: string | null): string {
  const { host, port, folder, protocol = 'IMAP', spoken = 'SMTP' } = place
  const said = words ? `: ${words.replace(/\.$/, '')}.` : '.'
  switch (code) {
    case 'dns':
      return `${host} couldn't be found. Check the name of the server.`
    case 'blocked_address':
      return `${host} has no public address. ${ALLOW_HINT}`
    case 'connect_refused':
      return `${host} doesn't accept connections on port ${port}. Check the port.`
    case 'connect_timeout':
      return `${host} doesn't respond on port ${port}. Check the port, and firewalls in between.`
    case 'tls_expired':
      return `The certificate of ${host} has expired or is not valid yet.`
    case 'tls_untrusted':
      return `The certificate of ${host} is not from an authority that this server trusts. To trust your own authority, set BELLHOP_MAIL_CA.`
    case 'tls_name':
      return `The certificate of ${host} is for another name. Enter the name that it was issued for.`
    case 'tls_missing':
      return `${host} doesn't offer STARTTLS on port ${port}. Bellhop sends nothing without encryption.`
    case 'tls_failed':
      return `${host} doesn't use TLS on port ${port}. Try STARTTLS, or another port.`
    case 'tls_expected':
      return 'This port expects TLS. Choose TLS instead of STARTTLS.'
    case 'wrong_protocol':
      return `This is ${spoken === 'POP3' ? 'a' : 'an'} ${spoken} server: use port ${USUAL_PORTS[protocol]} for ${protocol}.`
    case 'sign_in_refused':
      return `${host} refused the sign-in${said}`
    case 'sign_in_unavailable':
      return `${host} couldn't check the sign-in${said}`
    case 'folder_missing':
      return `${host} has no folder "${folder ?? ''}".`
    case 'rejected':
      return `${host} answered${said}`
    case 'timeout':
      return `${host} stopped responding.`
    case 'reset':
      return `${host} closed the connection.`
    case 'bad_response':
      return `${host} sent something that Bellhop doesn't understand${said}`
    case 'interrupted':
      return `Bellhop closed the connection to ${host}, for example during a restart.`
  }
}
