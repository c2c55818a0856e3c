import { afterAll, expect, spyOn, test } from 'bun:test'
import { disableAgent } from '../../server/agents/disable-agent.ts'
import { announcedUrl } from '../../server/database/lock.ts'
import { call, startBellhop } from '../support/bellhop.ts'
import { makeAgent, newBrowserSession, PASSWORD } from '../support/browser-session.ts'
import { createManualClock } from '../support/clock.ts'

const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
await makeAgent(bellhop, acme.orgId, { email: 'Ana@Acme.example' })

test('an agent signs in with email address and password, in any case, and stays signed in', async () => {
  const ana = newBrowserSession(bellhop)
  expect((await ana.call('GET', '/console/session')).json).toMatchObject({ status: 401, code: 'signed_out' })
  const signedIn = await ana.signIn(' ana@ACME.example ')
  expect(signedIn.status).toBe(201)
  expect(signedIn.json).toEqual({
    agent: {
      id: expect.stringMatching(/^agt_/),
      name: 'Ana Pires',
      email: 'Ana@Acme.example',
      role: 'admin',
      sendsByEnter: false,
    },
    organization: { id: acme.orgId, name: 'Acme' },
    session: { id: expect.stringMatching(/^ses_/), expiresAt: '2026-03-15T09:00:00.000Z' },
    limits: { attachmentBytes: 25 * 1024 * 1024, attachmentsPerMessage: 50 },
  })
  expect((await ana.call('GET', '/console/session')).json).toEqual(signedIn.json)
  expect((await ana.call('GET', '/v1/tickets')).status).toBe(200)
})

test('a wrong password, an unknown address, an agent without a password, and a disabled agent get the same response', async () => {
  await makeAgent(bellhop, acme.orgId, { email: 'gone@acme.example' })
  await disableAgent(bellhop.deps, acme.orgId, 'gone@acme.example')
  const admin = newBrowserSession(bellhop)
  await admin.signIn('ana@acme.example')
  await admin.call('POST', '/console/agents', {
    body: { name: 'Ida', email: 'ida@acme.example', role: 'agent' },
  })
  const wrong: [string, string][] = [
    ['ana@acme.example', 'correct horse batter'],
    ['nobody@acme.example', PASSWORD],
    ['gone@acme.example', PASSWORD],
    ['ida@acme.example', ''],
    ['not an address', PASSWORD],
  ]
  for (const [email, password] of wrong) {
    const other = newBrowserSession(bellhop)
    const { status, json } = await other.signIn(email, password)
    expect({ email, status, code: json.code, detail: json.detail }).toEqual({
      email,
      status: 401,
      code: 'wrong_credentials',
      detail: 'Wrong email or password.',
    })
    expect(other.setCookie).toBe('')
  }
})

test('signing in takes as long for an email with no, one, or many accounts, right or wrong', async () => {
  await makeAgent(bellhop, acme.orgId, { email: 'timed@acme.example' })
  const orgIds: string[] = []
  for (const name of ['First', 'Second', 'Third']) {
    const { orgId } = await bellhop.organization(name)
    await makeAgent(bellhop, orgId, { email: 'timed.often@acme.example' })
    orgIds.push(orgId)
  }
  using verify = spyOn(Bun.password, 'verify')
  const one = 'timed@acme.example'
  const many = 'timed.often@acme.example'
  const tries: [email: string, password: string, orgId?: string][] = [
    ['nobody@nowhere.example', PASSWORD],
    [one, 'wrong password'],
    [one, PASSWORD],
    [one, PASSWORD, orgIds[0]],
    [many, 'wrong password'],
    [many, PASSWORD],
    [many, PASSWORD, orgIds[1]],
  ]
  const counts: number[] = []
  for (const [email, password, orgId] of tries) {
    const before = verify.mock.calls.length
    const body = { email, password, ...(orgId && { orgId }) }
    await newBrowserSession(bellhop).call('POST', '/console/session', { body })
    counts.push(verify.mock.calls.length - before)
  }
  expect(counts).toEqual(tries.map(() => 3))
  // Verifying a hash is what takes time, and takes the same for hashes with the same parameters.
  const parameters = verify.mock.calls.map(([, hash]) => /^\$argon2id\$.*?\$.*?\$/.exec(String(hash))?.[0])
  expect([parameters[0], new Set(parameters).size]).toEqual([expect.any(String), 1])
})

test('an agent in several organizations chooses among those where the password is right', async () => {
  const one = await bellhop.organization('One')
  // They are listed by age.
  clock.advance(1)
  const two = await bellhop.organization('Two')
  const three = await bellhop.organization('Three')
  const email = 'cleo@example.com'
  await makeAgent(bellhop, one.orgId, { email })
  await makeAgent(bellhop, two.orgId, { email })
  await makeAgent(bellhop, three.orgId, { email, password: 'another password' })
  const cleo = newBrowserSession(bellhop)
  const asked = await cleo.signIn(email)
  expect(asked.status).toBe(200)
  expect(asked.json).toEqual({
    organizations: [
      { id: one.orgId, name: 'One' },
      { id: two.orgId, name: 'Two' },
    ],
  })
  expect(cleo.setCookie).toBe('')
  const body = { email, password: PASSWORD, orgId: two.orgId }
  const chosen = await cleo.call('POST', '/console/session', { body })
  expect(chosen.json).toMatchObject({ organization: { id: two.orgId, name: 'Two' } })
  // The third organization has another password.
  const other = await cleo.call('POST', '/console/session', { body: { ...body, orgId: three.orgId } })
  expect(other.json).toMatchObject({ status: 401, code: 'wrong_credentials' })
})

