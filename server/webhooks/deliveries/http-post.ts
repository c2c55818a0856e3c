import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type Agent, request as startRequest } from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { Clock } from '../../clock.ts'
import type { Agents, EndpointRequestOptions } from './connection.ts'
import { type DeliveryError, errorOfFailure, errorOfStatus } from './delivery-errors.ts'
import { parseRetryAfter } from './retry-schedule.ts'

const MAX_BODY_BYTES = 16_384
const MAX_HEADERS_BYTES = 16_384
/** Informational responses (1xx) before the final one. */
const MAX_INFORMATIONAL = 16
const MAX_DETAIL_LENGTH = 300
const SENT_AGAIN =
  'The endpoint closed a kept connection before it responded, so the request was sent again on a new one and may have arrived twice.'

export interface SendResult {
  outcome: 'succeeded' | DeliveryError
  /** Null without a response. */
  status: number | null
  /** Names in lower case; empty without a response. */
  responseHeaders: Record<string, string>
  /** The part of the body that was read, at most 16 KiB. */
  responseBody: Uint8Array
  /** The body was longer, or did not arrive in time. */
  isBodyCut: boolean
  /** Whole milliseconds until the response headers, or until it failed. */
  durationMs: number
  /** Details, if they say more than the outcome. */
  detail?: string
  /** `Retry-After` of a 429 or 503. */
  retryAfterMs?: number
}

export interface PostRequest {
  /** Whose connections it may use. */
  endpointId: string
  hostname: string
  port: number
  path: string
  headers: Record<string, string | number>
  body: Uint8Array
}

export interface HttpPostDeps {
  clock: Clock
  agents: Agents
  timeoutMs: number
  lookup(onResolved: () => void): LookupFunction
}

/** The phase in which the time runs out decides the error. */
type Phase = 'resolving' | 'connecting' | 'waiting'
const TIMEOUT_ERRORS = {
  resolving: 'dns',
  connecting: 'connect_timeout',
  waiting: 'timeout',
} as const satisfies Record<Phase, DeliveryError>

/**
 * One POST and its response. The status decides the outcome, and must arrive before the timeout. What is left of the
 * time is for reading some of the body. Nothing after `onEnd` has an effect.
 */
export class HttpPost {
  #phase: Phase
  #request: ClientRequest | undefined
  #response: IncomingMessage | undefined
  #chunks: Buffer[] = []
  #bodyBytes = 0
  #informational = 0
  #respondedAt = 0
  #isOver = false
  #wasSentAgain = false
  readonly #startedAt: number
  readonly #cancelTimer: () => void

  constructor(
    private readonly deps: HttpPostDeps,
    private readonly post: PostRequest,
    private readonly onEnd: (result: SendResult) => void,
  ) {
    this.#startedAt = deps.clock.monotonic()
    this.#phase = isIP(post.hostname) ? 'connecting' : 'resolving'
    this.#connect(deps.agents.kept)
    this.#cancelTimer = deps.clock.after(deps.timeoutMs, () => this.#timeOut())
  }

