import { AppError } from '../errors.ts'
import { pathOf } from '../requests/query.ts'

export interface KnownRoute {
  method: string
  path: string
}

/** 405 with `Allow` where the path exists for other methods, 404 otherwise. */
export function unknownRoute(routes: KnownRoute[], request: Request): AppError {
  const pathname = pathOf(request.url)
  const methods = new Set(
    routes
      .filter(({ path }) => !path.endsWith('*') && isMatch(path, pathname))
      .map(({ method }) => method.toUpperCase()),
  )
  if (methods.has('GET')) methods.add('HEAD')
  if (methods.size === 0)
    return new AppError(404, 'unknown_route', `There is nothing at ${pathname.slice(0, 200)}.`)
  const allow = [...methods].sort().join(', ')
  return new AppError(405, 'method_not_allowed', `This path supports ${allow}.`, { headers: { allow } })
}

function isMatch(pattern: string, pathname: string): boolean {
  const expected = pattern.split('/')
  const parts = pathname.replace(/(?<=.)\/$/, '').split('/')
  if (expected.length !== parts.length) return false
  return expected.every((part, place) => (part.startsWith(':') ? parts[place] !== '' : part === parts[place]))
}
