import { createId } from '../ids.ts'

const SAFE_ID = /^[A-Za-z0-9._:/+=-]{1,128}$/

/** The caller's request id if it is safe in headers and logs, otherwise a new one. */
export function requestId(request: Request, now: number): string {
  const given = request.headers.get('x-request-id')
  return given !== null && SAFE_ID.test(given) ? given : createId('req', now)
}
