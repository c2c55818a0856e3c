import { AppError } from '../errors.ts'
import { pathOf } from '../requests/query.ts'

export interface KnownRoute {
  method: string
  path: string
}

/**
 * 405 with `Allow` where the path exists for other methods, 404 otherwise. Where several paths match, the one with its own
 * words in place of parameters says what it takes: `/tickets/bulk`, not `/tickets/:id`.
 */
export function unknownRoute(routes: KnownRoute[], request: Request): AppError {
  const pathname = pathOf(request.url)
  const matching = routes.filter(({ path }) => !path.endsWith('*') && isMatch(path, pathname))
  const [closest] = matching.map(({ path }) => placesOfParameters(path)).sort()
  const methods = new Set(
    matching
      .filter(({ path }) => placesOfParameters(path) === closest)
      .map(({ method }) => method.toUpperCase()),
  )
  if (methods.has('GET')) methods.add('HEAD')
  if (methods.size === 0)
    return new AppError(404, 'unknown_route', `There is nothing at ${pathname.slice(0, 200)}.`)
  const allow = [...methods].sort().join(', ')
  return new AppError(405, 'method_not_allowed', `This path supports ${allow}.`, { headers: { allow } })
}

/** `0001` for `/v1/tickets/:id`, which sorts after `0000` of `/v1/tickets/bulk`. */
function placesOfParameters(path: string): string {
  return path
    .split('/')
    .map((part) => Number(part.startsWith(':')))
    .join('')
}

function isMatch(pattern: string, pathname: string): boolean {
  const expected = pattern.split('/')
  const parts = pathname.replace(/(?<=.)\/$/, '').split('/')
  if (expected.length !== parts.length) return false
  return expected.every((part, place) => (part.startsWith(':') ? parts[place] !== '' : part === parts[place]))
}
