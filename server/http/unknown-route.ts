import { AppError } from '../errors.ts'

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
  const given = pathname.replace(/(?<=.)\/$/, '').split('/')
  if (expected.length !== given.length) return false
  return expected.every((part, place) => (part.startsWith(':') ? given[place] !== '' : part === given[place]))
}

/** The path of a request's URL. Faster than `URL`, and works with an invalid `Host` header or a bare path. */
export function pathOf(url: string): string {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3)
  const end = url.indexOf('?', start)
  return end < 0 ? url.slice(start) : url.slice(start, end)
}
