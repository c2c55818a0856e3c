import type { Agent, ClientRequest, IncomingMessage } from 'node:http'
import type { LookupFunction } from 'node:net'
import type { Clock } from '../../../clock.ts'
import { type ConnectionErrorCode, connectionErrorOf } from '../../../network/connection-errors.ts'
import { BotApiError, type BotApiFailure } from './bot-api-error.ts'

export interface Connection {
  clock: Clock
  isTls: boolean
  agent: Agent
  host: string
  port: number
  lookup: LookupFunction
}

export interface ApiRequest {
  method: 'GET' | 'POST'
  /** Contains the token, so it must not appear in errors. */
  path: string
  body?: { type: string; size: number; chunks(): AsyncIterable<Uint8Array> } | undefined
  signal?: AbortSignal | undefined
  /** The longest time without any data. */
  timeoutMs: number
}

interface ApiResponse {
  status: number
  /** Iterating rejects with `BotApiError`, also when the connection ends before the body does. */
  body: AsyncIterable<Uint8Array>
}

/** Sends a request, and resolves with the head of its response. Rejects with `BotApiError`. */
export function startApiRequest(connection: Connection, request: ApiRequest): Promise<ApiResponse> {
  return new Promise((resolve, reject) => new Exchange(connection, request, resolve, reject).start())
}

/** The whole body of a response. */
export async function readAll({ body }: ApiResponse, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > maxBytes) throw new BotApiError('unanswered', "Telegram's response is too long.")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** One request and its response. What ends it first decides the error. */
class Exchange {
  #request: ClientRequest | undefined
  #isHandedOver = false
  #failure: BotApiError | undefined
  #cancelTimer = () => {}
  #stopListening = () => {}

  constructor(
    private readonly connection: Connection,
    private readonly options: ApiRequest,
    private readonly resolve: (response: ApiResponse) => void,
    private readonly reject: (error: BotApiError) => void,
  ) {}

  start(): void {
    const { isTls, agent, host, port, lookup } = this.connection
    const { method, path, body, signal } = this.options
    const onAbort = () => this.#fail('interrupted', INTERRUPTED)
    if (signal?.aborted) {
      onAbort()
      return
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#stopListening = () => signal?.removeEventListener('abort', onAbort)
    this.#restartTimer()
    const headers = body ? { 'content-type': body.type, 'content-length': body.size } : {}
    const options = { method, agent, host, port, path, headers, lookup }
    const request = process.getBuiltinModule(isTls ? 'node:https' : 'node:http').request(options)
    this.#request = request
    request.on('error', (error) => this.#onError(error))
    request.on('response', (response) => this.#onResponse(response))
    this.#send(request).catch((error) => this.#onError(error))
  }

  async #send(request: ClientRequest): Promise<void> {
    let sent = 0
    const { body } = this.options
    for await (const chunk of body?.chunks() ?? []) {
      if (this.#failure) return
      sent += chunk.byteLength
      if (body && sent === body.size) this.#isHandedOver = true
      const isRoomLeft = request.write(chunk)
      this.#restartTimer()
      if (!isRoomLeft) await drained(request)
    }
    if (body && sent !== body.size) throw new Error("The body doesn't have the announced length.")
    request.end()
  }

  #onResponse(response: IncomingMessage): void {
    if (this.#failure) return
    this.#restartTimer()
    this.resolve({ status: response.statusCode ?? 0, body: this.#bodyOf(response) })
  }

  async *#bodyOf(response: IncomingMessage): AsyncIterable<Uint8Array> {
    let isComplete = false
    try {
      for await (const chunk of response) {
        this.#restartTimer()
        yield chunk
      }
      isComplete = response.complete
    } catch (error) {
      throw this.#failure ?? new BotApiError('unanswered', sentenceOfCut(error))
    } finally {
      this.#end()
      // A connection whose response was not read to its end can't be used again.
      if (!isComplete) this.#request?.destroy()
    }
    if (this.#failure) throw this.#failure
    if (!isComplete) throw new BotApiError('unanswered', CUT)
  }

  #onError(error: Error): void {
    if (this.#failure) return
    const code = connectionErrorOf(error)
    if (code) this.#fail('not_sent', `${this.connection.host} ${SENTENCES[code]}`)
    else this.#fail(this.#isHandedOver ? 'unanswered' : 'not_sent', sentenceOfCut(error))
  }

  #restartTimer(): void {
    const { clock } = this.connection
    this.#cancelTimer()
    this.#cancelTimer = clock.after(this.options.timeoutMs, () =>
      this.#fail(this.#isHandedOver ? 'unanswered' : 'not_sent', "Telegram didn't respond in time."),
    )
  }

  #fail(kind: BotApiFailure, message: string): void {
    if (this.#failure) return
    this.#failure = new BotApiError(kind, message)
    this.#end()
    this.#request?.destroy()
    this.reject(this.#failure)
  }

  #end(): void {
    this.#cancelTimer()
    this.#stopListening()
  }
}

const INTERRUPTED = 'The request was interrupted.'
const CUT = 'The connection to Telegram was lost.'

/** Each follows the name of the host. */
const SENTENCES: Record<ConnectionErrorCode, string> = {
  dns: "couldn't be resolved.",
  blocked_address: 'has no public address.',
  connect_refused: "can't be reached.",
  connect_timeout: "can't be reached.",
  tls_expired: 'has an expired certificate.',
  tls_untrusted: 'has an untrusted certificate.',
  tls_name: 'has a certificate for another name.',
}

/** Codes such as `ECONNRESET` say nothing to people, and texts of errors could contain the address. */
function sentenceOfCut(error: unknown): string {
  return error instanceof BotApiError ? error.message : CUT
}

function drained(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      request.off('drain', go)
      request.off('close', go)
      resolve()
    }
    request.on('drain', go)
    request.on('close', go)
  })
}
