import { AppError } from '../errors.ts'

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Refuses (403) a change that another site's page asks for with the agent's cookie. Browsers say where a request comes
 * from in `Sec-Fetch-Site`, and on plain http in `Origin`; one that says neither is no page of ours.
 */
export function requireSameOrigin(request: Request, publicUrl: string | undefined): void {
  if (SAFE_METHODS.includes(request.method)) return
  const { headers } = request
  const site = headers.get('sec-fetch-site')
  const isOurs = site === null ? isOurOrigin(headers, publicUrl) : site === 'same-origin'
  if (isOurs) return
  throw new AppError(403, 'cross_origin', 'Changes with a session come only from the pages of this server.')
}

/** The scheme may be either: a proxy in front that ends TLS leaves no trace of it in the request. */
function isOurOrigin(headers: Headers, publicUrl: string | undefined): boolean {
  const origin = headers.get('origin')
  if (origin === null || !URL.canParse(origin) || new URL(origin).origin !== origin) return false
  if (publicUrl !== undefined && origin === new URL(publicUrl).origin) return true
  return new URL(origin).host === headers.get('host')
}
