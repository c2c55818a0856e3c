import { afterAll, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { call, startBellhop } from '../support/bellhop.ts'
import { requireBuiltWeb } from '../support/web.ts'

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; connect-src 'self'; " +
  "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-src 'self'; frame-ancestors 'none'"

await requireBuiltWeb()
const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const page = (await call('GET', bellhop.url)).text
const script = /src="(\/assets\/index-[^"]+\.js)"/.exec(page)?.[1] ?? ''

test.each([
  '/',
  '/inbox',
  '/inbox/mine/tkt_01m7yggb08e14a59wse62r3t6t?q=refund',
  '/settings',
  '/settings/endpoints/whe_1',
  '/sign-in?to=%2Finbox',
  '/welcome',
  '/join',
])('%s answers the page, which may load nothing from elsewhere', async (path) => {
  const answer = await call('GET', bellhop.url + path)
  expect([answer.status, answer.text]).toEqual([200, page])
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': POLICY,
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/^req_/),
  })
})

test('the page has no inline script or style, and links only to files that exist', async () => {
  expect(page).not.toMatch(/<style|style=|<script(?![^>]* src=)|\son\w+=/)
  const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address)
  expect(addresses.length).toBeGreaterThan(3)
  for (const address of addresses) {
    expect(address).toStartWith('/assets/')
    expect([address, (await call('GET', bellhop.url + address)).status]).toEqual([address, 200])
  }
})

test('a page that the browser already has is not sent again', async () => {
  const etag = (await call('GET', bellhop.url)).headers.get('etag') ?? ''
  const again = await call('GET', bellhop.url, { headers: { 'if-none-match': etag } })
  // The tag of the compressed page is weak.
  expect([again.status, again.text, `W/${again.headers.get('etag')}`]).toEqual([304, '', etag])
  const other = await call('GET', bellhop.url, { headers: { 'if-none-match': '"other"' } })
  expect(other.status).toBe(200)
})

test('assets can be cached forever and are sent in the smallest encoding the browser accepts', async () => {
  const plain = await raw(script, 'identity')
  expect(plain.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'Accept-Encoding',
    'x-content-type-options': 'nosniff',
  })
  expect(plain.headers['content-encoding']).toBeUndefined()
  const br = await raw(script, 'gzip, deflate, br')
  expect(br.headers['content-encoding']).toBe('br')
  expect(brotliDecompressSync(br.bytes)).toEqual(plain.bytes)
  const gzip = await raw(script, 'gzip;q=0.5, br;q=0')
  expect(gzip.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(gzip.bytes)).toEqual(plain.bytes)
  expect(br.bytes.length).toBeLessThan(gzip.bytes.length)
  expect((await raw(script, 'GZIP;q=0')).headers['content-encoding']).toBeUndefined()
})

test('paths of the API return problem documents', async () => {
  for (const path of [
    '/nothing',
    '/inboxes',
    '/assets/none.js',
    '/assets/..%2f..%2fpackage.json',
    '/index.html',
    '/built-from',
  ]) {
    const { status, json } = await call('GET', bellhop.url + path)
    expect([path, status, json]).toMatchObject([path, 404, { code: 'unknown_route' }])
  }
  const post = await call('POST', `${bellhop.url}/sign-in`)
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('an unknown path shows the "not found" page in a browser and a problem document to a program', async () => {
  const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  const person = await call('GET', `${bellhop.url}/nonsense/deeper`, { headers })
  expect([person.status, person.text]).toEqual([404, page])
  expect(person.headers.get('content-security-policy')).toBe(POLICY)
  for (const path of ['/console/nonsense', '/health/nonsense', '/assets/nonsense', '/docs/nonsense']) {
    const { status, json } = await call('GET', bellhop.url + path, { headers })
    expect([path, status, json]).toMatchObject([path, 404, { code: 'unknown_route' }])
  }
  expect((await call('GET', `${bellhop.url}/v1/nonsense`, { headers })).status).toBe(401)
  expect((await call('POST', `${bellhop.url}/nonsense`, { headers })).json).toMatchObject({ status: 404 })
})

test('the pages are small and contain no source maps or paths', async () => {
  const names = [...page.matchAll(/\/assets\/([^"]+)/g)].map(([, name = '']) => name)
  const fonts = names.filter((name) => name.endsWith('.woff2'))
  const code = names.filter((name) => !fonts.includes(name))
  expect(await totalSize(code)).toBeLessThan(105 * 1024)
  expect(await totalSize(fonts)).toBeLessThan(50 * 1024)
  const text = (await call('GET', bellhop.url + script)).text
  expect(text).not.toContain('sourceMappingURL')
  expect((await call('GET', `${bellhop.url}${script}.map`)).status).toBe(404)
})

async function totalSize(names: string[]): Promise<number> {
  const answers = await Promise.all(names.map((name) => raw(`/assets/${name}`, 'gzip')))
  return answers.reduce((sum, { bytes }) => sum + bytes.length, 0)
}

/** The size of the response as sent. */
async function raw(path: string, encodings: string) {
  const response = await fetch(bellhop.url + path, {
    headers: { 'accept-encoding': encodings },
    decompress: false,
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  return { headers: Object.fromEntries(response.headers), bytes }
}
