import { afterAll, expect, test } from 'bun:test'
import { networkInterfaces } from 'node:os'
import { call, startBellhop } from '../support/bellhop.ts'
import { reservePort } from '../support/mail/ports.ts'
import { SCOPES } from '../support/oauth.ts'

const bellhop = await startBellhop()
const desk = await startAt('https://help.acme.example')
const plain = await startAt('http://help.acme.example')
afterAll(() => Promise.all([bellhop.stop(), desk.stop(), plain.stop()]))

const RESOURCE = '/.well-known/oauth-protected-resource/mcp'
const SERVER = '/.well-known/oauth-authorization-server/oauth'
const OURS = { host: 'help.acme.example' }

test('a program learns from /mcp alone where and how its agent signs in', async () => {
  const base = 'https://help.acme.example'
  const resource = await call('GET', desk.url + RESOURCE, { headers: OURS })
  expect(resource.json).toMatchObject({
    resource: `${base}/mcp`,
    authorization_servers: [`${base}/oauth`],
    scopes_supported: SCOPES.split(' '),
    bearer_methods_supported: ['header'],
  })
  const server = await call('GET', desk.url + SERVER, { headers: OURS })
  expect(server.json).toMatchObject({
    issuer: `${base}/oauth`,
    authorization_endpoint: `${base}/oauth/authorize`,
    token_endpoint: `${base}/oauth/token`,
    registration_endpoint: `${base}/oauth/register`,
    revocation_endpoint: `${base}/oauth/revoke`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  })
})

test('nothing is said of OAuth anywhere else, so that clients with a key keep to it', async () => {
  const paths = [
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp/key',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/mcp',
    '/.well-known/oauth-authorization-server/mcp/key',
    '/.well-known/openid-configuration',
    '/.well-known/openid-configuration/oauth',
    '/oauth/.well-known/openid-configuration',
    '/oauth',
    '/register',
  ]
  for (const path of paths) {
    // As from a browser, which gets a page for other unknown paths.
    const accept = path.startsWith('/register') ? '*/*' : 'text/html'
    const { status, headers } = await call('GET', bellhop.url + path, { headers: { accept } })
    expect([path, status, headers.get('content-type')]).toEqual([path, 404, 'application/problem+json'])
  }
})

test('without BELLHOP_URL, only addresses of this machine are trusted, and only over loopback', async () => {
  const port = new URL(bellhop.url).port
  const at = (host: string) => call('GET', bellhop.url + RESOURCE, { headers: { host } })
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
    expect((await at(host)).json).toMatchObject({ resource: `http://${host}/mcp` })
  }
  expect((await at('evil.example')).json).toMatchObject({ status: 409, code: 'address_unknown' })
  const own = Object.values(networkInterfaces())
    .flat()
    .find((one) => one && one.family === 'IPv4' && !one.internal)
  // Tokens would go over the network in the clear.
  if (own) expect((await at(own.address)).json).toMatchObject({ status: 404, code: 'oauth_needs_https' })
})

test('a server on plain http offers no OAuth', async () => {
  const headers = { host: 'help.acme.example' }
  for (const path of [RESOURCE, SERVER]) {
    const { json } = await call('GET', plain.url + path, { headers })
    expect(json).toMatchObject({ status: 404, code: 'oauth_needs_https' })
  }
  const registered = await call('POST', `${plain.url}/oauth/register`, {
    headers,
    body: { redirect_uris: ['https://helper.example/back'] },
  })
  expect(registered.json).toMatchObject({ code: 'oauth_needs_https' })
})

test('programs in a browser may call from other sites, without cookies', async () => {
  const origin = 'https://inspector.example'
  const endpoints: [method: string, path: string][] = [
    ['GET', RESOURCE],
    ['GET', SERVER],
    ['POST', '/oauth/token'],
    ['POST', '/oauth/register'],
    ['POST', '/oauth/revoke'],
  ]
  for (const [method, path] of endpoints) {
    const asked = await call('OPTIONS', bellhop.url + path, {
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'mcp-protocol-version,content-type',
      },
    })
    expect([path, asked.status]).toEqual([path, 204])
    const answer = await call(method, bellhop.url + path, { headers: { origin } })
    for (const { headers } of [asked, answer]) {
      expect([path, headers.get('access-control-allow-origin')]).toEqual([path, '*'])
      expect(headers.get('access-control-allow-credentials')).toBeNull()
    }
    expect(asked.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('mcp-protocol-version')
  }
})

test('no site can show the page of consent in a frame', async () => {
  const { headers } = await call('GET', `${bellhop.url}/oauth/authorize?client_id=x`)
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
})

/** A server whose public address leads to a proxy that doesn't exist; `url` is its own. */
async function startAt(publicUrl: string) {
  const port = reservePort()
  const { stop } = await startBellhop({ settings: { BELLHOP_URL: publicUrl, PORT: String(port) } })
  return { url: `http://127.0.0.1:${port}`, stop }
}
