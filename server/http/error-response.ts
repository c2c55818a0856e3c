import { ParseError } from 'elysia'
import { isDiskFull, isStorageFault, StorageError } from '../database/database.ts'
import type { Deps } from '../deps.ts'
import { AppError, type Fault } from '../errors.ts'

/** `application/problem+json` (RFC 9457) with a stable `code` and the request id. */
interface Problem {
  type: string
  title: string
  status: number
  detail: string
  code: string
  requestId: string
  id?: string
  errors?: Fault[]
}

/** Turns any error into a problem document. An unexpected error is logged, and the response hides its details. */
export function errorResponse(deps: Deps, error: unknown, requestId: string): Response {
  const refusal = asAppError(error)
  if (!refusal) deps.log.error('request_failed', { requestId, error })
  const { status, code, message, more } =
    refusal ??
    new AppError(
      500,
      'internal_error',
      'Something went wrong on the server. Try again. To find the cause, search the server log for the request id.',
    )
  if (isStorageFault(error)) logStorageFault(deps, error, requestId)
  const problem: Problem = {
    type: 'about:blank',
    title: process.getBuiltinModule('node:http').STATUS_CODES[status] ?? 'Error',
    status,
    detail: message,
    code,
    requestId,
    ...(more.id === undefined ? {} : { id: more.id }),
    ...(more.errors ? { errors: more.errors } : {}),
  }
  return new Response(JSON.stringify(problem), {
    status,
    headers: { ...more.headers, 'content-type': 'application/problem+json' },
  })
}

const LOG_EVERY_MS = 60_000
const lastLogged = new WeakMap<Deps['log'], number>()

/** Once a minute: on a full disk, every request fails, and the log may be on the same disk. */
function logStorageFault({ log, clock }: Deps, error: unknown, requestId: string): void {
  const now = clock.monotonic()
  if (now - (lastLogged.get(log) ?? -LOG_EVERY_MS) < LOG_EVERY_MS) return
  lastLogged.set(log, now)
  log.error('storage_failed', { requestId, error })
}

function asAppError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error
  if (isStorageFault(error)) {
    return new AppError(503, 'storage_unavailable', storageMessage(error), {
      headers: { 'retry-after': '5' },
    })
  }
  // Elysia throws this only when the client closes the connection while the body is read.
  if (error instanceof ParseError) {
    return new AppError(400, 'incomplete_body', 'The body is incomplete. Send the request again.')
  }
  return undefined
}

function storageMessage(error: unknown): string {
  if (isDiskFull(error)) {
    return "The change couldn't be saved, because the server's disk is full. Nothing changed. Try again."
  }
  if (!(error instanceof StorageError)) return "The data can't be read right now. Try again."
  return error.isCertain
    ? "The change couldn't be saved. Nothing changed. Try again."
    : 'The change may not have been saved, because the database connection was lost. Try again with the same Idempotency-Key.'
}
