/** What is wrong with one field of a request body, or with one query parameter. */
interface FieldError {
  /** JSON pointer into the request body, such as `/email`. */
  pointer?: string
  parameter?: string
  code: string
  detail: string
}

/** Why a request failed: the server's problem document, or `offline` (status 0) when the server wasn't reached. */
export class ApiProblem extends Error {
  override name = 'ApiProblem'

  constructor(
    readonly status: number,
    /** Stable. Pages decide by it. */
    readonly code: string,
    /** A sentence to show. */
    readonly detail: string,
    readonly errors: FieldError[] = [],
    /** Seconds to wait before trying again, if the server sent them. */
    readonly retryAfter?: number,
  ) {
    super(detail)
  }
}

/** The code for a response that isn't a problem document, for example from a proxy. */
export const UNREADABLE = 'unreadable'

/** The agent was signed in over http. They have to sign in again, and may wonder why. */
export const MOVED_TO_HTTPS = 'moved_to_https'

/** Reads the problem document of a response. A proxy may have sent something else. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const text = await response.text()
  const { code, detail, errors } = parse(text)
  const after = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ApiProblem(
    response.status,
    typeof code === 'string' ? code : UNREADABLE,
    typeof detail === 'string'
      ? detail
      : `The server returned an unknown error (${response.status}). Try again.`,
    Array.isArray(errors) ? errors.filter(isFieldError) : [],
    Number.isFinite(after) ? after : undefined,
  )
}

/** The server wasn't reached: it is down, there is no network, or the connection was closed. */
export function offlineProblem(): ApiProblem {
  return new ApiProblem(0, 'offline', "Can't reach the server. Check your connection and try again.")
}

/** The sentence to show for a thrown value. Fields are named as words: the server's own sentence has JSON pointers. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof ApiProblem)) return 'Something went wrong. Reload the page and try again.'
  const sentences = new Set(error.errors.map(fieldSentence))
  return sentences.size === 0 ? error.detail : [...sentences].join(' ')
}

/** The problem code of a thrown value, or undefined if it isn't an `ApiProblem`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof ApiProblem ? error.code : undefined
}

/** Whether a problem code says that no one is signed in. Without a cookie, `/v1` asks for an API key instead. */
export function isSignedOutCode(code: string | undefined): boolean {
  return code === 'signed_out' || code === 'unauthorized' || code === MOVED_TO_HTTPS
}

/** Whether the server said that the resource doesn't exist. A 404 from a proxy doesn't count. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 404 && error.code !== UNREADABLE
}

/** The sentence about a field of the request body, such as `email`, or about a part of it. */
export function faultAt(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiProblem)) return undefined
  return error.errors.find((one) => isAt(one, field))?.detail
}

/** Whether the server found faults, all of them in these fields. */
export function areFaultsIn(error: unknown, fields: readonly string[]): boolean {
  if (!(error instanceof ApiProblem) || error.errors.length === 0) return false
  return error.errors.every((one) => fields.some((field) => isAt(one, field)))
}

function isAt({ pointer = '' }: FieldError, field: string): boolean {
  return pointer === `/${field}` || pointer.startsWith(`/${field}/`)
}

/** “Must be at most 255 characters.” at `/subject` is “Subject must be at most 255 characters.” */
function fieldSentence({ pointer = '', parameter, detail }: FieldError): string {
  const names = pointer.split('/').filter((part) => part !== '' && !/^\d+$/.test(part))
  const name = (parameter ?? names.at(-1) ?? '').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  if (name === '') return detail
  const subject = `${name[0]?.toUpperCase()}${name.slice(1)}`
  if (detail.startsWith('Must ')) return `${subject} m${detail.slice(1)}`
  if (detail.startsWith('This field ')) return `${subject}${detail.slice('This field'.length)}`
  return detail.startsWith('Unknown ') ? `${subject}: ${detail}` : detail
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

function isFieldError(value: unknown): value is FieldError {
  return typeof value === 'object' && value !== null && 'detail' in value && typeof value.detail === 'string'
}
