import type { MailServer } from '../../../database/tables/mailboxes.ts'
import type { MailDeps } from '../mail-account.ts'
import { connectionFailure, MailServerError } from '../mail-server-error.ts'

/** For the connection and the first bytes. Both servers speak first; only one that expects TLS is silent. */
const MAX_GREETING_MS = 3_000
/** For the handshake with a server that was silent. */
const MAX_HANDSHAKE_MS = 2_000

const GREETINGS = [
  { protocol: 'IMAP', starts: /^\* (?:OK|PREAUTH|BYE)/i },
  // FTP starts alike, but on no port that anyone enters for mail.
  { protocol: 'SMTP', starts: /^[2-5]\d\d[ -]/ },
  { protocol: 'POP3', starts: /^(?:\+OK|-ERR)/ },
] as const

type Server = Pick<MailServer, 'host' | 'port' | 'security'>

/**
 * Throws `MailServerError` when the first bytes show that the port is for another protocol, or for the other kind of
 * encryption. Decides within five seconds. What it can't decide, such as a name that isn't found, is left to the session.
 */
export async function requireProtocol(
  mail: MailDeps,
  protocol: 'IMAP' | 'SMTP',
  server: Server,
): Promise<void> {
  const isTls = server.security === 'tls'
  const first = await firstLine(mail, server, isTls)
  // Without TLS after all, or without the answer to a handshake.
  const line = first === 'tls_failed' ? await firstLine(mail, server, false) : first
  const spoken = GREETINGS.find(({ starts }) => starts.test(line))?.protocol
  if (spoken && spoken !== protocol) {
    throw new MailServerError('wrong_protocol', { ...server, protocol, spoken })
  }
  if (line !== 'silent' || isTls) return
  throw new MailServerError((await takesTls(mail, server)) ? 'tls_expected' : 'timeout', server)
}

/** The first bytes of the server, `silent`, or how the connection failed. */
async function firstLine({ clock, dialer }: MailDeps, server: Server, isTls: boolean): Promise<string> {
  try {
    const socket = await dialer.dial({ host: server.host, port: server.port, isTls }, MAX_GREETING_MS)
    return await new Promise<string>((resolve) => {
      const end = (line: string) => {
        cancelTimer()
        resolve(line)
        socket.destroy()
      }
      const cancelTimer = clock.after(MAX_GREETING_MS, () => end('silent'))
      socket.once('data', (bytes: Uint8Array) => end(Buffer.from(bytes).toString('latin1')))
      socket.once('close', () => end('closed'))
      socket.on('error', () => end('closed'))
    })
  } catch (error) {
    return failureOf(error, server)
  }
}

/** A certificate that isn't trusted is an answer in TLS, too. */
async function takesTls({ dialer }: MailDeps, { host, port, ...server }: Server): Promise<boolean> {
  try {
    const socket = await dialer.dial({ host, port, isTls: true }, MAX_HANDSHAKE_MS)
    socket.destroy()
    return true
  } catch (error) {
    return ['tls_expired', 'tls_untrusted', 'tls_name'].includes(failureOf(error, { host, port, ...server }))
  }
}

function failureOf(error: unknown, server: Server): MailServerError['code'] {
  return connectionFailure(error instanceof Error ? error : new Error(String(error)), server).code
}
