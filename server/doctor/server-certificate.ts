import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { systemClock } from '../clock.ts'
import type { Dialer } from '../network/dial.ts'

const MAX_DIAL_MS = 8_000
/** For the lines before TLS. */
const MAX_TALK_MS = 8_000

export interface CertifiedServer {
  /** A host name, or an IP address without brackets. */
  host: string
  port: number
  /** The protocol that asks for TLS after the connection. Null: TLS starts at once. */
  startTls: 'imap' | 'smtp' | null
}

/** What the client says before TLS, and what ends the server's answer to each. */
const TALKS: Record<'imap' | 'smtp', [say: string, until: RegExp][]> = {
  imap: [
    ['', /^\* OK.*\r\n/],
    ['a STARTTLS\r\n', /^a OK.*\r\n/m],
  ],
  smtp: [
    ['', /^220 .*\r\n/m],
    ['EHLO localhost\r\n', /^250 .*\r\n/m],
    ['STARTTLS\r\n', /^220 .*\r\n/m],
  ],
}

/** When a server's certificate ends, in milliseconds since 1970. Nobody signs in. Rejects as `dial` does. */
export async function readCertificateEnd(
  dialer: Dialer,
  { host, port, startTls }: CertifiedServer,
): Promise<number> {
  const socket = await dialer.dial({ host, port, isTls: startTls === null }, MAX_DIAL_MS)
  try {
    const secured = startTls === null ? (socket as TLSSocket) : await upgrade(socket, startTls, dialer, host)
    return Date.parse(secured.getPeerCertificate().valid_to)
  } finally {
    socket.destroy()
  }
}

async function upgrade(
  socket: Socket,
  protocol: 'imap' | 'smtp',
  dialer: Dialer,
  host: string,
): Promise<TLSSocket> {
  for (const [say, until] of TALKS[protocol]) await talk(socket, say, until)
  const { connect } = process.getBuiltinModule('node:tls')
  return new Promise((resolve, reject) => {
    const secured = connect({ socket, ...dialer.tlsOptions(host) })
    secured.once('secureConnect', () => resolve(secured))
    secured.once('error', reject)
    secured.once('close', () => reject(new Error(`${host} closed the connection.`)))
  })
}

function talk(socket: Socket, say: string, until: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let heard = ''
    const end = (fault?: Error) => {
      cancelTimer()
      socket.off('data', listen).off('error', end).off('close', onClose)
      if (fault) reject(fault)
      else resolve()
    }
    const listen = (data: Uint8Array) => {
      heard += Buffer.from(data).toString('latin1')
      if (until.test(heard)) end()
    }
    const onClose = () => end(new Error('The server closed the connection.'))
    const cancelTimer = systemClock.after(MAX_TALK_MS, () => end(new Error('The server is silent.')))
    socket.on('data', listen).once('error', end).once('close', onClose)
    if (say) socket.write(say)
  })
}
