import { afterAll, expect, test } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { writeCaFile } from '../support/certificates.ts'
import { createManualClock } from '../support/clock.ts'
import { authorizeQuery, CALLBACK, connect, newVerifier, register } from '../support/oauth.ts'
import { startReceiver } from '../support/receiver.ts'
import { eventually } from '../support/webhooks.ts'

const clock = createManualClock()
const bellhop = await startBellhop({
  clock,
  settings: {
    BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8',
    BELLHOP_WEBHOOK_CA: await writeCaFile(),
    BELLHOP_TRUST_PROXY: '127.0.0.0/8',
  },
})
const site = await startReceiver()
afterAll(() => Promise.all([bellhop.stop(), site.stop()]))
const { orgId } = await bellhop.organization()
const ana = await signInAgent(bellhop, orgId, { name: 'Ana' })

const MINUTE_MS = 60_000
let published = 0

interface Asked {
  status: number
  code?: string
  detail?: string
  client: { name: string; host: string | null }
  redirectHost: string | null
}

/** Publishes what a program says of itself at a URL of its own, and asks the agent for access. */
async function askAs(
  document: Record<string, unknown> | string,
  { headers = {}, status = 200, redirect_uri = CALLBACK, delayMs = 0 } = {},
): Promise<Asked & { url: string }> {
  published += 1
  const url = `https://127.0.0.1:${site.port}/${published}.json`
  const body =
    typeof document === 'string'
      ? document
      : JSON.stringify({ client_id: url, redirect_uris: [CALLBACK], client_name: 'Claude', ...document })
  site.respondWith(() => ({
    status,
    body,
    delayMs,
    headers: { 'content-type': 'application/json', ...headers },
  }))
  return { url, ...(await askAgain(url, redirect_uri)) }
}

async function askAgain(client_id: string, redirect_uri = CALLBACK): Promise<Asked> {
  const query = authorizeQuery(bellhop, { client_id, redirect_uri, code_challenge: newVerifier().challenge })
  const { json } = await ana.call<Asked>('POST', '/console/connected-programs/request', { body: { query } })
  clock.advance(MINUTE_MS)
  return json
}

test('a program is known by the document at its URL, which is kept for a while', async () => {
  const asked = await askAs({})
  expect(asked).toMatchObject({
    client: { name: 'Claude', host: `127.0.0.1:${site.port}` },
    redirectHost: null,
  })
  const loaded = site.requests.length
  expect(site.requests.at(-1)).toMatchObject({ method: 'GET' })
  expect(site.requests.at(-1)?.headers).not.toHaveProperty('cookie')
  await askAgain(asked.url)
  expect(site.requests.length).toBe(loaded)
  clock.advance(60 * MINUTE_MS)
  await askAgain(asked.url)
  expect(site.requests.length).toBe(loaded + 1)

  const longer = await askAs({}, { headers: { 'cache-control': 'max-age=99999999' } })
  clock.advance(23 * 60 * MINUTE_MS)
  await askAgain(longer.url)
  expect(site.requests.length).toBe(loaded + 2)
  clock.advance(60 * MINUTE_MS)
  await askAgain(longer.url)
  expect(site.requests.length).toBe(loaded + 3)

  const never = await askAs({}, { headers: { 'cache-control': 'no-store' } })
  await askAgain(never.url)
  expect(site.requests.length).toBe(loaded + 5)
})

