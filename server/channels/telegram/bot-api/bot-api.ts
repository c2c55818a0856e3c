import type { Agent } from 'node:http'
import type { ApiMethods, ApiResponse } from '@grammyjs/types'
import type { Clock } from '../../../clock.ts'
import type { AddressPolicy } from '../../../network/address-policy.ts'
import { checkedLookup, type Resolve, resolveName } from '../../../network/checked-lookup.ts'
import { createTrust } from '../../../network/trusted-certificates.ts'
import { BotApiError, errorOfAnswer } from './bot-api-error.ts'
import { type ApiRequest, type Connection, readAll, startApiRequest } from './bot-api-request.ts'

/** Less than what most servers keep an idle connection for, so that this side closes it first. */
const MAX_IDLE_MS = 4_000
const IDLE_SOCKETS = 16
const TIMEOUT_MS = 30_000
/** A hundred updates are at most about 1 MiB. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** Uploads are named in the parameters as `attach://FIELD`. */
type Methods = ApiMethods<never>
type BotApiMethod = keyof Methods & string
type BotApiParams<Method extends BotApiMethod> = Parameters<Methods[Method]>[0]
type BotApiResult<Method extends BotApiMethod> = ReturnType<Methods[Method]>

/** A file to upload. Its bytes are read while they are sent, and again for each attempt. */
export interface UploadedFile {
  /** Named in the parameters as `attach://FIELD`. */
  field: string
  name: string
  type: string
  /** Bytes. */
  size: number
  open(): AsyncIterable<Uint8Array>
}

interface CallOptions {
  /** Ends the request; it rejects as `interrupted`. */
  signal?: AbortSignal | undefined
  /** Counted from the last byte sent or received. 30 seconds by default. */
  timeoutMs?: number
  files?: UploadedFile[]
}

/**
 * The Bot API of Telegram (core.telegram.org/bots/api). Doesn't use `fetch`, because Bun runs at most 256 at a time and
 * each bot waits for its messages in its own request. Doesn't use grammY, because it does: its errors contain the URL
 * with the token, don't say whether a message may have been sent, and can't end a request by our clock.
 */
export interface BotApi {
  /** Rejects with `BotApiError`. */
  call<Method extends BotApiMethod>(
    token: string,
    method: Method,
    params: BotApiParams<Method>,
    options?: CallOptions,
  ): Promise<BotApiResult<Method>>
  /** The bytes of a file, by the path that `getFile` returned. Iterating rejects with `BotApiError`. */
  download(token: string, path: string, options?: Omit<CallOptions, 'files'>): AsyncIterable<Uint8Array>
  /** Closes idle connections. */
  close(): void
}

interface BotApiOptions {
  clock: Clock
  /** `http://` or `https://`, without a slash at the end. */
  root: string
  /** DNS by default. */
  resolve?: Resolve
}

export function createBotApi({ clock, root, resolve = resolveName }: BotApiOptions): BotApi {
  const { protocol, hostname, port, pathname } = new URL(root)
  const isTls = protocol === 'https:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const base = pathname.replace(/\/$/, '')
  const kept = { keepAlive: true, maxFreeSockets: IDLE_SOCKETS, timeout: MAX_IDLE_MS }
  let agent: Agent | undefined

  function connection(): Connection {
    // Loaded when first used, so that the server starts faster.
    const { Agent } = process.getBuiltinModule(isTls ? 'node:https' : 'node:http')
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED in the environment has no effect.
    agent ??= isTls
      ? new Agent({ ...kept, secureContext: createTrust(undefined), rejectUnauthorized: true })
      : new Agent(kept)
    return {
      clock,
      isTls,
      agent,
      host,
      port: port === '' ? (isTls ? 443 : 80) : Number(port),
      lookup: checkedLookup(resolve, EVERY_ADDRESS),
    }
  }

  function start(request: Omit<ApiRequest, 'timeoutMs'>, timeoutMs = TIMEOUT_MS) {
    return startApiRequest(connection(), { ...request, path: `${base}${request.path}`, timeoutMs })
  }

  async function call<Method extends BotApiMethod>(
    token: string,
    method: Method,
    params: BotApiParams<Method>,
    { signal, timeoutMs, files = [] }: CallOptions = {},
  ): Promise<BotApiResult<Method>> {
    const body = files.length > 0 ? multipartOf(params ?? {}, files) : jsonOf(params)
    const response = await start(
      { method: 'POST', path: `/bot${checkedToken(token)}/${method}`, body, signal },
      timeoutMs,
    )
    const answer = readAnswer(await readAll(response, MAX_ANSWER_BYTES))
    if (isSuccess<BotApiResult<Method>>(answer)) return answer.result
    throw errorOfAnswer(refusalOf(response.status, answer, token))
  }

  async function* download(
    token: string,
    path: string,
    { signal, timeoutMs }: Omit<CallOptions, 'files'> = {},
  ): AsyncIterable<Uint8Array> {
    const safePath = path.split('/').map(encodeURIComponent).join('/')
    const response = await start(
      { method: 'GET', path: `/file/bot${checkedToken(token)}/${safePath}`, signal },
      timeoutMs,
    )
    if (response.status === 200) return yield* response.body
    const answer = readAnswer(await readAll(response, MAX_ANSWER_BYTES))
    throw errorOfAnswer(refusalOf(response.status, answer, token))
  }

  return { call, download, close: () => agent?.destroy() }
}

