import { AppError } from '../errors.ts'

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Refuses a change from another site with the agent's cookie, with a 403. Browsers send `Sec-Fetch-Site`, and on plain
 * http `Origin`. A request with neither doesn't come from our pages.
 */
export function requireSameOrigin(request: Request, publicUrl: string | undefined): void {
  if (SAFE_METHODS.includes(request.method)) return
  const { headers } = request
  const site = headers.get('sec-fetch-site')
  const isOurs = site === null ? isOurOrigin(headers, publicUrl) : site === 'same-origin'
  if (isOurs) return
  throw new AppError(403, 'cross_origin', 'Changes with a session come only from the pages of this server.')
}

/** Accepts both schemes, because a request doesn't show whether a proxy terminated TLS. */
function isOurOrigin(headers: Headers, publicUrl: string | undefined): boolean {
  const origin = headers.get('origin')
  if (origin === null || !URL.canParse(origin) || new URL(origin).origin !== origin) return false
  if (publicUrl !== undefined && origin === new URL(publicUrl).origin) return true
  return new URL(origin).host === headers.get('host')
}
