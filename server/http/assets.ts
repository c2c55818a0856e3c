import { Elysia, NotFoundError } from 'elysia'
import { AppError } from '../errors.ts'
import { encodingFor } from '../responses/encodings.ts'
import { keptTextResponse } from '../responses/kept-texts.ts'
import { type Asset, type BuiltPages, builtPages } from './built-pages.ts'

/** Paths of the web pages, from web/routes.tsx. */
const PAGES = [
  '/',
  '/inbox',
  '/inbox/*',
  '/customers',
  '/customers/*',
  '/settings',
  '/settings/*',
  '/sign-in',
  '/welcome',
  '/join',
] as const
/** Other sites open it in a window, and hear from that window once it is back at them. */
const CONSENT_PAGE = '/oauth/authorize'

/** Unknown paths below these get a problem document, also in a browser. */
const API_PATHS = /^\/(?:v1|console|health|metrics|docs|assets|widget|oauth|mcp|\.well-known)(?:\/|$)/

/** Nothing from other origins, no inline scripts or styles, and no embedding in other sites. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "media-src 'self'",
  "connect-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  // The HTML of mails.
  "frame-src 'self'",
  "frame-ancestors 'none'",
].join('; ')

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}
const PAGE_HEADERS = {
  ...SECURITY_HEADERS,
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
}
/** Cached without revalidation, because the names of assets change with their content. */
const ASSET_HEADERS = {
  ...SECURITY_HEADERS,
  'cache-control': 'public, max-age=31536000, immutable',
  vary: 'Accept-Encoding',
}

/** Its name is always the same, and browsers ask for it again each time. It loads nothing itself. */
const WORKER_HEADERS = {
  ...SECURITY_HEADERS,
  'cache-control': 'no-cache',
  'content-security-policy': "default-src 'none'; connect-src 'self'",
}

/** The pages and their files. */
export function assetRoutes() {
  const app = new Elysia({ name: 'assets' })
  const detail = { hide: true }
  for (const path of PAGES) app.get(path, ({ request }) => pageResponse(request, requirePages()), { detail })
  app.get(
    CONSENT_PAGE,
    ({ request }) => pageResponse(request, requirePages(), { 'cross-origin-opener-policy': 'unsafe-none' }),
    { detail },
  )
  // Registered with `all`, so that `/v1/*` takes precedence.
  app.all('/*', ({ request, path }) => notFoundPage(request, path), { parse: 'none', detail })
  app.get('/sw.js', ({ request }) => encodedResponse(request, requirePages().worker, WORKER_HEADERS), {
    detail,
  })
  return app.get('/assets/:name', ({ request, params }) => assetResponse(request, params.name), { detail })
}

export function requirePages(): BuiltPages {
  const pages = builtPages()
  if (pages) return pages
  throw new AppError(
    503,
    'pages_not_built',
    "The web pages aren't built. Run bun run web in the source folder, then reload this page.",
  )
}

function pageResponse(
  request: Request,
  { index }: BuiltPages,
  more: Record<string, string> = {},
): Promise<Response> {
  return keptTextResponse(request, index, { headers: { ...PAGE_HEADERS, ...more } })
}

/** A browser at an unknown path gets the "not found" page. A program gets a problem document. */
async function notFoundPage(request: Request, path: string): Promise<Response> {
  const pages = builtPages()
  const isBrowser = request.method === 'GET' && (request.headers.get('accept') ?? '').includes('text/html')
  if (!pages || !isBrowser || API_PATHS.test(path)) throw new NotFoundError()
  return keptTextResponse(request, pages.index, { status: 404, headers: { ...PAGE_HEADERS, vary: 'Accept' } })
}

function assetResponse(request: Request, name: string): Response {
  const asset = requirePages().assets.get(name)
  if (!asset) {
    throw new AppError(404, 'unknown_route', `There is nothing at /assets/${name.slice(0, 200)}.`)
  }
  return encodedResponse(request, asset, ASSET_HEADERS)
}

/** The asset in the smallest encoding that the browser accepts. */
export function encodedResponse(
  request: Request,
  { type, plain, encoded }: Asset,
  more: Record<string, string>,
): Response {
  const accepted = request.headers.get('accept-encoding') ?? ''
  const encoding = encodingFor(accepted, [...encoded.keys()])
  const headers = { ...more, 'content-type': type, ...(encoding && { 'content-encoding': encoding }) }
  return new Response((encoding && encoded.get(encoding)) ?? plain, { headers })
}
