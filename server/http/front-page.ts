import { Elysia } from 'elysia'

const POLICY =
  "default-src 'none'; style-src 'sha256-HASH'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const STYLE = `
:root { color-scheme: light dark }
body { font: 15px/1.6 system-ui, sans-serif; max-width: 34rem; margin: 12vh auto; padding: 0 1.5rem }
h1 { font-size: 1.4rem; margin: 0 0 .5rem }
code { font: 13px/1.5 ui-monospace, monospace }
`

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Bellhop</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Bellhop is running</h1>
<p>The API answers under <code>/v1</code>. How to call it: <a href="/docs">API reference</a>.</p>
<p>Make an organization and a key on the machine it runs on. From the sources, write
<code>bun server/main.ts</code> instead of <code>bellhop</code>:</p>
<p><code>bellhop setup --org NAME --name YOUR-NAME --email YOU@EXAMPLE.COM</code><br>
<code>bellhop key create --org NAME</code></p>
</main>
</body>
</html>
`

/** What a browser sees until the inbox exists. */
export function frontPage() {
  const hash = new Bun.CryptoHasher('sha256').update(STYLE).digest('base64')
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY.replace('HASH', hash),
    'x-content-type-options': 'nosniff',
  }
  return new Elysia({ name: 'front-page' }).get('/', () => new Response(PAGE, { headers }), {
    detail: { hide: true },
  })
}
