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
  protocol: 'https' | 'imap' | 'smtp'
  /** Whether TLS starts at once, and not after a command. */
  isTls: boolean
}

interface ServerFacts {
  /** When its certificate ends, in milliseconds since 1970. */
  certificateEndsAt: number
  /** What its clock says, in milliseconds since 1970. Some SMTP servers greet with it, such as Microsoft's and Exim. */
  now: number | undefined
}

/** The client's commands before TLS, and the end of the server's response to each. */
const TALKS: Record<CertifiedServer['protocol'], [say: string, until: RegExp][]> = {
  https: [],
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
const GREETING = /^220 .*\r\n/m
/** RFC 5322, section 3.3. */
const TIME = /[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/

/** Connects, and signs in nowhere. Rejects as `dial` does. */
export async function askServerFacts(dialer: Dialer, server: CertifiedServer): Promise<ServerFacts> {
  const { host, port, protocol, isTls } = server
  const socket = await dialer.dial({ host, port, isTls }, MAX_DIAL_MS)
  try {
    let greeting = ''
    if (isTls && protocol === 'smtp') greeting = await talk(socket, '', GREETING).catch(() => '')
    if (!isTls) for (const [say, until] of TALKS[protocol]) greeting += await talk(socket, say, until)
    const secured = isTls ? (socket as TLSSocket) : await upgrade(socket, dialer, host)
    const time = Date.parse(TIME.exec(greeting)?.[0] ?? '')
    return {
      certificateEndsAt: Date.parse(secured.getPeerCertificate().valid_to),
      now: Number.isNaN(time) ? undefined : time,
    }
  } finally {
    socket.destroy()
  }
}

async function upgrade(socket: Socket, dialer: Dialer, host: string): Promise<TLSSocket> {
  const { connect } = process.getBuiltinModule('node:tls')
  return new Promise((resolve, reject) => {
    const secured = connect({ socket, ...dialer.tlsOptions(host) })
    secured.once('secureConnect', () => resolve(secured))
    secured.once('error', reject)
    secured.once('close', () => reject(new Error(`${host} closed the connection.`)))
  })
}

/** Returns what the server says. */
function talk(socket: Socket, say: string, until: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let heard = ''
    const end = (fault?: Error) => {
      cancelTimer()
      socket.off('data', listen).off('error', end).off('close', onClose)
      if (fault) reject(fault)
      else resolve(heard)
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
