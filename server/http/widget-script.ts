import { Elysia } from 'elysia'
import { AppError } from '../errors.ts'
import { isNamed } from '../requests/headers.ts'
import { encodedResponse, requirePages } from './assets.ts'

/** Pages of all origins may load these files, and only these. */
const OPEN_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
  vary: 'Accept-Encoding',
}
/** The address is in the pages of customers and never changes, so an update takes this long to reach everyone. */
const SCRIPT_HEADERS = { ...OPEN_HEADERS, 'cache-control': 'public, max-age=300' }
/** The names change with the content. */
const ASSET_HEADERS = { ...OPEN_HEADERS, 'cache-control': 'public, max-age=31536000, immutable' }
/** For cached scripts that still refer to files from before an update. */
const NEWEST = 'app.js'

/** The script of the website widget, and what it loads. */
export function widgetScriptRoutes() {
  const detail = { hide: true }
  return new Elysia({ name: 'widget-script' })
    .get('/widget.js', ({ request }) => scriptResponse(request), { detail })
    .get('/widget/assets/:name', ({ request, params }) => assetResponse(request, params.name), { detail })
}

function scriptResponse(request: Request): Response {
  const { script, etag } = requirePages().widget
  const headers = { ...SCRIPT_HEADERS, etag }
  const ifNoneMatch = request.headers.get('if-none-match')
  if (ifNoneMatch !== null && isNamed(ifNoneMatch, etag)) return new Response(null, { status: 304, headers })
  return encodedResponse(request, script, headers)
}

function assetResponse(request: Request, name: string): Response {
  const { assets } = requirePages().widget
  const asset = assets.get(name)
  if (asset) return encodedResponse(request, asset, ASSET_HEADERS)
  // Before those of the previous release.
  const newest = [...assets.keys()].find((one) => /^app-.*\.js$/.test(one))
  if (name === NEWEST && newest) {
    const headers = {
      ...OPEN_HEADERS,
      'cache-control': 'no-cache',
      'content-type': 'text/javascript; charset=utf-8',
    }
    return new Response(`export * from './${newest}'\n`, { headers })
  }
  throw new AppError(404, 'unknown_route', `There is nothing at /widget/assets/${name.slice(0, 200)}.`)
}
