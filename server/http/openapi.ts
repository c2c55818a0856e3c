import type { TSchema } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { isNamed } from '../requests/if-none-match.ts'
import css from './docs/docs.css' with { type: 'text' }
import { renderPage } from './docs/page.ts'
import { describeApi } from './openapi/describe.ts'
import type { DeclaredRoute } from './openapi/describe-operation.ts'
import type { ApiDescription } from './openapi/document.ts'

/** The page runs no script and loads nothing but its own style sheet. */
const DOCS_POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const STYLE_PATH = '/docs/docs.css'

/**
 * Serves `<prefix>/openapi.json` and the page `/docs`, both made from the routes of the app this is attached to.
 * They are made once, at the first request, and answered from memory with an `ETag`; a description that cannot be
 * written fails that request with an Error that names the cause.
 */
export function openapi(api: ApiDescription): Elysia {
  const app = new DocumentedApp({ name: 'openapi' })
  const documentPath = `${api.prefix}/openapi.json`
  const document = once(() => describeApi(app.declaredRoutes(), app.declaredModels(), api))
  const json = once(() => freeze(JSON.stringify(document()), 'application/json'))
  const page = once(() =>
    freeze(renderPage(document(), documentPath, STYLE_PATH), 'text/html; charset=utf-8'),
  )
  const style = once(() => freeze(css, 'text/css; charset=utf-8'))
  const detail = { hide: true }
  app
    .get(documentPath, ({ request }) => answer(request, json()), { detail })
    .get('/docs', ({ request }) => answer(request, page(), { 'content-security-policy': DOCS_POLICY }), {
      detail,
    })
    .get(STYLE_PATH, ({ request }) => answer(request, style()), { detail })
  return app
}

/** Elysia lets a plugin see its parent's routes and models only from inside the class. */
class DocumentedApp extends Elysia {
  declaredRoutes(): DeclaredRoute[] {
    return this.getGlobalRoutes()
  }

  declaredModels(): Record<string, TSchema> {
    const models = Object.entries(this.getGlobalDefinitions().type)
    return Object.fromEntries(
      models.flatMap(([name, model]) => ('~standard' in model ? [] : [[name, model]])),
    )
  }
}

interface Frozen {
  bytes: Uint8Array<ArrayBuffer>
  type: string
  etag: string
}

function freeze(text: string, type: string): Frozen {
  const digest = new Bun.CryptoHasher('sha256').update(text).digest('base64url')
  return { bytes: new TextEncoder().encode(text), type, etag: `"${digest}"` }
}

function answer(
  request: Request,
  { bytes, type, etag }: Frozen,
  headers: Record<string, string> = {},
): Response {
  const known = request.headers.get('if-none-match')
  const shared = { ...headers, etag, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' }
  if (known !== null && isNamed(known, etag)) return new Response(null, { status: 304, headers: shared })
  return new Response(bytes, { headers: { ...shared, 'content-type': type } })
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