/** The operator has chosen the server. */
const EVERY_ADDRESS: AddressPolicy = { allows: () => true, refusalOfHost: () => null }
/** `123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11`, as BotFather writes it. */
const TOKEN = /^\d{1,20}:[\w-]{1,256}$/

/** Whether a text has the form of a token. */
export function isBotToken(text: string): boolean {
  return TOKEN.test(text)
}

function checkedToken(token: string): string {
  if (!isBotToken(token)) throw new BotApiError('not_sent', "This isn't a bot token.")
  return token
}

function jsonOf(params: object | undefined): ApiRequest['body'] {
  const bytes = Buffer.from(JSON.stringify(params ?? {}))
  return {
    type: 'application/json',
    size: bytes.length,
    async *chunks() {
      yield bytes
    },
  }
}

/** The body of a request with files (RFC 7578). Parameters that aren't text are sent as JSON. */
function multipartOf(params: object, files: UploadedFile[]): ApiRequest['body'] {
  const boundary = `bellhop-${crypto.randomUUID()}`
  const fields = Object.entries(params)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${text}\r\n`
    })
  const start = Buffer.from(fields.join(''))
  const parts = files.map((file) => ({ file, head: Buffer.from(headOf(boundary, file)) }))
  const lineEnd = Buffer.from('\r\n')
  const end = Buffer.from(`--${boundary}--\r\n`)
  const ofParts = parts.reduce((sum, { head, file }) => sum + head.length + file.size + lineEnd.length, 0)
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    size: start.length + ofParts + end.length,
    async *chunks() {
      yield start
      for (const { head, file } of parts) {
        yield head
        yield* file.open()
        yield lineEnd
      }
      yield end
    },
  }
}

function headOf(boundary: string, { field, name, type }: UploadedFile): string {
  const disposition = `form-data; name="${quoted(field)}"; filename="${quoted(name)}"`
  return `--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${type.replaceAll(/[\r\n]/g, '')}\r\n\r\n`
}

/** As browsers do it: section 4.2 of RFC 7578 leaves it open. */
function quoted(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function readAnswer(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString())
  } catch {
    return undefined
  }
}

function isSuccess<Result>(answer: unknown): answer is Extract<ApiResponse<Result>, { ok: true }> {
  return typeof answer === 'object' && answer !== null && 'ok' in answer && answer.ok === true
}

/** Anything other than a Bot API response comes from something in between, such as a proxy. */
function refusalOf(status: number, answer: unknown, token: string) {
  const refusal: Partial<Extract<ApiResponse<unknown>, { ok: false }>> =
    typeof answer === 'object' && answer !== null ? answer : {}
  const { error_code: code, description, parameters } = refusal
  const retryAfter = parameters?.retry_after
  return {
    code: typeof code === 'number' ? code : status < 400 ? 502 : status,
    description: typeof description === 'string' ? description.replaceAll(token, '…') : '',
    ...(typeof retryAfter === 'number' && { retryAfterMs: retryAfter * 1000 }),
  }
}