test('signing out ends the session on the server, not only in the browser', async () => {
  const ana = newBrowserSession(bellhop)
  await ana.signIn('ana@acme.example')
  const cookie = ana.setCookie.split(';')[0] ?? ''
  expect((await ana.call('DELETE', '/console/session')).status).toBe(204)
  expect(ana.setCookie).toStartWith('bellhop_session=; Max-Age=0; ')
  const again = await call('GET', `${bellhop.url}/console/session`, { headers: { cookie } })
  expect(again.json).toMatchObject({ status: 401, code: 'signed_out' })
  expect((await ana.call('DELETE', '/console/session')).status).toBe(204)
})

test('signing in again in the same browser ends the previous session', async () => {
  await makeAgent(bellhop, acme.orgId, { email: 'twice@acme.example' })
  const twice = newBrowserSession(bellhop)
  await twice.signIn('twice@acme.example')
  await twice.signIn('twice@acme.example')
  const { json } = await twice.call<{ data: unknown[] }>('GET', '/console/sessions')
  expect(json.data).toHaveLength(1)
})

test("another site can't sign a browser in or out", async () => {
  const ana = newBrowserSession(bellhop)
  await ana.signIn('ana@acme.example')
  const elsewhere = { 'sec-fetch-site': 'cross-site' }
  const body = { email: 'ana@acme.example', password: PASSWORD }
  const refused = [
    await ana.call('POST', '/console/session', { body, headers: elsewhere }),
    await ana.call('DELETE', '/console/session', { headers: elsewhere }),
    await call('POST', `${bellhop.url}/console/session`, { body }),
  ]
  for (const { json } of refused) expect(json).toMatchObject({ status: 403, code: 'cross_origin' })
  expect((await ana.call('GET', '/console/session')).status).toBe(200)
})

test('the cookie is hidden from scripts and other sites, and bound to this host if the public URL is https', async () => {
  const ana = newBrowserSession(bellhop)
  await ana.signIn('ana@acme.example')
  expect(ana.setCookie).toMatch(
    /^bellhop_session=[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax, bellhop_device_/,
  )
  const settings = { BELLHOP_URL: 'https://help.example.com' }
  const secure = await startBellhop({ settings })
  const { orgId } = await secure.organization()
  await makeAgent(secure, orgId, { email: 'ana@acme.example' })
  const behindProxy = newBrowserSession({ url: announcedUrl(secure.deps.config.dataFolder) ?? '' })
  await behindProxy.signIn('ana@acme.example')
  const [cookie = '', plain, device] = behindProxy.setCookie.split(', ')
  expect(device).toMatch(/^__Host-bellhop_device_[^;]+; .*; HttpOnly; SameSite=Lax; Secure$/)
  expect(cookie).toMatch(
    /^__Host-bellhop_session=[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  )
  // What a browser has from before is removed.
  expect(plain).toBe('bellhop_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure')
  expect((await behindProxy.call('GET', '/console/session')).status).toBe(200)
  await behindProxy.call('DELETE', '/console/session')
  expect(behindProxy.setCookie).toStartWith('__Host-bellhop_session=; Max-Age=0; ')
  await secure.stop()
})

test('https is also what a trusted proxy says, and only a trusted one', async () => {
  const proxied = await startBellhop({ settings: { BELLHOP_TRUST_PROXY: '127.0.0.0/8' } })
  const { orgId } = await proxied.organization()
  await makeAgent(proxied, orgId, { email: 'ana@acme.example' })
  for (const [server, scheme, name] of [
    [proxied, 'https', '__Host-bellhop_session='],
    [proxied, 'https, http', '__Host-bellhop_session='],
    [proxied, 'http', 'bellhop_session='],
    [bellhop, 'https', 'bellhop_session='],
  ] as const) {
    const ana = newBrowserSession(server, { 'x-forwarded-proto': scheme })
    await ana.signIn('ana@acme.example')
    expect(ana.setCookie).toStartWith(name)
    expect((await ana.call('GET', '/console/session')).status).toBe(200)
  }
  await proxied.stop()
})

test('a session from plain http is worth nothing on https, and the response says why', async () => {
  const proxied = await startBellhop({ settings: { BELLHOP_TRUST_PROXY: '127.0.0.0/8' } })
  const { orgId } = await proxied.organization()
  await makeAgent(proxied, orgId, { email: 'ana@acme.example' })
  const ana = newBrowserSession(proxied)
  await ana.signIn('ana@acme.example')
  const https = { 'x-forwarded-proto': 'https' }
  const plain = ana.setCookie.split(';')[0] ?? ''
  const answer = await ana.call('GET', '/console/session', { headers: https })
  expect(answer.json).toMatchObject({ status: 401, code: 'moved_to_https' })
  expect((await ana.call('GET', '/v1/tickets', { headers: https })).status).toBe(401)
  const body = { email: 'ana@acme.example', password: PASSWORD }
  await ana.call('POST', '/console/session', { body, headers: https })
  expect(ana.setCookie).toStartWith('__Host-bellhop_session=')
  // A plain cookie that was intercepted is useless now.
  const stolen = await call('GET', `${proxied.url}/console/session`, { headers: { cookie: plain } })
  expect(stolen.json).toMatchObject({ status: 401, code: 'signed_out' })
  await proxied.stop()
})
