import type { AnyElysia } from 'elysia'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { pathOf } from '../requests/query.ts'
import type { KnownRoute } from './unknown-route.ts'

/** A finished request. `route` is the pattern it matched, such as `/v1/tickets/:id` or `/inbox/*`, or `unknown`. */
export interface FinishedRequest {
  method: string
  route: string
  status: number
  durationMs: number
  /** For callers that need its headers. Reading one takes as long as all of the above. */
  response: Response
}

/**
 * Calls `onFinish` for every request, including failed ones. It wraps the handlers, because an Elysia hook after the
 * response would take an event loop tick per request. Costs less than a microsecond.
 */
export function watchRequests<App extends AnyElysia>(
  app: App,
  clock: Clock,
  onFinish: (request: FinishedRequest) => void,
): App {
  const routeOf = createRouteFinder(app.routes)
  app.wrap((handle) => (request: Request) => {
    const startedAt = clock.monotonic()
    const finish = (response: unknown): unknown => {
      if (!(response instanceof Response)) return response
      onFinish({
        method: request.method,
        route: routeOf(request.method, request.url),
        status: response.status,
        durationMs: clock.monotonic() - startedAt,
        response,
      })
      return response
    }
    const response: unknown = handle(request)
    return response instanceof Promise ? response.then(finish) : finish(response)
  })
  return app
}

/** Logs one line per request, without its query, body, key, or sender. */
export function logRequest(log: Log): (request: FinishedRequest) => void {
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

/**
 * Finds the pattern of a request. All patterns are known before the first request, and a method that a route doesn't have
 * is `unknown`, so the label has few values whatever is sent.
 */
function createRouteFinder(routes: KnownRoute[]): (method: string, url: string) => string {
  const ofMethod = Map.groupBy(routes, ({ method }) => method)
  const known = new Map(
    [...ofMethod].map(([method, its]) => {
      const paths = its.map(({ path }) => path)
      // Others that end in `*` are the fallback for unknown paths.
      const open = paths.filter((path) => path.includes(':') || (method === 'GET' && path.endsWith('/*')))
      return [
        method,
        { paths: new Set(paths), patterns: open.map((path) => ({ path, regex: patternOf(path) })) },
      ]
    }),
  )
  return (sent, url) => {
    const path = pathOf(url)
    const { paths, patterns = [] } = known.get(sent === 'HEAD' ? 'GET' : sent) ?? {}
    if (paths?.has(path)) return path
    return patterns.find(({ regex }) => regex.test(path))?.path ?? 'unknown'
  }
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:[^/]+/g, '[^/]+').replace(/\*$/, '.*')}$`)
}
