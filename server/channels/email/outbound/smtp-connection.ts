import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { SMTPError } from 'nodemailer/lib/smtp-connection'
import { codeOf } from '../../../network/connection-errors.ts'
import type { MailAccount, MailAuth, MailDeps } from '../mail-account.ts'
import { connectionFailure, MailServerError, soundsTemporary, wordsOf } from '../mail-server-error.ts'

const MAX_DIAL_MS = 30_000
/** For greeting, STARTTLS, and sign-in together. Some servers wait on purpose before they greet. */
const MAX_SETUP_MS = 90_000
/** The library's own limits use the system's clock. These are never reached. */
const NO_LIMIT_MS = 3_600_000

/** Why an exchange ended from this side. */
export class ExchangeStopped extends Error {
  override name = 'ExchangeStopped'
  constructor(readonly code: 'timeout' | 'interrupted') {
    super(`The exchange was stopped: ${code}.`)
  }
}

/** Has the shape of the library's callbacks. */
type Done<T> = (error: Error | null | undefined, value?: T) => void

/**
 * Waits for one exchange with the account: until `done` is called, the connection fails, or the time runs out. Then the
 * connection is closed. `start` can call `extend` to get that much time from now.
 */
export function exchange<T>(
  { clock }: Pick<MailDeps, 'clock'>,
  smtp: SMTPConnection,
  milliseconds: number,
  start: (done: Done<T>, extend: (milliseconds: number) => void) => void,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    let cancelTimer = () => {}
    const done: Done<T> = (error, value) => {
      cancelTimer()
      smtp.off('error', done)
      smtp.off('end', onEnd)
      if (error) reject(error)
      else resolve(value)
    }
    // Delayed, because the library closes the connection first and then reports why.
    const onEnd = () => queueMicrotask(() => done(new ExchangeStopped('interrupted')))
    const extend = (more: number) => {
      cancelTimer()
      cancelTimer = clock.after(more, () => {
        done(new ExchangeStopped('timeout'))
        smtp.close()
      })
    }
    smtp.on('error', done)
    smtp.on('end', onEnd)
    extend(milliseconds)
    start(done, extend)
  })
}

/** `offersUtf8`: the server takes addresses with letters beyond ASCII before the `@` (RFC 6531). */
interface OpenSmtp {
  smtp: SMTPConnection
  offersUtf8: boolean
}

/**
 * Connects to a mail server, under the address policy and with TLS in any case, and signs in. `name` is how this side
 * introduces itself. Ends when `signal` aborts. Rejects with `MailServerError`, or with what the function for the access
 * token throws.
 */
export async function openSmtp(
  deps: MailDeps,
  account: MailAccount,
  name: string,
  signal: AbortSignal,
): Promise<OpenSmtp> {
  const { host, port, auth } = account
  const isTls = account.security === 'tls'
  const socket = await deps.dialer.dial({ host, port, isTls }, MAX_DIAL_MS).catch((error: Error) => {
    throw connectionFailure(error, account)
  })
  // Loaded at the first message: many organizations have no mailbox.
  const { default: Connection } = await import('nodemailer/lib/smtp-connection')
  const smtp: SMTPConnection = new Connection({
    host,
    port,
    name,
    connection: socket,
    secure: isTls,
    secured: isTls,
    requireTLS: !isTls,
    tls: deps.dialer.tlsOptions(host),
    connectionTimeout: NO_LIMIT_MS,
    greetingTimeout: NO_LIMIT_MS,
    socketTimeout: NO_LIMIT_MS,
  })
  // An idle connection can fail at any time. The session checks `destroyed`.
  smtp.on('error', () => {})
  const close = () => smtp.close()
  signal.addEventListener('abort', close)
  try {
    if (signal.aborted) throw new MailServerError('interrupted', account)
    await exchange(deps, smtp, MAX_SETUP_MS, (done) => smtp.connect(done)).catch((error) => {
      throw setupFailure(error, account)
    })
    // The library upgrades or fails. This check is for a version that doesn't.
    if (!smtp.secure) throw new MailServerError('tls_missing', account)
    // The answer to EHLO.
    const offersUtf8 = /^250[ -]SMTPUTF8\b/im.test(smtp.lastServerResponse || '')
    if (auth) await signIn(deps, smtp, account, auth)
    return { smtp, offersUtf8 }
  } catch (error) {
    smtp.close()
    throw error
  } finally {
    signal.removeEventListener('abort', close)
  }
}

async function signIn(deps: MailDeps, smtp: SMTPConnection, account: MailAccount, auth: MailAuth) {
  const credentials =
    auth.method === 'password'
      ? { user: auth.user, pass: auth.password }
      : { user: auth.user, oauth2: await tokenSource(auth, smtp) }
  await exchange<boolean>(deps, smtp, MAX_SETUP_MS, (done) => smtp.login(credentials, done)).catch(
    (error: SMTPError) => {
      const reply = error.response ?? ''
      if (codeOf(error) !== 'EAUTH') throw setupFailure(error, account)
      const isTemporary = /^4/.test(reply) || soundsTemporary(reply)
      const code = isTemporary ? 'sign_in_unavailable' : 'sign_in_refused'
      throw new MailServerError(code, account, wordsOf(reply) || null, error)
    },
  )
}

/** After a refusal, the library asks for another token. There is none, so the refusal is the result. */
async function tokenSource(auth: MailAuth & { method: 'oauth2' }, smtp: SMTPConnection) {
  const { default: XOAuth2 } = await import('nodemailer/lib/xoauth2')
  return new XOAuth2({
    user: auth.user,
    accessToken: await auth.accessToken(),
    provisionCallback(_user, _isRenewal, done) {
      done(
        Object.assign(new Error('The token was refused.'), {
          response: smtp.lastServerResponse || undefined,
        }),
      )
    },
  })
}

/** An error between the connection and the sign-in. */
function setupFailure(error: SMTPError | ExchangeStopped, account: MailAccount): MailServerError {
  if (error instanceof ExchangeStopped) return new MailServerError(error.code, account, null, error)
  const reply = error.response
  if (error.command === 'STARTTLS' && reply)
    return new MailServerError('tls_missing', account, wordsOf(reply), error)
  if (reply) {
    const code = /^[45]/.test(reply) ? 'rejected' : 'bad_response'
    return new MailServerError(code, account, wordsOf(reply), error)
  }
  const { originalCode } = error
  return connectionFailure(
    originalCode ? Object.assign(new Error(error.message), { code: originalCode }) : error,
    account,
  )
}
