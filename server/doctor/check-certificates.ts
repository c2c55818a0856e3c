import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
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
import { askServerFacts, type CertifiedServer } from './server-certificate.ts'

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
      return [
        error({ detail: cause.message, advice: 'New connections need a valid one: renew the certificate.' }),
      ]
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
    return fault ? [error({ detail: `The certificate of ${name} ${fault}.`, advice })] : []
  }
}

function judge(name: string, endsAt: number, now: number): Finding {
  const days = Math.floor((endsAt - now) / DAY_MS)
  const detail = `${name} is valid until ${dayOf(endsAt)}, ${countOf(days, 'day')} from now.`
  if (days >= FEW_DAYS) return ok(detail)
  return warning({ detail, advice: 'Renew it, and check why it was not renewed automatically.' })
}
