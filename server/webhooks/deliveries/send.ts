import { isIP } from 'node:net'
import type { Clock } from '../../clock.ts'
import type { AddressPolicy } from '../../network/address-policy.ts'
import { hostName } from '../../network/allowed-host.ts'
import { checkedLookup, type Resolve, resolveName } from '../../network/checked-lookup.ts'
import { certificatesOf } from '../../network/trusted-certificates.ts'
import { type Agents, createAgents } from './connection.ts'
import type { DeliveryError } from './delivery-errors.ts'
import { HttpPost, type HttpPostDeps, type PostRequest, type SendResult } from './http-post.ts'

const HTTPS_PORT = 443
const MAX_KNOWN_TARGETS = 4_096

/** The target of a URL, or why nothing is sent there. */
type Target = Pick<PostRequest, 'hostname' | 'port' | 'path'> | { refusal: string }

interface SenderOptions {
  clock: Clock
  policy: AddressPolicy
  /** For DNS, connection, TLS and response headers together; 10 s in section 6 of the specification. */
  timeoutMs: number
  /** PEM certificates to trust in addition to the system's. */
  ca?: string | undefined
  /** DNS by default. */
  resolve?: Resolve
}

interface SendRequest {
  /** Connections are reused only for the same endpoint. */
  endpointId: string
  url: string
  headers: Record<string, string>
  /** The exact bytes to send. */
  body: Uint8Array
}

export interface Sender {
  /** One attempt: a POST without redirects or a proxy. Never rejects: a failure is part of the result. */
  send(request: SendRequest): Promise<SendResult>
  /** Interrupts attempts in progress and closes every connection. */
  close(): void
}

/** Sends deliveries. The process has one sender, which reuses the connections of an endpoint. */
export function createSender(options: SenderOptions): Sender {
  const { clock, policy, timeoutMs, ca, resolve = resolveName } = options
  const inFlight = new Set<HttpPost>()
  const targets = new Map<string, Target>()
  let isClosed = false
  let agents: Agents | undefined
  // Reports a wrong certificate at start, not at the first delivery.
  if (ca) certificatesOf(ca)

  function dependencies(): HttpPostDeps {
    // Created at first use: loading the system's authorities takes about 30 ms, which would delay the start.
    agents ??= createAgents(ca)
    return { clock, timeoutMs, agents, lookup: (onResolved) => checkedLookup(resolve, policy, onResolved) }
  }

  /** Parsing a URL and checking its address takes a tenth of an attempt, and the same URLs are used again and again. */
  function targetOf(url: string): Target {
    const known = targets.get(url)
    if (known) return known
    const target = readTarget(url, policy)
    if (targets.size >= MAX_KNOWN_TARGETS) targets.clear()
    targets.set(url, target)
    return target
  }

  function run(post: PostRequest): Promise<SendResult> {
    return new Promise((settle) => {
      const running = new HttpPost(dependencies(), post, (result) => {
        inFlight.delete(running)
        settle(result)
      })
      inFlight.add(running)
    })
  }

  return {
    async send(request) {
      if (isClosed) return unsent('interrupted')
      const target = targetOf(request.url)
      if ('refusal' in target) return unsent('blocked_address', target.refusal)
      return run(postOf(request, target))
    },
    close() {
      isClosed = true
      for (const running of inFlight) running.interrupt()
      agents?.kept.destroy()
      agents?.fresh.destroy()
    },
  }
}

/** Names are resolved and checked for every connection. Here, only an IP address in the URL can be checked. */
function readTarget(text: string, policy: AddressPolicy): Target {
  const url = URL.parse(text)
  if (url?.protocol !== 'https:') return { refusal: 'The URL is not an https URL.' }
  const hostname = hostName(url.hostname)
  if (isIP(hostname) && !policy.allows(hostname, hostname)) {
    return { refusal: `${hostname} is not a public address.` }
  }
  return { hostname, port: Number(url.port) || HTTPS_PORT, path: url.pathname + url.search }
}

function postOf(request: SendRequest, target: Pick<PostRequest, 'hostname' | 'port' | 'path'>): PostRequest {
  return {
    ...target,
    endpointId: request.endpointId,
    headers: {
      ...request.headers,
      // A small compressed response could decompress to any size.
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
