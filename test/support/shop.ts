import { afterAll } from 'bun:test'
import { type SignedInAgent, signInAgent } from './agents.ts'
import { type Bellhop, type Client, startBellhop } from './bellhop.ts'

/** A website of someone else, on its own host name and port, whose pages show the widget. */
export interface Shop {
  /** `http://shop.localhost:PORT` */
  origin: string
  stop(): Promise<void>
}

export interface WidgetJson {
  id: string
  key: string
  secret: string
}

/** Pages by their path: the body, without the script of the widget. */
type Pages = Record<string, ShopPage>

interface ShopPage {
  /** Before the script of the widget, as a file of the shop. */
  script?: string
  css?: string
  body?: string
  language?: string
  direction?: 'ltr' | 'rtl'
  /** Shows samples only, as the settings do. */
  isPreview?: boolean
  /** Another widget than the first. */
  key?: string
}

/**
 * The pages allow scripts and requests of Bellhop, and nothing else: no inline styles, no images, no frames. The key is read
 * for each request, so that the shop can be there before its widget, which has to know the shop's origin.
 */
export function startShop(bellhopUrl: string, keyOf: () => string, pages: Pages): Shop {
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${bellhopUrl}`,
    `connect-src ${bellhopUrl}`,
    "style-src 'self'",
  ].join('; ')
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname } = new URL(request.url)
      const [, path = '/', extension] = /^(.*?)(?:\.(js|css))?$/.exec(pathname) ?? []
      const page = pages[path]
      if (!page) return new Response('', { status: 404 })
      if (extension === 'js') return file(page.script ?? '', 'text/javascript')
      if (extension === 'css') return file(page.css ?? '', 'text/css')
      const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }
      return new Response(documentOf(path, page, `${bellhopUrl}/widget.js`, page.key ?? keyOf()), { headers })
    },
  })
  return { origin: `http://shop.localhost:${server.port}`, stop: () => server.stop(true) }
}

/** A service with a shop and its widget, for a test file: both end with it. */
export async function openShop(pages: Pages) {
  const bellhop = await startBellhop()
  let key = ''
  const shop = startShop(bellhop.url, () => key, pages)
  afterAll(async () => {
    await shop.stop()
    await bellhop.stop()
  })
  const client = await bellhop.organization()
  const { admin, widget } = await makeWidget(bellhop, client, shop.origin)
  key = widget.key
  return { bellhop, shop, client, admin, widget }
}

function file(text: string, type: string): Response {
  return new Response(text, { headers: { 'content-type': type } })
}

function documentOf(path: string, page: ShopPage, src: string, key: string): string {
  return `<!doctype html>
<html lang="${page.language ?? 'en'}" dir="${page.direction ?? 'ltr'}">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Shop</title>
${page.css === undefined ? '' : `<link rel="stylesheet" href="${path}.css">`}
${page.script === undefined ? '' : `<script src="${path}.js"></script>`}
<script async src="${src}" data-key="${key}"${page.isPreview ? ' data-preview' : ''}></script>
</head>
<body><main><h1>Shop</h1>${page.body ?? ''}</main></body>
</html>`
}

interface Created {
  widget: Omit<WidgetJson, 'secret'>
  identitySecret: string
}

/** Creates a widget for the shop. */
export async function makeWidget(
  bellhop: Bellhop,
  client: Client,
  origin: string,
  more: Record<string, unknown> = {},
): Promise<{ admin: SignedInAgent; widget: WidgetJson }> {
  const admin = await signInAgent(bellhop, client.orgId, { role: 'admin', name: 'Ana Pires' })
  const body = { name: 'Shop', origins: [origin], ...more }
  const { status, json, text } = await admin.call<Created>('POST', '/console/widgets', { body })
  if (status !== 201) throw new Error(text)
  return { admin, widget: { ...json.widget, secret: json.identitySecret } }
}
