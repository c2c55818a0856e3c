import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type Agent, request as startRequest } from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { Agents, EndpointRequestOptions } from './connection.ts'
import { type DeliveryError, errorOfFailure, errorOfStatus } from './delivery-errors.ts'
import { type Signing, signatureHeaders } from './signature.ts'

const MAX_BODY_BYTES = 16_384
const MAX_HEADERS_BYTES = 16_384
/** Informational responses (1xx) before the final one. */
const MAX_INFORMATIONAL = 16
const MAX_DETAIL_LENGTH = 300
const SENT_AGAIN =
  'The endpoint closed a kept connection before it responded, so the request was sent again on a new one and may have arrived twice.'

/** A POST to one address. Plain data, so that it can be sent to another thread. */
export interface PostRequest {
  /** Whose connections it may use. */
  endpointId: string
  hostname: string
  port: number
  path: string
  headers: Record<string, string>
  /** Adds headers with the time and signatures. */
  signing?: Signing | undefined
  /** The bytes as Latin-1. */
  body: string
}

export interface PostResult {
  /** Wall clock. Null without a start. */
  startedAt: number | null
  /** Headers that were added to those of the request. */
  signatures: Record<string, string>
  outcome: 'succeeded' | DeliveryError
  /** Null without a response. */
  status: number | null
  /** Names in lower case; empty without a response. */
  responseHeaders: Record<string, string>
  /** The part of the body that was read, at most 16 KiB, as Latin-1. */
  responseBody: string
  /** The body was longer, or did not arrive in time. */
  isBodyCut: boolean
  /** Details, if they say more than the outcome. */
  detail?: string
}

interface HttpPostDeps {
  agents: Agents
  lookup: LookupFunction
}

interface HttpPostListener {
  /** The status and the headers have arrived. */
  onResponse(): void
  onEnd(result: PostResult): void
}

/** The phase in which the time runs out decides the error. */
type Phase = 'resolving' | 'connecting' | 'waiting'
const TIMEOUT_ERRORS = {
  resolving: 'dns',
  connecting: 'connect_timeout',
  waiting: 'timeout',
} as const satisfies Record<Phase, DeliveryError>

/**
 * One POST and its response. The status decides the outcome, and must arrive before `timeOut`. What is left of the
 * time is for reading some of the body. Nothing after `onEnd` has an effect.
 */
export class HttpPost {
  #phase: Phase
  #request: ClientRequest | undefined
  #response: IncomingMessage | undefined
  #chunks: Buffer[] = []
  #bodyBytes = 0
  #informational = 0
  #isOver = false
  #wasSentAgain = false

  readonly #signatures: Record<string, string>

  constructor(
    private readonly deps: HttpPostDeps,
    private readonly post: PostRequest,
    /** Wall clock, now. */
    private readonly startedAt: number,
    private readonly listener: HttpPostListener,
  ) {
    const { signing } = post
    this.#signatures = signing ? signatureHeaders(signing, startedAt, Buffer.from(post.body, 'latin1')) : {}
    this.#phase = isIP(post.hostname) ? 'connecting' : 'resolving'
    this.#connect(deps.agents.kept)
  }

  timeOut(): void {
    if (this.#response) this.#finish(true)
    else this.#fail(TIMEOUT_ERRORS[this.#phase])
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
      headers: {
        ...this.post.headers,
        ...this.#signatures,
        // A small compressed response could decompress to any size.
        'Accept-Encoding': 'identity',
        'Content-Length': this.post.body.length,
      },
      maxHeaderSize: MAX_HEADERS_BYTES,
      lookup: this.#lookup,
    }
    const request = startRequest(options)
    this.#request = request
    request.on('socket', (socket) => this.#onSocket(socket))
    request.on('information', () => this.#onInformation())
    request.on('upgrade', () => this.#fail('bad_response', '101 is not a final HTTP status.'))
    request.on('response', (response) => this.#onResponse(response))
    request.on('error', (error) => this.#onError(request, error))
    // As text, headers and body go out in one write, which saves both sides a TLS record. Latin-1 keeps every byte.
    request.end(this.post.body, 'latin1')
  }

  readonly #lookup: LookupFunction = (hostname, options, call) => {
    this.deps.lookup(hostname, options, (error, ...found) => {
      if (!error) this.#advance('connecting')
      call(error, ...found)
    })
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
    this.listener.onResponse()
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

  /** Ends without a response. */
  #fail(outcome: DeliveryError, detail?: string): void {
    if (!this.#isFirstEnd()) return
    this.#request?.destroy()
    this.listener.onEnd({
      ...withoutResponse(outcome, this.startedAt),
      signatures: this.#signatures,
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
    this.listener.onEnd({
      startedAt: this.startedAt,
      signatures: this.#signatures,
      outcome: errorOfStatus(status) ?? 'succeeded',
      status,
      responseHeaders: headers,
      responseBody: this.#body(),
      isBodyCut,
      ...this.#detail(detailOf(status, headers)),
    })
  }

  #body(): string {
    const [only] = this.#chunks
    const whole = this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks)
    return whole.toString('latin1', 0, MAX_BODY_BYTES)
  }

  /** Adds whether the endpoint may have received the request twice. */
  #detail(what: string | undefined): { detail?: string } {
    const sentences = [this.#wasSentAgain ? SENT_AGAIN : undefined, what].filter((one) => one !== undefined)
    return sentences.length === 0 ? {} : { detail: sentences.join(' ').slice(0, MAX_DETAIL_LENGTH) }
  }

  #isFirstEnd(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    return true
  }
}

/** The result of a post that ended without a response. */
export function withoutResponse(outcome: DeliveryError, startedAt: number | null): PostResult {
  return {
    startedAt,
    signatures: {},
    outcome,
    status: null,
    responseHeaders: {},
    responseBody: '',
    isBodyCut: false,
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
