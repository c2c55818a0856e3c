import { X509Certificate } from 'node:crypto'
import { isIP, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { createMailDialer } from '../channels/email/mail-account.ts'
import { listMailboxes } from '../channels/email/mailboxes/mailboxes.ts'
import { systemClock } from '../clock.ts'
import { StartError } from '../errors.ts'
import { createAddressPolicy } from '../network/address-policy.ts'
import { readCertificate } from '../network/certificate.ts'
import { type ConnectionErrorCode, connectionErrorOf } from '../network/connection-errors.ts'
import { createDialer, type Dialer } from '../network/dial.ts'
import { judgeClock } from './check-clock.ts'
import {
  countOf,
  dayOf,
  type Finding,
  findingsOf,
  type Installation,
  type OpenInstallation,
} from './finding.ts'

const { ok, warning, error } = findingsOf('certificate')
const DAY_MS = 86_400_000
/** Programs that renew certificates do it 30 days before the end. */
const FEW_DAYS = 14
const MAX_MAIL_SERVERS = 50

const FAULTS: Partial<Record<ConnectionErrorCode, string>> = {
  tls_expired: 'has expired, or is not valid yet',
  tls_name: 'is for another host name',
  tls_untrusted: "isn't from an authority that this machine trusts",
}

/** Checks the certificates of `BELLHOP_TLS_CERT` and `BELLHOP_URL`. */
export async function checkOwnCertificates({ config, now }: Installation): Promise<Finding[]> {
  const { tls, publicUrl } = config
  if (tls) {
    try {
      const { cert } = readCertificate(tls, now)
      return [judge(`The certificate in ${tls.cert}`, Date.parse(new X509Certificate(cert).validTo), now)]
    } catch (cause) {
      if (!(cause instanceof StartError)) throw cause
      return [error(cause.message, 'New connections need a valid one: renew the certificate.')]
    }
  }
  if (!publicUrl?.startsWith('https:')) return []
  const { hostname, port } = new URL(publicUrl)
  const host = hostname.replace(/^\[|\]$/g, '')
  // The operator sets this address, not an administrator, so any is allowed.
  const policy = createAddressPolicy(['0.0.0.0/0', '::/0'])
  const dialer = createDialer({ clock: systemClock, policy, ca: undefined })
  const server = { host, port: Number(port || 443), protocol: 'https', isTls: true } as const
  return examine(dialer, server, { now, advice: 'Renew it on the proxy.' })
}

/** Checks the certificates and clocks of all mail servers in use, each server once. */
export async function checkMailServers({ deps, orgIds, now }: OpenInstallation): Promise<Finding[]> {
  const servers = new Map<string, CertifiedServer>()
  for (const orgId of orgIds) {
    for (const { imap, smtp, state } of await listMailboxes(deps, orgId)) {
      if (state === 'paused') continue
      for (const [protocol, { host, port, security }] of [
        ['imap', imap],
        ['smtp', smtp],
      ] as const) {
        servers.set(`${host}:${port}`, { host, port, protocol, isTls: security === 'tls' })
      }
    }
  }
  const dialer = createMailDialer({ clock: systemClock, config: deps.config })
  const advice = 'Ask its provider to renew it. If it is from an authority of your own, set BELLHOP_MAIL_CA.'
  const some = [...servers.values()].slice(0, MAX_MAIL_SERVERS)
  const found = await Promise.all(some.map((server) => examine(dialer, server, { now, advice })))
  return found.flat()
}

/** Other checks report a server that can't be reached. */
async function examine(
  dialer: Dialer,
  server: CertifiedServer,
  { now, advice }: { now: number; advice: string },
): Promise<Finding[]> {
  const { host, port } = server
  const name = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  try {
    const facts = await askServerFacts(dialer, server)
    const certificate = judge(`The certificate of ${name}`, facts.certificateEndsAt, now)
    const clock = facts.now === undefined ? undefined : judgeClock(facts.now - now, `that of ${name}`)
    return clock ? [certificate, clock] : [certificate]
  } catch (cause) {
    const code = cause instanceof Error ? connectionErrorOf(cause) : undefined
    const fault = code && FAULTS[code]
    return fault ? [error(`The certificate of ${name} ${fault}.`, advice)] : []
  }
}

function judge(name: string, endsAt: number, now: number): Finding {
  const days = Math.floor((endsAt - now) / DAY_MS)
  const detail = `${name} is valid until ${dayOf(endsAt)}, ${countOf(days, 'day')} from now.`
  if (days >= FEW_DAYS) return ok(detail)
  return warning(detail, 'Renew it, and check why it was not renewed automatically.')
}

const MAX_DIAL_MS = 8_000
/** For the lines before TLS. */
const MAX_TALK_MS = 8_000

interface CertifiedServer {
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
async function askServerFacts(dialer: Dialer, server: CertifiedServer): Promise<ServerFacts> {
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
