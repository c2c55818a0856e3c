import { Elysia } from 'elysia'
import tokens from '../../../web/ui/tokens.css' with { type: 'text' }
import { baseUrl } from '../../requests/headers.ts'
import { keptTextResponse } from '../../responses/kept-texts.ts'
import { builtPages } from '../built-pages.ts'
import css from './docs.css' with { type: 'text' }
import script from './docs.js' with { type: 'text' }
import { GUIDES } from './guides.ts'
import { SCRIPT_PATH, STYLE_PATH, TRY_PATH } from './layout.ts'
import tryScript from './try.js' with { type: 'text' }

/** The server in the examples as they are written; readers see the address of their own. */
export const EXAMPLE_ADDRESS = 'http://127.0.0.1:3000'

/** Safe in a command that someone pastes into a shell. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i

/** Nothing from elsewhere, and no script or style inside the page. The reference calls the API of this server. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The documentation is in English. */
const LATIN_FONT = /^inter-latin-wght-normal-[\w-]+\.woff2$/
const FONT_PROPERTIES = 'font-weight:100 900;font-display:swap'

/** The guides, the style and the script of every page of the documentation, and files to download. */
export function guideRoutes(publicUrl: string | undefined): Elysia {
  const app = new Elysia({ name: 'guides' })
  const detail = { hide: true }
  for (const guide of GUIDES) {
    let page: Promise<string> | undefined
    app.get(
      `/docs/${guide.slug}`,
      async ({ request }) => {
        page ??= import('./guide-page.ts').then(({ renderGuide }) => renderGuide(guide))
        return docsPage(request, await page, publicUrl)
      },
      { detail },
    )
    app.get(
      `/docs/${guide.slug}.md`,
      async ({ request }) => {
        const { guideMarkdown } = await import('./markdown-pages.ts')
        return markdownPage(request, await guideMarkdown(guide), publicUrl)
      },
      { detail },
    )
  }
  app
    .get(STYLE_PATH, ({ request }) => textResponse(request, style(), 'text/css; charset=utf-8'), { detail })
    .get(SCRIPT_PATH, ({ request }) => textResponse(request, script, 'text/javascript; charset=utf-8'), {
      detail,
    })
    .get(TRY_PATH, ({ request }) => textResponse(request, tryScript, 'text/javascript; charset=utf-8'), {
      detail,
    })
    .get(
      '/docs/bellhop-alerts.yml',
      async ({ request }) => {
        const { default: rules } = await import('./monitoring/alerts.yml', { with: { type: 'text' } })
        return textResponse(request, rules, 'text/yaml; charset=utf-8')
      },
      { detail },
    )
    .get(
      '/docs/bellhop-dashboard.json',
      async ({ request }) => {
        const { default: dashboard } = await import('./monitoring/dashboard.json')
        return textResponse(request, JSON.stringify(dashboard, null, 2), 'application/json')
      },
      { detail },
    )
  return app
}

/** The font is a file of the built pages, whose name changes with its content; without them the system's font is shown. */
function style(): string {
  const names = [...(builtPages()?.assets.keys() ?? [])]
  const faces = names
    .filter((name) => LATIN_FONT.test(name))
    .map((name) => `@font-face{font-family:"Inter Variable";src:url(/assets/${name});${FONT_PROPERTIES}}`)
  return [...faces, tokens, css].join('\n')
}

/** A page of the documentation with this server's address in its examples. */
export function docsPage(request: Request, page: string, publicUrl: string | undefined): Promise<Response> {
  const text = withServerAddress(page, request, publicUrl)
  return textResponse(request, text, 'text/html; charset=utf-8', { 'content-security-policy': POLICY })
}

/** A page of the documentation as Markdown, for programs and for reading in a terminal. */
export function markdownPage(
  request: Request,
  text: string,
  publicUrl: string | undefined,
  type = 'text/markdown; charset=utf-8',
): Promise<Response> {
  return textResponse(request, withServerAddress(text, request, publicUrl), type)
}

/** Puts the address that this reader reaches the server at into the examples of a page. */
export function withServerAddress(page: string, request: Request, publicUrl: string | undefined): string {
  if (publicUrl === undefined && !HOST.test(request.headers.get('host') ?? '')) return page
  return page.replaceAll(EXAMPLE_ADDRESS, Bun.escapeHTML(baseUrl(request, publicUrl)))
}

/** Responds with a text of the program, which browsers ask for again each time. */
export function textResponse(
  request: Request,
  text: string,
  type: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return keptTextResponse(request, text, {
    headers: {
      ...headers,
      'cache-control': 'no-cache',
      'content-type': type,
      'x-content-type-options': 'nosniff',
    },
  })
}
