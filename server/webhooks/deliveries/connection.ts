import { X509Certificate } from 'node:crypto'
import { Agent } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { createSecureContext, getCACertificates } from 'node:tls'
import type { AddressPolicy } from '../public-address.ts'
import { ConnectionError } from './delivery-errors.ts'

/** Less than the 5 s after which many servers close an idle connection, so that this side closes it first. */
const MAX_IDLE_MS = 4_000
/**
 * As many as attempts in progress, because many endpoints may share a host. With fewer, sockets are closed and reopened
 * all the time, and Bun does few handshakes per event loop tick, the newest first: some waited 9 seconds.
 */
const IDLE_SOCKETS_PER_HOST = 128
/** With more sockets open, including busy ones, none is kept for reuse. */
const SOCKETS_TO_KEEP = 384

/** Addresses of a host name. Rejects when there are none. */
export type Resolve = (hostname: string) => Promise<string[]>

/** Uses DNS and the hosts file; c-ares on Linux, so that a slow name server does not block a thread. */
export async function resolveName(hostname: string): Promise<string[]> {
  const found = await Bun.dns.lookup(hostname)
  return found.map(({ address }) => address)
}

/**
 * The `lookup` of one connection: resolves the name and returns only addresses that the policy allows, so that the
 * address that was checked is the one connected to. It is not called for an IP address in the URL: check that before.
 */
export function checkedLookup(
  resolve: Resolve,
  policy: AddressPolicy,
  onResolved: () => void,
): LookupFunction {
  return (hostname, options, call) => {
    const fail = (error: Error) => call(error, '', 0)
    resolve(hostname).then(
      (addresses) => {
        const [first, ...others] = addresses
          .filter((address) => policy.allows(address, hostname))
          .map(withFamily)
        if (!first) return fail(refusal(hostname, addresses.length))
        onResolved()
        if (options.all) call(null, [first, ...others])
        else call(null, first.address, first.family)
      },
      () => fail(new ConnectionError('dns', `${hostname} couldn't be resolved.`)),
    )
  }
}

export interface Agents {
  /** Reuses connections, and closes them when they are idle. */
  kept: Agent
  /** A new connection for every request. */
  fresh: Agent
}

/** Connections to endpoints, with verified certificates. `ca` is PEM, trusted in addition to the system's. */
export function createAgents(ca: string | undefined): Agents {
  // Created once: loading some 260 authorities for each connection would cost more than the delivery.
  const secureContext = createSecureContext({ ca: trusted(ca) })
  // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED in the environment has no effect.
  const verified = { secureContext, rejectUnauthorized: true }
  return {
    kept: new EndpointAgent({
      ...verified,
      keepAlive: true,
      maxFreeSockets: IDLE_SOCKETS_PER_HOST,
      timeout: MAX_IDLE_MS,
    }),
    fresh: new Agent(verified),
  }
}

/** The certificates in a PEM text. Throws when there is none, or one cannot be parsed. */
export function certificatesOf(pem: string): string[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)
  if (!blocks) throw new Error('It contains no PEM certificate.')
  return blocks.map((block) => new X509Certificate(block).toString())
}

class EndpointAgent extends Agent {
  #open = 0

  override createConnection(...given: Parameters<Agent['createConnection']>) {
    const socket = super.createConnection(...given)
    this.#open++
    socket?.once('close', () => this.#open--)
    return socket
  }

  override keepSocketAlive(socket: Parameters<Agent['keepSocketAlive']>[0]) {
    return this.#open <= SOCKETS_TO_KEEP && super.keepSocketAlive(socket)
  }
}

function trusted(ca: string | undefined): string[] {
  return [...getCACertificates('default'), ...getCACertificates('system'), ...(ca ? certificatesOf(ca) : [])]
}

function withFamily(address: string): { address: string; family: number } {
  return { address, family: isIP(address) }
}

function refusal(hostname: string, found: number): ConnectionError {
  if (found === 0) return new ConnectionError('dns', `${hostname} has no address.`)
  // The addresses are left out: they would let an administrator map this server's internal network.
  return new ConnectionError('blocked_address', `${hostname} has no public address.`)
}
