import { Elysia, NotFoundError } from 'elysia'
import { AppError } from '../errors.ts'
import { isNamed } from '../requests/if-none-match.ts'
import { type Asset, type BuiltPages, builtPages } from './built-pages.ts'

/** Where the pages themselves decide what is shown: the routes of web/routes.tsx. */
const PAGES = [
  '/',
  '/inbox',
  '/inbox/*',
  '/settings',
  '/settings/*',
  '/sign-in',
  '/welcome',
  '/join',
] as const

/** Below these are answers for programs, also when there is nothing. */
const FOR_PROGRAMS = /^\/(?:v1|console|health|metrics|docs|assets)(?:\/|$)/

/** Nothing from elsewhere, no script or style inside the page, and no other site around it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const SAFETY = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}
const PAGE_HEADERS = {
  ...SAFETY,
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
}
/** Their names change with their content. */
const ASSET_HEADERS = {
  ...SAFETY,
  'cache-control': 'public, max-age=31536000, immutable',
  vary: 'Accept-Encoding',
}

/** The pages and their files. */
export function assetRoutes() {
  const app = new Elysia({ name: 'assets' })
  const detail = { hide: true }
  for (const path of PAGES) app.get(path, ({ request }) => answerPage(request, requirePages()), { detail })
  // By `all`, so that `/v1/*` stays nearer; what is nowhere and not for a person goes on to be refused.
  app.all('/*', ({ request, path }) => answerNowhere(request, path), { parse: 'none', detail })
  return app.get('/assets/:name', ({ request, params }) => answerAsset(request, params.name), { detail })
}

function requirePages(): BuiltPages {
  const pages = builtPages()
  if (pages) return pages
  throw new AppError(
    503,
    'pages_not_built',
    'The pages are not built. Run "bun run web" where the sources are, then load this address again.',
  )
}

function answerPage(request: Request, { index, etag }: BuiltPages): Response {
  const headers = { ...PAGE_HEADERS, etag }
  const known = request.headers.get('if-none-match')
  if (known !== null && isNamed(known, etag)) return new Response(null, { status: 304, headers })
  return new Response(index, { headers })
}

/** A person who mistyped an address gets the page that says so. */
function answerNowhere(request: Request, path: string): Response {
  const pages = builtPages()
  const isPerson = request.method === 'GET' && (request.headers.get('accept') ?? '').includes('text/html')
  if (!pages || !isPerson || FOR_PROGRAMS.test(path)) throw new NotFoundError()
  return new Response(pages.index, { status: 404, headers: { ...PAGE_HEADERS, vary: 'Accept' } })
}

function answerAsset(request: Request, name: string): Response {
  const asset = requirePages().assets.get(name)
  if (!asset) {
    throw new AppError(404, 'unknown_route', `There is nothing at /assets/${name.slice(0, 200)}.`)
  }
  const { bytes, encoding } = encodedFor(request.headers.get('accept-encoding') ?? '', asset)
  const headers = { ...ASSET_HEADERS, 'content-type': asset.type }
  return new Response(bytes, { headers: encoding ? { ...headers, 'content-encoding': encoding } : headers })
}

function encodedFor(accepted: string, { plain, br, gzip }: Asset) {
  if (br && accepts(accepted, 'br')) return { bytes: br, encoding: 'br' }
  if (gzip && accepts(accepted, 'gzip')) return { bytes: gzip, encoding: 'gzip' }
  return { bytes: plain, encoding: undefined }
}

/** `q=0` is a no. */
function accepts(accepted: string, encoding: string): boolean {
  return accepted.split(',').some((part) => {
    const [name = '', quality = ''] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/)
    return name === encoding && !/^q=0(?:\.0*)?$/.test(quality)
  })
}
