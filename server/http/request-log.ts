import type { Log } from '../log.ts'
import type { Seen } from './watch-requests.ts'

/** One line for each request: never its query, body, key or sender. */
export function logRequest(log: Log): (seen: Seen) => void {
  return ({ method, route, status, durationMs, response }) => {
    const requestId = response.headers.get('x-request-id')
    log.debug('request', {
      requestId,
      method,
      route,
      status,
      durationMs: Math.round(durationMs * 1000) / 1000,
    })
  }
}
