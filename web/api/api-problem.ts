/** What is wrong with one field of a body, or with one parameter of an address. */
interface ProblemFault {
  /** JSON pointer into the body, such as `/email`. */
  pointer?: string
  parameter?: string
  code: string
  detail: string
}

/** Why a request was not done: the problem document of the server, or that it was not reached (`status` 0, `offline`). */
export class ApiProblem extends Error {
  override name = 'ApiProblem'

  constructor(
    readonly status: number,
    /** Stable, for the page to decide by. */
    readonly code: string,
    /** A sentence for the person. */
    readonly detail: string,
    readonly errors: ProblemFault[] = [],
    /** Seconds until it may be tried again, where the server said so. */
    readonly retryAfter?: number,
  ) {
    super(detail)
  }
}

/** The code of an answer that is no problem document: something between the page and the server gave it. */
export const UNREADABLE = 'unreadable'

/** Reads the problem document of an answer. A proxy in between may have answered something else. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const text = await response.text()
  const { code, detail, errors } = parse(text)
  const after = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ApiProblem(
    response.status,
    typeof code === 'string' ? code : UNREADABLE,
    typeof detail === 'string' ? detail : `The server answered ${response.status} without saying why.`,
    Array.isArray(errors) ? errors.filter(isFault) : [],
    Number.isFinite(after) ? after : undefined,
  )
}

/** The server was not reached: switched off, no network, or it hung up. */
export function offlineProblem(): ApiProblem {
  return new ApiProblem(0, 'offline', 'The server cannot be reached. Check your connection and try again.')
}

/** A sentence for whatever was thrown. */
export function sentenceOf(error: unknown): string {
  return error instanceof ApiProblem
    ? error.detail
    : 'Something went wrong on this page. Reload it and try again.'
}

/** What the page decides by: the code of a refusal, `offline`; undefined for what is no answer of the server. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof ApiProblem ? error.code : undefined
}

/** Whether the server says that what was asked for does not exist, or no more; a 404 of a proxy says nothing of that. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 404 && error.code !== UNREADABLE
}

/** The sentence about one field of the body, such as `email`; undefined when nothing is wrong with it. */
export function faultOf(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiProblem)) return undefined
  return error.errors.find(({ pointer }) => pointer === `/${field}`)?.detail
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

function isFault(value: unknown): value is ProblemFault {
  return typeof value === 'object' && value !== null && 'detail' in value && typeof value.detail === 'string'
}