test('a document that is not of this program, or is not as it must be, is refused', async () => {
  const wrong: Parameters<typeof askAs>[] = [
    [{ client_id: 'https://claude.ai/client.json' }],
    [{ client_id: undefined }],
    [{ redirect_uris: [] }],
    [{ redirect_uris: ['cursor://back', 'http://helper.example/back'] }],
    [{ token_endpoint_auth_method: 'client_secret_basic' }],
    [{ token_endpoint_auth_method: 'private_key_jwt' }],
    [{ token_endpoint_auth_method: 'private_key_jwt', token_endpoint_auth_methods_supported: 'none' }],
    [{ token_endpoint_auth_methods_supported: ['client_secret_basic'], token_endpoint_auth_method: 'tls' }],
    [{ redirect_uris: ['https:helper.example/back', 'HTTPS://helper.example/back', 'HTTP://localhost/'] }],
    ['[]'],
    ['not JSON'],
    [{ padding: 'x'.repeat(5_120) }],
    [{}, { status: 404 }],
    [{}, { status: 302, headers: { location: `https://127.0.0.1:${site.port}/1.json` } }],
    [{}, { headers: { 'content-encoding': 'br' } }],
  ]
  for (const given of wrong) {
    const { status, code } = await askAs(...given)
    expect([given, status, code]).toEqual([given, 400, 'client_document_unreadable'])
  }
  const elsewhere = await askAs({}, { redirect_uri: 'https://evil.example/back' })
  expect(elsewhere).toMatchObject({ status: 400, code: 'wrong_redirect' })
})

test('a program that can do without a secret is accepted, whatever it prefers', async () => {
  const accepted = [
    { token_endpoint_auth_method: 'none' },
    // As ChatGPT publishes it.
    {
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      token_endpoint_auth_signing_alg: 'RS256',
      jwks_uri: 'https://chatgpt.example/jwks.json',
    },
  ]
  for (const methods of accepted) {
    const { url } = await askAs(methods)
    expect([methods, (await connect(bellhop, ana, { clientId: url })).token_type]).toEqual([
      methods,
      'Bearer',
    ])
  }
})

test('a program whose document does not come in five seconds is refused', async () => {
  const url = `https://127.0.0.1:${site.port}/never.json`
  site.respondWith(() => 'never')
  const query = authorizeQuery(bellhop, { client_id: url, code_challenge: newVerifier().challenge })
  const asked = ana.call('POST', '/console/connected-programs/request', { body: { query } })
  await eventually(() => site.requests.at(-1)?.path === '/never.json')
  clock.advance(5_000)
  expect((await asked).json).toMatchObject({ status: 400, code: 'client_document_unreadable' })
})

test('a document is loaded only from where webhooks may go', async () => {
  const loaded = site.requests.length
  const addresses = [
    `https://10.0.0.1/client.json`,
    `https://169.254.169.254/latest/meta-data`,
    `https://[::1]:${site.port}/client.json`,
    `https://user:password@127.0.0.1:${site.port}/client.json`,
  ]
  for (const url of addresses) {
    expect([url, (await askAgain(url)).code]).toEqual([url, 'client_document_unreadable'])
  }
  for (const url of [`http://127.0.0.1:${site.port}/client.json`, `https://127.0.0.1:${site.port}/`]) {
    expect([url, (await askAgain(url)).code]).toEqual([url, 'unknown_client'])
  }
  expect(site.requests.length).toBe(loaded)
})

test('one agent makes the server load at most 20 documents a minute', async () => {
  site.respondWith(() => ({ status: 404 }))
  const codes: unknown[] = []
  for (let number = 0; number < 21; number += 1) {
    const client_id = `https://127.0.0.1:${site.port}/many/${number}.json`
    const query = authorizeQuery(bellhop, { client_id, code_challenge: newVerifier().challenge })
    const { json } = await ana.call('POST', '/console/connected-programs/request', { body: { query } })
    codes.push(json.code)
  }
  expect(codes.slice(0, 20)).toEqual(Array(20).fill('client_document_unreadable'))
  expect(codes[20]).toBe('rate_limited')
})

test('names are shown in one line, and as their letters stand', async () => {
  clock.advance(MINUTE_MS)
  const { client } = await askAs({ client_name: ` Cl\u202eau\nde\u0007  ${'x'.repeat(200)}` })
  expect(client.name).toBe(`Clau de ${'x'.repeat(72)}`)
  expect((await askAs({ client_name: undefined })).client.name).toBe(`127.0.0.1:${site.port}`)
})