  /** Ends it now. A response whose headers have arrived still counts. */
  interrupt(): void {
    if (this.#response) this.#finish(true)
    else this.#fail('interrupted')
  }

  #connect(agent: Agent): void {
    const options: EndpointRequestOptions = {
      method: 'POST',
      agent,
      endpointId: this.post.endpointId,
      host: this.post.hostname,
      port: this.post.port,
      path: this.post.path,
      headers: this.post.headers,
      maxHeaderSize: MAX_HEADERS_BYTES,
      lookup: this.deps.lookup(() => this.#advance('connecting')),
    }
    const request = startRequest(options)
    this.#request = request
    request.on('socket', (socket) => this.#onSocket(socket))
    request.on('information', () => this.#onInformation())
    request.on('upgrade', () => this.#fail('bad_response', '101 is not a final HTTP status.'))
    request.on('response', (response) => this.#onResponse(response))
    request.on('error', (error) => this.#onError(request, error))
    // As text, headers and body go out in one write, which saves both sides a TLS record. Latin-1 keeps every byte.
    const { buffer, byteOffset, byteLength } = this.post.body
    request.end(Buffer.from(buffer, byteOffset, byteLength).toString('latin1'), 'latin1')
  }

  #onSocket(socket: Socket): void {
    if (this.#request?.reusedSocket) this.#advance('waiting')
    else socket.once('secureConnect', () => this.#advance('waiting'))
  }

  #advance(phase: Phase): void {
    this.#phase = phase
  }

  #onInformation(): void {
    this.#informational++
    if (this.#informational > MAX_INFORMATIONAL)
      this.#fail('bad_response', 'Too many informational (1xx) responses.')
  }

  #onResponse(response: IncomingMessage): void {
    if (this.#isOver) return
    this.#response = response
    this.#respondedAt = this.deps.clock.monotonic()
    response.on('data', (chunk: Buffer) => this.#onChunk(chunk))
    response.on('end', () => this.#finish(!response.complete))
    response.on('error', () => this.#finish(true))
    response.on('close', () => this.#finish(true))
  }

  #onChunk(chunk: Buffer): void {
    if (this.#isOver) return
    this.#chunks.push(chunk)
    this.#bodyBytes += chunk.length
    if (this.#bodyBytes > MAX_BODY_BYTES) this.#finish(true)
  }

  #onError(request: ClientRequest, error: Error): void {
    if (this.#isOver || request !== this.#request) return
    const reason = errorOfFailure(error)
    if (this.#response) this.#finish(true)
    // The endpoint closed an idle connection just as it was reused, which is not an error of the endpoint.
    else if (reason === 'reset' && request.reusedSocket) this.#sendAgain()
    else this.#fail(reason, error.message)
  }

  #sendAgain(): void {
    this.#wasSentAgain = true
    this.#connect(this.deps.agents.fresh)
  }

  #timeOut(): void {
    if (this.#response) this.#finish(true)
    else this.#fail(TIMEOUT_ERRORS[this.#phase])
  }

  /** Ends without a response. */
  #fail(outcome: DeliveryError, detail?: string): void {
    if (!this.#isFirstEnd()) return
    this.#request?.destroy()
    this.onEnd({
      outcome,
      status: null,
      responseHeaders: {},
      responseBody: new Uint8Array(0),
      isBodyCut: false,
      durationMs: this.#since(this.deps.clock.monotonic()),
      ...this.#detail(detail),
    })
  }

  /** Ends with a response. Its connection is only reused if the body was read to its end. */
  #finish(isBodyCut: boolean): void {
    const response = this.#response
    if (!response || !this.#isFirstEnd()) return
    if (isBodyCut) this.#request?.destroy()
    const status = response.statusCode ?? 0
    const headers = flatten(response.headers)
    this.onEnd({
      outcome: errorOfStatus(status) ?? 'succeeded',
      status,
      responseHeaders: headers,
      responseBody: this.#body(),
      isBodyCut,
      durationMs: this.#since(this.#respondedAt),
      ...this.#detail(detailOf(status, headers)),
      ...(status === 429 || status === 503 ? this.#retryAfter(headers) : undefined),
    })
  }

  #body(): Uint8Array {
    const [only] = this.#chunks
    const whole = this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks)
    // A copy, because a chunk is a part of what the socket has read. Not Uint8Array.from, which walks byte by byte.
    return new Uint8Array(whole.subarray(0, MAX_BODY_BYTES))
  }

  /** Adds whether the endpoint may have received the request twice. */
  #detail(what: string | undefined): { detail?: string } {
    const sentences = [this.#wasSentAgain ? SENT_AGAIN : undefined, what].filter((one) => one !== undefined)
    return sentences.length === 0 ? {} : { detail: sentences.join(' ').slice(0, MAX_DETAIL_LENGTH) }
  }

  #retryAfter(headers: Record<string, string>): { retryAfterMs?: number } {
    const retryAfterMs = parseRetryAfter(headers['retry-after'], this.deps.clock.now())
    return retryAfterMs === undefined ? {} : { retryAfterMs }
  }

  #since(moment: number): number {
    return Math.round(moment - this.#startedAt)
  }

  #isFirstEnd(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#cancelTimer()
    return true
  }
}

function detailOf(status: number, headers: Record<string, string>): string | undefined {
  if (status >= 300 && status < 400 && headers.location) return `Redirect to ${headers.location}`
  return status >= 200 && status < 600 ? undefined : `${status} is not a final HTTP status.`
}

function flatten(headers: IncomingHttpHeaders): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) flat[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return flat
}
