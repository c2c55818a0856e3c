import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { makeCertificates } from '../support/certificates.ts'
import { type OauthServer, startOauthServer } from '../support/mail/oauth-server.ts'

const ANA = 'ana@customer.test'
const BACK = 'https://helpdesk.test/oauth/callback'

let ca = ''
let now = 1_800_000_000_000
let server: OauthServer
beforeAll(async () => {
  ca = (await makeCertificates()).ca
  server = await startOauthServer({ redirectUris: [BACK], now: () => now })
  server.signIn(ANA)
})
afterAll(() => server.stop())

test('a code is good once, for its address and its verifier', async () => {
  const wrongs: Record<string, string>[] = [
    { code_verifier: randomVerifier() },
    { redirect_uri: `${BACK}2` },
    { code_verifier: 'short' },
  ]
  for (const wrong of wrongs) {
    expect(await exchange({ ...(await consent()), ...wrong })).toEqual({
      status: 400,
      error: 'invalid_grant',
    })
  }
  const good = await consent()
  expect(await exchange(good)).toMatchObject({ status: 200, token_type: 'Bearer', expires_in: 3_600 })
  expect(await exchange(good)).toEqual({ status: 400, error: 'invalid_grant' })
  const late = await consent()
  now += 601_000
  expect(await exchange(late)).toEqual({ status: 400, error: 'invalid_grant' })
})

test('consent goes back with the state, refused or not, and only to the registered address', async () => {
  const back = await server.consent(authorization())
  expect(back.href).toStartWith(`${BACK}?state=the+state&code=`)
  server.refuseConsent()
  expect((await server.consent(authorization())).searchParams.get('error')).toBe('access_denied')
  const plain = await server.consent(authorization({ code_challenge_method: 'plain' }))
  expect(plain.searchParams.get('error')).toBe('invalid_request')
  await expect(server.consent(authorization({ redirect_uri: 'https://evil.test/' }))).rejects.toThrow(
    'registered',
  )
  await expect(server.consent(authorization({ client_id: 'x' }))).rejects.toThrow('Unknown client')
})

test('the client proves itself by the form or by HTTP Basic', async () => {
  const { refreshToken } = server.issue(ANA)
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken }
  expect(await post(form)).toEqual({ status: 401, error: 'invalid_client' })
  const encoded = [server.clientId, server.clientSecret].map(encodeURIComponent).join(':')
  expect(await post(form, { authorization: `Basic ${btoa(encoded)}` })).toMatchObject({ status: 200 })
})

test('a refresh token changes at each use, and the old one is refused', async () => {
  const first = server.issue(ANA)
  const second = await refresh(first.refreshToken)
  expect(second).toMatchObject({ status: 200 })
  expect(await refresh(first.refreshToken)).toEqual({ status: 400, error: 'invalid_grant' })
  expect(await refresh(String(second.refresh_token))).toMatchObject({ status: 200 })
  expect(server.requests.at(-2)).toMatchObject({ form: { refresh_token: first.refreshToken }, status: 400 })
})

test('an access token ends by time, by hand and by its owner', async () => {
  const { accessToken } = server.issue(ANA)
  expect(await tellAbout(accessToken)).toMatchObject({ status: 200, email: ANA })
  expect(server.accepts(ANA, accessToken)).toBe(true)
  expect(server.accepts('bob@customer.test', accessToken)).toBe(false)
  now += 3_600_000
  expect(await tellAbout(accessToken)).toMatchObject({ status: 400 })
  const another = server.issue(ANA)
  server.expireAccessTokens()
  expect(server.accepts(ANA, another.accessToken)).toBe(false)
  expect(await refresh(another.refreshToken)).toMatchObject({ status: 200 })
  const last = server.issue(ANA)
  server.revoke(ANA)
  expect(server.accepts(ANA, last.accessToken)).toBe(false)
  expect(await refresh(last.refreshToken)).toEqual({ status: 400, error: 'invalid_grant' })
})

test('revoking a refresh token ends the access', async () => {
  const { accessToken, refreshToken } = server.issue(ANA)
  await fetch(server.revocationEndpoint, {
    method: 'POST',
    body: new URLSearchParams({ ...client(), token: refreshToken }),
    tls: { ca },
  })
  expect(server.accepts(ANA, accessToken)).toBe(false)
})

test('the token endpoint fails on request, hangs, and comes back with the same tokens', async () => {
  const { refreshToken } = server.issue(ANA)
  server.fail({ status: 503, body: '{"error":"temporarily_unavailable"}' }, 2)
  expect(await refresh(refreshToken)).toEqual({ status: 503, error: 'temporarily_unavailable' })
  expect(await refresh(refreshToken)).toMatchObject({ status: 503 })
  server.fail('hang')
  const hanging = refresh(refreshToken).catch(() => 'cut')
  while (server.requests.at(-1)?.status !== 0) await Bun.sleep(5)
  await server.stop()
  expect(await hanging).toBe('cut')
  await expect(refresh(refreshToken)).rejects.toThrow()
  server.start()
  expect(await refresh(refreshToken)).toMatchObject({ status: 200 })
})

function authorization(changes: Record<string, string> = {}, challenge = 'x'.repeat(43)): string {
  const query = {
    response_type: 'code',
    client_id: server.clientId,
    redirect_uri: BACK,
    scope: 'mail',
    state: 'the state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...changes,
  }
  return `${server.authorizationEndpoint}?${new URLSearchParams(query)}`
}

async function consent(): Promise<Record<string, string>> {
  const verifier = randomVerifier()
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const back = await server.consent(authorization({}, challenge))
  return { code: back.searchParams.get('code') ?? '', code_verifier: verifier, redirect_uri: BACK }
}

function exchange(form: Record<string, string>) {
  return post({ grant_type: 'authorization_code', ...client(), ...form })
}

function refresh(refreshToken: string) {
  return post({ grant_type: 'refresh_token', refresh_token: refreshToken, ...client() })
}

async function post(form: Record<string, string>, headers: Record<string, string> = {}) {
  const body = new URLSearchParams(form)
  return read(await fetch(server.tokenEndpoint, { method: 'POST', body, headers, tls: { ca } }))
}

async function tellAbout(token: string) {
  return read(await fetch(`${server.tokenInfo}${token}`))
}

async function read(answer: Response): Promise<Record<string, unknown>> {
  const { error_description, ...body } = (await answer.json()) as Record<string, unknown>
  return { status: answer.status, ...body }
}

function client(): Record<string, string> {
  return { client_id: server.clientId, client_secret: server.clientSecret }
}

function randomVerifier(): string {
  return randomBytes(48).toString('base64url')
}
