import { isIP } from 'node:net'
import { hostName } from '../../allowed-host.ts'
import type { Clock } from '../../clock.ts'
import type { AddressPolicy } from '../public-address.ts'
import {
  type Agents,
  certificatesOf,
  checkedLookup,
  createAgents,
  type Resolve,
  resolveName,
} from './connection.ts'
import type { DeliveryError } from './delivery-errors.ts'
import { Exchange, type ExchangeDeps, type Post, type SendResult } from './http-post.ts'

const HTTPS_PORT = 443

export interface SenderOptions {
  clock: Clock
  policy: AddressPolicy
  /** For DNS, connection, TLS and the answer's headers together; section 6 of the specification has 10 s. */
  timeoutMs: number
  /** PEM certificates trusted beside the system's. */
  ca?: string | undefined
  /** DNS unless given. */
  resolve?: Resolve
}

export interface SendRequest {
  url: string
  headers: Record<string, string>
  /** Sent byte for byte. */
  body: Uint8Array
  /** Ends the attempt as `interrupted`. */
  signal?: AbortSignal
}

export interface Sender {
  /** One attempt: a POST that follows no redirect and asks no proxy. Resolves however it ended. */
  send(request: SendRequest): Promise<SendResult>
  /** Interrupts what is in flight and closes every connection. */
  close(): void
}

/** Sends deliveries. One sender for the process: it keeps connections for the next delivery to the same host. */
export function createSender(options: SenderOptions): Sender {
  const { clock, policy, timeoutMs, ca, resolve = resolveName } = options
  const inFlight = new Set<Exchange>()
  let isClosed = false
  let agents: Agents | undefined
  // Found at start, and not at the first delivery.
  if (ca) certificatesOf(ca)

  function dependencies(): ExchangeDeps {
    // Reading the system's authorities takes some 30 ms, which the start need not wait for.
    agents ??= createAgents(ca)
    return { clock, timeoutMs, agents, lookup: (onResolved) => checkedLookup(resolve, policy, onResolved) }
  }

  function exchange(post: Post, signal: AbortSignal | undefined): Promise<SendResult> {
    return new Promise((settle) => {
      const running = new Exchange(dependencies(), post, (result) => {
        inFlight.delete(running)
        signal?.removeEventListener('abort', interrupt)
        settle(result)
      })
      const interrupt = () => running.interrupt()
      inFlight.add(running)
      signal?.addEventListener('abort', interrupt)
    })
  }

  return {
    async send(request) {
      if (isClosed || request.signal?.aborted) return unsent('interrupted')
      const url = URL.parse(request.url)
      if (url?.protocol !== 'https:') return unsent('blocked_address', 'The URL is not an https URL.')
      const hostname = hostName(url.hostname)
      if (isIP(hostname) && !policy.allows(hostname, hostname)) {
        return unsent('blocked_address', `${hostname} is not a public address.`)
      }
      return exchange(postOf(request, url, hostname), request.signal)
    },
    close() {
      isClosed = true
      for (const running of inFlight) running.interrupt()
      agents?.kept.destroy()
      agents?.fresh.destroy()
    },
  }
}

function postOf(request: SendRequest, url: URL, hostname: string): Post {
  return {
    hostname,
    port: Number(url.port) || HTTPS_PORT,
    path: url.pathname + url.search,
    headers: {
      ...request.headers,
      // A compressed answer could unpack to anything.
      'Accept-Encoding': 'identity',
      'Content-Length': request.body.byteLength,
    },
    body: request.body,
  }
}

function unsent(outcome: DeliveryError, detail?: string): SendResult {
  return {
    outcome,
    status: null,
    responseHeaders: {},
    responseBody: new Uint8Array(0),
    isBodyCut: false,
    durationMs: 0,
    ...(detail && { detail }),
  }
}
