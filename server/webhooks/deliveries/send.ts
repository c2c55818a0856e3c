import { isIP } from 'node:net'
import type { Clock } from '../../clock.ts'
import type { Deps } from '../../deps.ts'
import type { Log } from '../../log.ts'
import { type AddressPolicy, createAddressPolicy } from '../../network/address-policy.ts'
import { hostName } from '../../network/allowed-host.ts'
import { checkedAddresses, type Resolve, resolveName } from '../../network/checked-lookup.ts'
import { certificatesOf } from '../../network/trusted-certificates.ts'
import type { DeliveryError } from './delivery-errors.ts'
import { type PostRequest, type PostResult, withoutResponse } from './http-post.ts'
import { openPostThread, type TimedResult } from './post-thread.ts'
import { parseRetryAfter } from './retry-schedule.ts'
import { type Signing, signatureHeaders } from './signature.ts'

const HTTPS_PORT = 443
const MAX_KNOWN_TARGETS = 4_096

/** The target of a URL, or why nothing is sent there. */
type Target = Pick<PostRequest, 'hostname' | 'port' | 'path'> | { refusal: string }

interface SenderOptions {
  clock: Clock
  log: Log
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
  /** Adds headers with the time and signatures. */
  signing?: Signing
  /** The exact bytes to send. */
  body: Uint8Array
}

interface SendResult extends Omit<PostResult, 'responseBody' | 'signatures'> {
  /** Those of the request, the time and signatures. */
  requestHeaders: Record<string, string>
  /** At most 16 KiB. */
  responseBody: Uint8Array
  /** Whole milliseconds until the response headers, or until it failed. */
  durationMs: number
  /** Wall clock. */
  endedAt: number
  /** `Retry-After` of a 429 or 503. */
  retryAfterMs?: number
}

export interface Sender {
  /**
   * One attempt: a POST without redirects or a proxy, which waits while `atOnce` of its endpoint are in progress.
   * `unsent`: it still waited when the attempt before it failed, or at `withdraw`. Never rejects: a failure is part of the
   * result.
   */
  send(request: SendRequest, atOnce: number): Promise<SendResult | 'unsent'>
  /** Ends attempts that wait. */
  withdraw(): void
  /** Interrupts attempts in progress and closes every connection. */
  close(): Promise<void>
}

/** The one sender of a server, for webhooks and pushes. `resolve` replaces DNS in tests. */
export function senderOf({ clock, log, config }: Deps, resolve?: Resolve): Sender {
  return createSender({
    clock,
    log,
    policy: createAddressPolicy(config.webhookAllow),
    timeoutMs: config.webhookTimeoutMs,
    ca: config.webhookCa,
    ...(resolve && { resolve }),
  })
}

/** Reuses the connections of an endpoint. Its thread starts with the first request. */
export function createSender(options: SenderOptions): Sender {
  const { clock, log, policy, timeoutMs, ca, resolve = resolveName } = options
  const targets = new Map<string, Target>()
  const addressesOf = (hostname: string) => checkedAddresses(resolve, policy, hostname)
  const thread = openPostThread({ clock, log, timeoutMs, ca, addressesOf })
  let isClosed = false
  // Reports a wrong certificate at start, not at the first delivery.
  if (ca) certificatesOf(ca)

  /** Parsing a URL and checking its address takes a tenth of an attempt, and the same URLs are used again and again. */
  function targetOf(url: string): Target {
    const known = targets.get(url)
    if (known) return known
    const target = readTarget(url, policy)
    if (targets.size >= MAX_KNOWN_TARGETS) targets.clear()
    targets.set(url, target)
    return target
  }

  return {
    async send(request, atOnce) {
      if (isClosed) return refused(request, { outcome: 'interrupted', now: clock.now() })
      const target = targetOf(request.url)
      if ('refusal' in target) {
        return refused(request, { outcome: 'blocked_address', detail: target.refusal, now: clock.now() })
      }
      const sent = await thread.post(postOf(request, target), atOnce)
      return sent === 'unsent' ? sent : resultOf(request, sent, clock.now())
    },
    withdraw: thread.withdraw,
    close() {
      isClosed = true
      return thread.close()
    },
  }
}

/** Names each field, because a copy of the rest of an object takes several times as long. */
function resultOf({ headers }: SendRequest, { result, durationMs }: TimedResult, now: number): SendResult {
  const { startedAt, outcome, status, signatures, responseHeaders, responseBody, isBodyCut, detail } = result
  const mayAskToWait = status === 429 || status === 503
  const retryAfterMs = mayAskToWait ? parseRetryAfter(responseHeaders['retry-after'], now) : undefined
  return {
    startedAt,
    outcome,
    status,
    requestHeaders: { ...headers, ...signatures },
    responseHeaders,
    responseBody: Buffer.from(responseBody, 'latin1'),
    isBodyCut,
    durationMs,
    endedAt: now,
    ...(detail !== undefined && { detail }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
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
    headers: request.headers,
    signing: request.signing,
    // As if it were a Buffer: to make one from it takes ten times as long.
    body: Buffer.prototype.toString.call(request.body, 'latin1'),
  }
}

/** Of an attempt that no connection was needed for. */
function refused(
  request: SendRequest,
  { now, outcome, detail }: { now: number; outcome: DeliveryError; detail?: string },
): SendResult {
  const result = {
    ...withoutResponse(outcome, now),
    signatures: request.signing ? signatureHeaders(request.signing, now, request.body) : {},
    ...(detail && { detail }),
  }
  return resultOf(request, { result, durationMs: 0 }, now)
}
