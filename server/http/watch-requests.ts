import type { AnyElysia } from 'elysia'
import type { Clock } from '../clock.ts'
import { pathOf } from './path-of.ts'
import type { KnownRoute } from './unknown-route.ts'

/** A request and its answer. `route` is the pattern it met, such as `/v1/tickets/:id` or `/inbox/*`, or `unknown`. */
export interface Seen {
  method: string
  route: string
  status: number
  durationMs: number
  /** For what few ask for: reading a header costs as much as all of the above. */
  response: Response
}

/**
 * Tells of every answered request, errors too. It wraps the handlers from outside: a hook of Elysia after the answer
 * would take a turn of the event loop for each request. Costs well under a microsecond.
 */
export function watchRequests<App extends AnyElysia>(
  app: App,
  clock: Clock,
  tell: (seen: Seen) => void,
): App {
  const routeOf = createRouteFinder(app.routes)
  app.wrap((handle) => (request: Request) => {
    const startedAt = clock.monotonic()
    const end = (response: unknown): unknown => {
      if (!(response instanceof Response)) return response
      tell({
        method: request.method,
        route: routeOf(request.url),
        status: response.status,
        durationMs: clock.monotonic() - startedAt,
        response,
      })
      return response
    }
    const answer: unknown = handle(request)
    return answer instanceof Promise ? answer.then(end) : end(answer)
  })
  return app
}

/** The pattern of an address. Every pattern is known before the first request, so the label has few values. */
function createRouteFinder(routes: KnownRoute[]): (url: string) => string {
  const paths = new Set(routes.map(({ path }) => path))
  // By another method than GET, `*` is what takes the addresses that nothing else does.
  const pages = routes.filter(({ method, path }) => method === 'GET' && path.endsWith('/*'))
  const patterns = [...paths]
    .filter((path) => path.includes(':'))
    .concat(pages.map(({ path }) => path))
    .map((path) => ({ path, regex: patternOf(path) }))
  return (url) => {
    const path = pathOf(url)
    if (paths.has(path)) return path
    return patterns.find(({ regex }) => regex.test(path))?.path ?? 'unknown'
  }
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:[^/]+/g, '[^/]+').replace(/\*$/, '.*')}$`)
}
