import { X509Certificate } from 'node:crypto'
import { Agent } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { createSecureContext, getCACertificates } from 'node:tls'
import type { AddressPolicy } from '../public-address.ts'
import { ConnectionError } from './delivery-errors.ts'

/** Less than the 5 s after which many servers close an idle connection, so that we close it first. */
const LONGEST_IDLE_MS = 4_000
/**
 * As many as there are attempts at once: many endpoints may share a host. With fewer, sockets are closed and made anew
 * all the time, and Bun serves few handshakes in a turn of its event loop, the newest first: some waited 9 seconds.
 */
const IDLE_SOCKETS_PER_HOST = 128
/** Open sockets, busy ones too, above which none is kept for later. */
const SOCKETS_TO_KEEP = 384

/** Addresses of a host name. Rejects when there are none. */
export type Resolve = (hostname: string) => Promise<string[]>

/** Asks DNS and the hosts file; c-ares on Linux, so that a slow name server holds up no thread. */
export async function resolveName(hostname: string): Promise<string[]> {
  const found = await Bun.dns.lookup(hostname)
  return found.map(({ address }) => address)
}

/**
 * The `lookup` of one dial: resolves the name and hands over only addresses that the policy allows, so the address
 * that was checked is the one dialled. It is not called for an address in the URL: check that one before.
 */
export function checkedLookup(
  resolve: Resolve,
  policy: AddressPolicy,
  onResolved: () => void,
): LookupFunction {
  return (hostname, options, call) => {
    const tell = (error: Error) => call(error, '', 0)
    resolve(hostname).then(
      (addresses) => {
        const [first, ...others] = addresses
          .filter((address) => policy.allows(address, hostname))
          .map(withFamily)
        if (!first) return tell(refusal(hostname, addresses.length))
        onResolved()
        if (options.all) call(null, [first, ...others])
        else call(null, first.address, first.family)
      },
      () => tell(new ConnectionError('dns', `${hostname} could not be resolved.`)),
    )
  }
}

export interface Agents {
  /** Keeps connections for the next delivery, and closes them when they are idle. */
  kept: Agent
  /** A new connection for every request. */
  fresh: Agent
}

/** Verified connections to receivers. `ca` is PEM, trusted beside the system's. */
export function createAgents(ca: string | undefined): Agents {
  // Made once: reading some 260 authorities for each connection would cost more than the delivery.
  const secureContext = createSecureContext({ ca: trusted(ca) })
  // Said here so that NODE_TLS_REJECT_UNAUTHORIZED in the environment changes nothing.
  const verified = { secureContext, rejectUnauthorized: true }
  return {
    kept: new ReceiverAgent({
      ...verified,
      keepAlive: true,
      maxFreeSockets: IDLE_SOCKETS_PER_HOST,
      timeout: LONGEST_IDLE_MS,
    }),
    fresh: new Agent(verified),
  }
}

/** Each certificate of a PEM text. Throws when it holds none, or one that cannot be read. */
export function certificatesOf(pem: string): string[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)
  if (!blocks) throw new Error('There is no PEM certificate in it.')
  return blocks.map((block) => new X509Certificate(block).toString())
}

class ReceiverAgent extends Agent {
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
  // The addresses stay out of the log: they would let an administrator map the network behind this server.
  return new ConnectionError('blocked_address', `${hostname} leads to no public address.`)
}
