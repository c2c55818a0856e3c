import type { components } from './types.ts'

type Schemas = components['schemas']

/** An answer of 400 or more (RFC 9457). */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: number
  /** What to decide by, such as `not_found`. `unknown` when something between you and Bellhop answered. */
  readonly code: Schemas['ErrorCode'] | 'unknown'
  /** One entry for each wrong field or parameter. */
  readonly errors: Schemas['FieldError'][]
  /** Search the log of the server for it. */
  readonly requestId: string | undefined
  readonly headers: Headers
  /** Only with `external_id_taken`: the ticket or customer that has the external id. */
  readonly id: string | undefined

  constructor(response: Response, text: string) {
    const body = problemIn(text)
    super(body ? `${body.code}: ${body.detail}` : `The server answered ${response.status}.`)
    this.status = response.status
    this.code = body?.code ?? 'unknown'
    this.errors = body?.errors ?? []
    this.requestId = body?.requestId ?? response.headers.get('x-request-id') ?? undefined
    this.headers = response.headers
    this.id = body?.id
  }
}

function problemIn(text: string): Schemas['Problem'] | undefined {
  try {
    const body = JSON.parse(text)
    return typeof body?.code === 'string' ? body : undefined
  } catch {
    return undefined
  }
}
