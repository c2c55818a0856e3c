import { createId } from '../ids.ts'

const SAFE_ID = /^[A-Za-z0-9._:/+=-]{1,128}$/

/** The caller's own id where it is safe to repeat in headers and logs, a new one otherwise. */
export function requestId(request: Request, now: number): string {
  const given = request.headers.get('x-request-id')
  return given !== null && SAFE_ID.test(given) ? given : createId('req', now)
}
