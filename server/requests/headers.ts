import { AppError } from '../errors.ts'
import { createId } from '../ids.ts'

const SAFE_ID = /^[A-Za-z0-9._:/+=-]{1,128}$/
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/** The caller's request id if it is safe in headers and logs, otherwise a new one. */
export function requestId(request: Request, now: number): string {
  const id = request.headers.get('x-request-id')
  return id !== null && SAFE_ID.test(id) ? id : createId('req', now)
}

/** RFC 9110, section 13.1.2: whether the header names this ETag. Compares weakly, and `*` matches any ETag. */
export function isNamed(header: string, etag: string): boolean {
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etag)
}

/**
 * The server's URL for links, without a trailing slash: the public URL if set, otherwise the one the browser used.
 */
export function baseUrl(request: Request, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl
  const origin = request.headers.get('origin')
  const host = request.headers.get('host')
  if (origin !== null && URL.canParse(origin) && new URL(origin).host === host) return origin
  return `${request.url.startsWith('https:') ? 'https' : 'http'}://${host}`
}

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
  throw new AppError(
    403,
    'cross_origin',
    "With a session, changes can only be made from this server's own pages.",
  )
}

/**
 * Whether the request comes from a page of this server. Accepts both schemes, because a request doesn't show whether a
 * proxy terminated TLS.
 */
export function isOurOrigin(headers: Headers, publicUrl: string | undefined): boolean {
  const origin = headers.get('origin')
  if (origin === null || !URL.canParse(origin) || new URL(origin).origin !== origin) return false
  if (publicUrl !== undefined && origin === new URL(publicUrl).origin) return true
  return new URL(origin).host === headers.get('host')
}
