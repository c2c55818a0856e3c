import { Agent, type RequestOptions } from 'node:https'
import { createTrust } from '../../network/trusted-certificates.ts'

/** Less than the 5 s after which many servers close an idle connection, so that this side closes it first. */
const MAX_IDLE_MS = 4_000
/**
 * As many as attempts of an endpoint in progress. With fewer, sockets are closed and reopened all the time, and Bun does
 * few handshakes per event loop tick, the newest first: some waited 9 seconds.
 */
const IDLE_SOCKETS_PER_ENDPOINT = 8
/**
 * With more sockets open, including busy ones, the one that has been idle for longest is closed. More than attempts in
 * progress, or receivers that hang would cost all others their connections.
 */
const SOCKETS_TO_KEEP = 640

export interface Agents {
  /** Reuses connections, and closes them when they are idle. */
  kept: Agent
  /** A new connection for every request. */
  fresh: Agent
}

/** Connections to endpoints, with verified certificates. `ca` is PEM, trusted in addition to the system's. */
export function createAgents(ca: string | undefined): Agents {
  const secureContext = createTrust(ca)
  // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED in the environment has no effect.
  const verified = { secureContext, rejectUnauthorized: true }
  return {
    kept: new EndpointAgent({
      ...verified,
      keepAlive: true,
      maxFreeSockets: IDLE_SOCKETS_PER_ENDPOINT,
      timeout: MAX_IDLE_MS,
    }),
    fresh: new EndpointAgent(verified),
  }
}

type PooledSocket = Parameters<Agent['keepSocketAlive']>[0]

/** Options of a request that say whose connection it may use. */
export interface EndpointRequestOptions extends RequestOptions {
  endpointId: string
}

/**
 * Two endpoints never use the same connection, even at the same host: what one organization's traffic does to a socket
 * must not reach another's.
 */
class EndpointAgent extends Agent {
  #open = 0
  /** The one that has been idle for longest first. */
  readonly #idle = new Set<PooledSocket>()

  /** Everything else that could make connections differ is the same for all of an agent. */
  override getName({ endpointId, host, port }: Partial<EndpointRequestOptions> = {}): string {
    return `${endpointId} ${host}:${port}`
  }

  override createConnection(...given: Parameters<Agent['createConnection']>) {
    const socket = super.createConnection(...given)
    this.#open++
    socket?.once('close', () => {
      this.#open--
      this.#idle.delete(socket)
    })
    return socket
  }

  override keepSocketAlive(socket: PooledSocket) {
    // The type wrongly declares no return value.
    const isKept: unknown = super.keepSocketAlive(socket)
    if (isKept === false) return false
    this.#idle.add(socket)
    const [oldest] = this.#idle
    // With many endpoints, closing this one instead would cost a handshake for each attempt.
    if (this.#open > SOCKETS_TO_KEEP && oldest) this.#close(oldest)
    return this.#idle.has(socket)
  }

  override reuseSocket(...given: Parameters<Agent['reuseSocket']>) {
    this.#idle.delete(given[0])
    super.reuseSocket(...given)
  }

  #close(socket: PooledSocket): void {
    this.#idle.delete(socket)
    socket.destroy()
  }
}