test('a registered program gets its id, what was taken of what it said, and no secret', async () => {
  clock.advance(MINUTE_MS)
  const { status, json, headers } = await register<Record<string, unknown>>(bellhop, {
    client_name: 'Old helper',
    redirect_uris: ['https://helper.example/back', 'helper://back', 'http://evil.example/', CALLBACK],
    token_endpoint_auth_method: 'client_secret_post',
    grant_types: ['authorization_code', 'implicit'],
    scope: 'erase',
  })
  expect(status).toBe(201)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(json).toEqual({
    client_id: expect.stringMatching(/^bellhop_client_[\w-]+$/),
    client_id_issued_at: Math.floor(clock.now() / 1_000),
    client_name: 'Old helper',
    redirect_uris: ['https://helper.example/back', CALLBACK],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  })
  const asked = await askAgain(String(json.client_id), 'https://helper.example/back')
  expect(asked).toMatchObject({
    client: { name: 'Old helper', host: null },
    redirectHost: 'helper.example',
  })
})

test('a registration without a usable address is refused', async () => {
  const wrong: [metadata: Record<string, unknown>, error: string][] = [
    [{ redirect_uris: [] }, 'invalid_redirect_uri'],
    [{ redirect_uris: undefined }, 'invalid_redirect_uri'],
    [{ redirect_uris: 'https://helper.example/back' }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['http://helper.example/back'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['helper://back', 'javascript:alert(1)', 7, null] }, 'invalid_redirect_uri'],
    [
      { redirect_uris: [1, 2, 3].map((one) => `https://helper.example/${one}${'x'.repeat(900)}`) },
      'invalid_client_metadata',
    ],
  ]
  for (const [metadata, error] of wrong) {
    const { status, json } = await register<{ error: string }>(bellhop, metadata)
    expect([metadata, status, json.error]).toEqual([metadata, 400, error])
  }
})

test('a stranger who registers without end is stopped, and nothing of it is stored', async () => {
  clock.advance(MINUTE_MS)
  const { database } = bellhop.deps
  const { grantTokens, programGrants } = await import('../../server/database/tables/sessions.ts')
  const { auditEntries } = await import('../../server/database/tables/audit.ts')
  const rows = async () => {
    const counts = [programGrants, grantTokens, auditEntries].map(
      async (table) => (await database.read.select().from(table)).length,
    )
    return Promise.all(counts)
  }
  const before = await rows()
  const statuses = new Map<number, number>()
  for (let number = 0; number < 1_000; number += 1) {
    // Half of them from one address, and the others each from its own.
    const from = number % 2 === 0 ? '203.0.113.7' : `198.51.${number % 200}.${Math.floor(number / 200)}`
    const { status, headers } = await register(bellhop, {}, { 'x-forwarded-for': from })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect(Object.fromEntries(statuses)).toEqual({ 201: 300, 429: 700 })
  expect(await rows()).toEqual(before)

  clock.advance(MINUTE_MS)
  const statusesOfOne: number[] = []
  for (let number = 0; number < 21; number += 1) {
    statusesOfOne.push((await register(bellhop, {}, { 'x-forwarded-for': '203.0.113.7' })).status)
  }
  expect(statusesOfOne).toEqual([...Array(20).fill(201), 429])
})

test('a program that the agent allowed is listed with the host that vouches for it', async () => {
  clock.advance(MINUTE_MS)
  const { url } = await askAs({})
  const ben = await signInAgent(bellhop, orgId, { name: 'Ben' })
  await connect(bellhop, ben, { clientId: url })
  const { json } = await ben.call<{ data: unknown[] }>('GET', '/console/connected-programs')
  expect(json.data).toMatchObject([{ name: 'Claude', host: `127.0.0.1:${site.port}` }])
})
