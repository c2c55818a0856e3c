import type { Native } from '../contract.ts'

// Tokens go in a header, never in an address: addresses are logged.

/** After this long, a request counts as lost, such as after a laptop's sleep. */
const MAX_REQUEST_MS = 30_000
const DEFAULT_PAUSE_MS = 10_000

/** A response that isn't a success. `status` is 0 if there was none. */
export class ApiProblem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    /** How long the server asks to wait. */
    readonly pauseMs = 0,
  ) {
    super(detail)
  }

  /** Whether the same request may succeed later. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status >= 500 || this.status === 429 || this.status === 408
  }
}

export type VisitorApi = ReturnType<typeof createVisitorApi>

export function createVisitorApi(base: string, native: Native, currentToken: () => string | undefined) {
  async function send(path: string, init: RequestInit): Promise<Response> {
    let response: Response
    try {
      response = await native('fetch')(`${base}/${path}`, { ...init, credentials: 'omit' })
    } catch (error) {
      throw problemFrom(error)
    }
    if (!response.ok)
      throw problemOf(response.status, await response.text(), response.headers.get('retry-after'))
    return response
  }

  async function sendInTime<Result>(
    path: string,
    init: RequestInit,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const controller = new (native('AbortController'))()
    const timeout = setTimeout(() => controller.abort(), MAX_REQUEST_MS)
    try {
      return await read(await send(path, { ...init, signal: controller.signal }))
    } catch (error) {
      // The connection was cut in the middle of the response.
      throw problemFrom(error)
    } finally {
      clearTimeout(timeout)
    }
  }

  function headers(more?: Record<string, string>): Record<string, string> {
    const token = currentToken()
    return { ...(token && { authorization: `Bearer ${token}` }), ...more }
  }

  return {
    call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
      const init = {
        method,
        headers: headers(body === undefined ? {} : { 'content-type': 'application/json' }),
      }
      const withBody = body === undefined ? init : { ...init, body: JSON.stringify(body) }
      return sendInTime(path, withBody, (response) =>
        response.status === 204 ? (undefined as never) : response.json(),
      )
    },
    readFile: (id: string) =>
      sendInTime(`files/${id}`, { headers: headers() }, (response) => response.blob()),
    /** With `isOnce` the stream ends after what was missed. */
    openEvents: (after: number, isOnce: boolean, signal: AbortSignal) =>
      send(`events?after=${after}${isOnce ? '&once=1' : ''}`, { headers: headers(), signal }),
    /** For requests made elsewhere, such as uploads. */
    headers,
    base,
    native,
  }
}

/** What was thrown, when the server was not reached or for another reason. */
export function problemFrom(error: unknown): ApiProblem {
  return error instanceof ApiProblem ? error : new ApiProblem(0, 'unreachable', String(error))
}

/** Reads a problem document. */
export function problemOf(status: number, text: string, retryAfter: string | null): ApiProblem {
  const pauseMs = status === 429 ? Number(retryAfter) * 1_000 || DEFAULT_PAUSE_MS : 0
  try {
    const { code, detail } = JSON.parse(text)
    return new ApiProblem(status, String(code), String(detail), pauseMs)
  } catch {
    // From a proxy.
    return new ApiProblem(status, 'unknown', '', pauseMs)
  }
}
