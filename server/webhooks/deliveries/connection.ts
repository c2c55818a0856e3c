import { Agent, type RequestOptions } from 'node:https'
import { createTrust } from '../../network/trusted-certificates.ts'

/** Less than the 5 s after which many servers close an idle connection, so that this side closes it first. */
const MAX_IDLE_MS = 4_000
/**
 * As many as attempts of an endpoint in progress. With fewer, sockets are closed and reopened all the time, and Bun does
 * few handshakes per event loop tick, the newest first: some waited 9 seconds.
 */
const IDLE_SOCKETS_PER_ENDPOINT = 8
/** With more sockets open, including busy ones, none is kept for reuse. */
const SOCKETS_TO_KEEP = 384

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

  /** Everything else that could make connections differ is the same for all of an agent. */
  override getName({ endpointId, host, port }: Partial<EndpointRequestOptions> = {}): string {
    return `${endpointId} ${host}:${port}`
  }

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
