import { afterAll, expect, test } from 'bun:test'
import { startBellhop } from '../support/bellhop.ts'
import { type BrowserSession, makeAgent, newBrowserSession, PASSWORD } from '../support/browser-session.ts'
import { createManualClock } from '../support/clock.ts'

const MINUTE_MS = 60_000
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'
const EDGE =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36 Edg/137.0.0.0'
const clock = createManualClock()
let made = 0
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())
const orgId = (await bellhop.organization()).orgId

interface Browser {
  id: string
  device: string
  isCurrent: boolean
}

/** One agent in several browsers. */
async function signedIn(...devices: string[]): Promise<{ email: string; browsers: BrowserSession[] }> {
  made += 1
  const email = `ana.${made}@acme.example`
  await makeAgent(bellhop, orgId, { email, role: 'agent' })
  const browsers = devices.map((device) => newBrowserSession(bellhop, { 'user-agent': device }))
  for (const browser of browsers) {
    await browser.signIn(email)
    clock.advance(MINUTE_MS)
  }
  return { email, browsers }
}

async function listed(browser: BrowserSession): Promise<Browser[]> {
  return (await browser.call<{ data: Browser[] }>('GET', '/console/sessions')).json.data
}

async function isSignedIn(browser: BrowserSession): Promise<boolean> {
  return (await browser.call('GET', '/console/session')).status === 200
}

test('an agent sees where they are signed in', async () => {
  const { browsers } = await signedIn(FIREFOX, SAFARI, EDGE, 'my-script/1.0 <b>')
  const [firefox] = browsers
  if (!firefox) throw new Error('There is no browser.')
  const shown = await listed(firefox)
  expect(shown.map(({ device, isCurrent }) => [device, isCurrent])).toEqual([
    ['Firefox on Linux', true],
    ['my-script/1.0 <b>', false],
    ['Edge on Windows', false],
    ['Safari on iPhone', false],
  ])
  expect(shown[0]).toMatchObject({ address: '127.0.0.1', lastSeenAt: new Date(clock.now()).toISOString() })
})

test('an agent can end one or all other sessions, but not those of others', async () => {
  const { browsers } = await signedIn(FIREFOX, SAFARI, EDGE)
  const [one, two, three] = browsers
  if (!one || !two || !three) throw new Error('There are not enough browsers.')
  const second = (await listed(two)).find(({ isCurrent }) => isCurrent)
  const path = `/console/sessions/${second?.id}`
  const other = (await signedIn(FIREFOX)).browsers[0]
  expect((await other?.call('DELETE', path))?.json).toMatchObject({ status: 404, code: 'not_found' })
  expect((await one.call('DELETE', '/console/sessions/ses_1')).status).toBe(404)
  expect((await one.call('DELETE', path)).status).toBe(204)
  expect([await isSignedIn(one), await isSignedIn(two), await isSignedIn(three)]).toEqual([true, false, true])
  expect((await one.call('DELETE', path)).status).toBe(404)
  expect((await one.call('DELETE', '/console/sessions')).json).toEqual({ ended: 1 })
  expect([await isSignedIn(one), await isSignedIn(three)]).toEqual([true, false])
  expect((await one.call('DELETE', '/console/sessions')).json).toEqual({ ended: 0 })
  expect(other && (await isSignedIn(other))).toBe(true)
})

test('a new password ends the other sessions and replaces the old one', async () => {
  const { email, browsers } = await signedIn(FIREFOX, SAFARI)
  const [one, two] = browsers
  if (!one || !two) throw new Error('There are not enough browsers.')
  const change = (current: string, password: string) =>
    one.call('POST', '/console/password', { body: { current, password } })
  expect((await change('wrong password', 'something new')).json).toMatchObject({
    status: 400,
    errors: [{ pointer: '/current', code: 'wrong_password', detail: "This isn't your current password." }],
  })
  expect((await change(PASSWORD, 'short')).json).toMatchObject({
    errors: [{ pointer: '/password', code: 'too_short' }],
  })
  expect(await isSignedIn(two)).toBe(true)
  expect((await change(PASSWORD, 'p\u00e4ssw\u00f6rter')).status).toBe(204)
  expect([await isSignedIn(one), await isSignedIn(two)]).toEqual([true, false])
  expect((await two.signIn(email)).status).toBe(401)
  // The same letters in another Unicode form.
  expect((await two.signIn(email, 'pa\u0308sswo\u0308rter')).status).toBe(201)
})

test('an agent can change their own name and nothing else', async () => {
  const [ana] = (await signedIn(FIREFOX)).browsers
  const renamed = await ana?.call('PATCH', '/console/me', { body: { name: ' Ana Maria ' } })
  expect(renamed?.json).toMatchObject({ agent: { name: 'Ana Maria', role: 'agent' } })
  const session = await ana?.call('GET', '/console/session')
  expect(session?.json).toEqual(renamed?.json ?? {})
  const more = await ana?.call('PATCH', '/console/me', { body: { name: 'Ana', role: 'admin' } })
  expect(more?.json).toMatchObject({ status: 400, errors: [{ pointer: '/role', code: 'unknown_field' }] })
})

test('an agent chooses whether Enter sends in chats, in all of their browsers', async () => {
  const [one, other] = (await signedIn(FIREFOX, SAFARI)).browsers
  const choice = async (browser = one) =>
    (await browser?.call<{ agent: { sendsByEnter: boolean } }>('GET', '/console/session'))?.json.agent
  expect(await choice()).toMatchObject({ sendsByEnter: false })
  const changed = await one?.call('PATCH', '/console/me', { body: { sendsByEnter: true } })
  expect(changed?.json).toMatchObject({ agent: { sendsByEnter: true } })
  expect(await choice(other)).toEqual(await choice())
  expect(await choice(other)).toMatchObject({ sendsByEnter: true })
})

test('an agent has a signature of their own', async () => {
  const [ana, other] = (await signedIn(FIREFOX)).browsers.concat((await signedIn(FIREFOX)).browsers)
  const signature = async (browser = ana) => (await browser?.call('GET', '/console/me/signature'))?.json
  expect(await signature()).toEqual({ signature: '' })
  const change = (text: string) => ana?.call('PUT', '/console/me/signature', { body: { signature: text } })
  expect((await change('  **Ana**\nSupport\n\n'))?.json).toEqual({ signature: '  **Ana**\nSupport' })
  expect((await change('x'.repeat(10_001)))?.json).toMatchObject({
    status: 400,
    errors: [{ pointer: '/signature', code: 'too_long' }],
  })
  expect(await signature()).toEqual({ signature: '  **Ana**\nSupport' })
  expect(await signature(other)).toEqual({ signature: '' })
})
