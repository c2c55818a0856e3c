import { ParseError } from 'elysia'
import { isStorageFault } from '../database/database.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { problemOf, refusalOf } from '../responses/problem.ts'

/** Turns any error into a problem document. An unexpected error is logged, and the response hides its details. */
export function errorResponse(deps: Deps, error: unknown, requestId: string): Response {
  const refusal = asAppError(error)
  if (!refusal) deps.log.error('request_failed', { requestId, error })
  const { headers } = refusal?.more ?? {}
  const problem = problemOf(refusal, requestId)
  if (isStorageFault(error)) logStorageFault(deps, error, requestId)
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { ...headers, 'content-type': 'application/problem+json' },
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
  const refusal = refusalOf(error)
  if (refusal) return refusal
  // Elysia throws this only when the client closes the connection while the body is read.
  if (error instanceof ParseError) {
    return new AppError(400, 'incomplete_body', 'The body is incomplete. Send the request again.')
  }
  return undefined
}
