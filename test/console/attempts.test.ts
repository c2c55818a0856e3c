import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Bellhop, startBellhop } from '../support/bellhop.ts'
import { type BrowserSession, makeAgent, newBrowserSession } from '../support/browser-session.ts'
import { createManualClock } from '../support/clock.ts'

const MINUTE_MS = 60_000
const clock = createManualClock()
let bellhop: Bellhop
let orgId: string
/** For attempts that overlap. */
let busy: Bellhop

beforeAll(async () => {
  const settings = { BELLHOP_TRUST_PROXY: '127.0.0.1/32' }
  bellhop = await startBellhop({ clock, settings })
  orgId = (await bellhop.organization()).orgId
  busy = await startBellhop({ settings })
})
afterAll(async () => {
  await bellhop.stop()
  await busy.stop()
})

/** A browser with another IP address, as set by a proxy on this machine. */
function from(address: string): BrowserSession {
  return newBrowserSession(bellhop, { 'x-forwarded-for': address })
}

async function fail(browser: BrowserSession, email: string, times: number): Promise<void> {
  const attempts = Array.from({ length: times }, () => browser.signIn(email, 'wrong password'))
  for (const { status } of await Promise.all(attempts)) expect(status).toBe(401)
}

test('after ten wrong passwords from an IP address, the account is locked there, and the response says how long', async () => {
  await makeAgent(bellhop, orgId, { email: 'ana@acme.example' })
  const signedIn = from('192.0.2.9')
  await signedIn.signIn('ana@acme.example')

  const stranger = from('192.0.2.100')
  for (let turn = 0; turn < 10; turn += 1) {
    await fail(stranger, 'Ana@acme.example', 1)
    clock.advance(MINUTE_MS)
  }
  const waiting = await stranger.signIn('ana@acme.example')
  expect(waiting.json).toMatchObject({
    status: 429,
    code: 'too_many_attempts',
    detail: 'Too many failed attempts. Try again in 5 minutes.',
  })
  expect(waiting.headers.get('retry-after')).toBe('300')
  // A signed-in agent can keep working and change the password, and sign in from anywhere else.
  expect((await signedIn.call('GET', '/console/agents')).status).toBe(200)
  const body = { current: 'correct horse battery', password: 'correct horse battery' }
  expect((await signedIn.call('POST', '/console/password', { body })).status).toBe(204)
  expect((await from('192.0.2.101').signIn('ana@acme.example')).status).toBe(201)
  // A refused attempt doesn't extend it, and other accounts aren't affected.
  await makeAgent(bellhop, orgId, { email: 'ben@acme.example' })
  expect((await stranger.signIn('ben@acme.example')).status).toBe(201)
  clock.advance(5 * MINUTE_MS - 1)
  expect((await stranger.signIn('ana@acme.example')).status).toBe(429)
  clock.advance(1)
  expect((await stranger.signIn('ana@acme.example')).status).toBe(201)
})

test('failures from everywhere lock an account, but not on a device where its owner has signed in before', async () => {
  clock.advance(15 * MINUTE_MS)
  const email = 'lea@acme.example'
  await makeAgent(bellhop, orgId, { email })
  const known = from('192.0.2.180')
  await known.signIn(email)
  const [device = ''] = /bellhop_device_[^;]+/.exec(known.setCookie) ?? []
  expect(known.setCookie).toMatch(/bellhop_device_[^;]+; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax/)
  const signOut = await known.call('DELETE', '/console/session')
  expect([signOut.status, signOut.headers.get('clear-site-data')]).toEqual([204, '"cache"'])
  for (let host = 1; host <= 10; host += 1) await fail(from(`198.51.100.${host}`), email, 10)
  await fail(from('192.0.2.180'), 'someone.else@acme.example', 10)
  expect((await from('192.0.2.181').signIn(email)).status).toBe(429)
  const signIn = (cookie: string, password?: string) =>
    newBrowserSession(bellhop, { 'x-forwarded-for': '198.51.100.1', cookie }).signIn(email, password)
  expect((await signIn(device.slice(0, -1))).status).toBe(429)
  expect((await signIn(device)).status).toBe(201)
  // It has tries of its own.
  for (let turn = 0; turn < 10; turn += 1) expect((await signIn(device, 'wrong one')).status).toBe(401)
  expect((await signIn(device)).status).toBe(429)
})

test('an unknown email address is locked in the same way', async () => {
  await fail(from('192.0.2.110'), 'nobody@acme.example', 10)
  const { json } = await from('192.0.2.110').signIn('nobody@acme.example')
  expect(json).toMatchObject({ status: 429, code: 'too_many_attempts' })
})

test('a successful sign-in resets the count', async () => {
  await makeAgent(bellhop, orgId, { email: 'cleo@acme.example' })
  const cleo = from('192.0.2.120')
  await fail(cleo, 'cleo@acme.example', 9)
  expect((await cleo.signIn('cleo@acme.example')).status).toBe(201)
  await fail(cleo, 'cleo@acme.example', 9)
  expect((await cleo.signIn('cleo@acme.example')).status).toBe(201)
})

test('a password tried in every organization counts as failed where it is wrong', async () => {
  const own = (await bellhop.organization('Their own too')).orgId
  const email = 'jan@acme.example'
  await makeAgent(bellhop, orgId, { email })
  await makeAgent(bellhop, own, { email, password: 'a guess of today' })
  const thief = from('192.0.2.172')
  for (let turn = 0; turn < 10; turn += 1) {
    expect((await thief.signIn(email, 'a guess of today')).status).toBe(201)
  }
  expect((await thief.signIn(email, 'a guess of today')).status).toBe(429)
})

test('after thirty failures, an IP address is locked for every account; an IPv6 network counts as one', async () => {
  const people = Array.from({ length: 30 }, (_, place) => place)
  await Promise.all(people.map((one) => fail(from(`2001:db8:0:7::${one}`), `person.${one}@acme.example`, 1)))
  const { json, headers } = await from('2001:db8:0:7:ffff::1').signIn('ben@acme.example')
  expect(json).toMatchObject({ code: 'too_many_attempts', detail: expect.stringContaining('15 minutes') })
  expect(headers.get('retry-after')).toBe('900')
  expect((await from('2001:db8:0:8::1').signIn('ben@acme.example')).status).toBe(201)
  const link = await from('2001:db8:0:7::1').call('POST', '/console/link', { body: { token: 'guess' } })
  expect(link.status).toBe(429)
})

test('parallel attempts get no more tries than sequential ones', async () => {
  await makeAgent(bellhop, orgId, { email: 'dan@acme.example' })
  const dan = from('192.0.2.130')
  const answers = await Promise.all(
    Array.from({ length: 15 }, () => dan.signIn('dan@acme.example', 'wrong one')),
  )
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 401)).toHaveLength(10)
  expect(statuses.filter((status) => status === 429)).toHaveLength(5)
})

test("a stolen session can't be used to guess passwords without limit", async () => {
  await makeAgent(bellhop, orgId, { email: 'eve@acme.example' })
  const eve = from('192.0.2.140')
  await eve.signIn('eve@acme.example')
  const body = { current: 'wrong password', password: 'a new password' }
  for (let turn = 0; turn < 10; turn += 1) {
    const { json } = await eve.call('POST', '/console/password', { body })
    expect(json).toMatchObject({ status: 400, errors: [{ pointer: '/current', code: 'wrong_password' }] })
  }
  const { json } = await eve.call('POST', '/console/password', { body })
  expect(json).toMatchObject({ status: 429, code: 'too_many_attempts' })
})
