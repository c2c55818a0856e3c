import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { createAgent } from '../../server/agents/agents.ts'
import { type Bellhop, startBellhop } from '../support/bellhop.ts'
import { type BrowserSession, makeAgent, newBrowserSession } from '../support/browser-session.ts'
import { createManualClock } from '../support/clock.ts'

const MINUTE_MS = 60_000
const clock = createManualClock()
let bellhop: Bellhop
let orgId: string
/** For attempts that overlap. */
let busy: Bellhop
let busyOrgId: string

beforeAll(async () => {
  const settings = { BELLHOP_TRUST_PROXY: '127.0.0.1/32' }
  bellhop = await startBellhop({ clock, settings })
  orgId = (await bellhop.organization()).orgId
  busy = await startBellhop({ settings })
  busyOrgId = (await busy.organization()).orgId
})
afterAll(async () => {
  await bellhop.stop()
  await busy.stop()
})

/** A browser with another IP address, as set by a proxy on this machine. */
function from(address: string): BrowserSession {
  return newBrowserSession(bellhop, { 'x-forwarded-for': address })
}

/** Makes attempts at once. No password is compared before one of them has its answer. */
async function overlapping<T>(attempts: (() => Promise<T>)[]): Promise<T[]> {
  const compare = Bun.password.verify
  const mayCompare = Promise.withResolvers<void>()
  using _ = spyOn(Bun.password, 'verify').mockImplementation(async (...given) => {
    await mayCompare.promise
    return compare(...given)
  })
  const made = attempts.map((attempt) => attempt())
  await Promise.race(made)
  mayCompare.resolve()
  return await Promise.all(made)
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

test('an account with the same email address elsewhere gives no more attempts', async () => {
  const own = (await bellhop.organization('Their own')).orgId
  const email = 'ivy@acme.example'
  await makeAgent(bellhop, orgId, { email })
  await makeAgent(bellhop, own, { email, password: 'chosen by themselves' })
  const thief = from('192.0.2.170')
  await fail(thief, email, 9)
  const body = { email, password: 'chosen by themselves', orgId: own }
  expect((await thief.call('POST', '/console/session', { body })).status).toBe(201)
  await fail(thief, email, 1)
  expect((await from('192.0.2.170').signIn(email)).status).toBe(429)
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

test('a password that is right in every organization resets the count, even with an unused invitation', async () => {
  const other = (await bellhop.organization('Other')).orgId
  const third = (await bellhop.organization('Third')).orgId
  const email = 'kim@acme.example'
  await makeAgent(bellhop, orgId, { email })
  await makeAgent(bellhop, other, { email })
  await createAgent(bellhop.deps, third, { name: 'Kim', email, role: 'agent' })
  const kim = from('192.0.2.173')
  await fail(kim, email, 9)
  expect((await kim.signIn(email)).status).toBe(200)
  await fail(kim, email, 9)
  expect((await kim.signIn(email)).status).toBe(200)
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

test('many correct sign-ins at once are asked to retry soon, not in 15 minutes', async () => {
  await makeAgent(busy, busyOrgId, { email: 'gil@acme.example' })
  const gil = newBrowserSession(busy, { 'x-forwarded-for': '192.0.2.160' })
  const answers = await overlapping(Array.from({ length: 12 }, () => () => gil.signIn('gil@acme.example')))
  const refused = answers.filter(({ status }) => status !== 201)
  expect(refused.length).toBeGreaterThan(0)
  for (const { json, headers } of refused) {
    expect(json).toMatchObject({
      status: 429,
      code: 'too_many_attempts',
      detail: 'Several attempts are being checked right now. Try again in a few seconds.',
    })
    expect(headers.get('retry-after')).toBe('2')
  }
  expect((await gil.signIn('gil@acme.example')).status).toBe(201)
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

test('invalid input is not a failed attempt', async () => {
  const typing = from('192.0.2.150')
  for (let turn = 0; turn < 31; turn += 1) {
    const { status } = await typing.call('POST', '/console/session', { body: { email: 'ben@acme.example' } })
    expect(status).toBe(400)
  }
  expect((await typing.signIn('ben@acme.example')).status).toBe(201)
})

test('when too many sign in at once, some are asked to retry, which is not a failed attempt', async () => {
  await makeAgent(busy, busyOrgId, { email: 'fay@acme.example' })
  const signIn = (place: number, email: string) =>
    newBrowserSession(busy, { 'x-forwarded-for': `198.51.100.${place}` }).signIn(email)
  const attempts = Array.from(
    { length: 100 },
    (_, place) => () => signIn(place, place < 90 ? `other.${place}@acme.example` : 'fay@acme.example'),
  )
  const answers = await overlapping(attempts)
  const refused = answers.filter(({ status }) => status === 503)
  expect(refused.length).toBeGreaterThan(0)
  for (const { json, headers } of refused) {
    expect(json.code).toBe('busy')
    expect(headers.get('retry-after')).toBe('5')
  }
  expect(answers.filter(({ status }) => ![201, 401, 429, 503].includes(status))).toEqual([])
  expect((await signIn(200, 'fay@acme.example')).status).toBe(201)
})
