import { afterAll, expect, test } from 'bun:test'
import { agentLinks, sessions } from '../../server/database/tables/sessions.ts'
import { startBellhop } from '../support/bellhop.ts'
import { makeAgent, newBrowserSession, PASSWORD, tokenOf } from '../support/browser-session.ts'
import { createManualClock } from '../support/clock.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NEW_PASSWORD = 'a password of my own'
const clock = createManualClock()
let made = 0

interface Invited {
  agent: { id: string; email: string }
  link: { url: string; expiresAt: string }
}

const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())
const orgId = (await bellhop.organization()).orgId
await makeAgent(bellhop, orgId, { email: 'ana@acme.example' })
const ana = newBrowserSession(bellhop)
await ana.signIn('ana@acme.example')

async function invite(name = 'Ida Berg'): Promise<Invited> {
  made += 1
  const body = { name, email: `ida.${made}@acme.example`, role: 'agent' }
  return (await ana.call<Invited>('POST', '/console/agents', { body })).json
}

async function linkFor(id: string): Promise<{ url: string; purpose: string; expiresAt: string }> {
  return (
    await ana.call<{ url: string; purpose: string; expiresAt: string }>('POST', `/console/agents/${id}/link`)
  ).json
}

function look(token: string) {
  return newBrowserSession(bellhop).call('POST', '/console/link', { body: { token } })
}

function accept(token: string, more: object = {}, browser = newBrowserSession(bellhop)) {
  return browser.call('POST', '/console/link/accept', { body: { token, password: NEW_PASSWORD, ...more } })
}

const DEAD = { status: 404, code: 'link_expired' }

test('an invited agent opens the link, sees what it is for, chooses a password, and is signed in', async () => {
  const { agent, link } = await invite()
  expect(link.url).toMatch(new RegExp(`^${RegExp.escape(bellhop.url)}/join#[\\w-]{43}$`))
  expect(Date.parse(link.expiresAt) - clock.now()).toBe(7 * DAY_MS)
  const token = tokenOf(link.url)
  expect((await look(token)).json).toEqual({
    purpose: 'invitation',
    organization: { name: 'Acme' },
    agent: { name: 'Ida Berg', email: agent.email },
  })
  const ida = newBrowserSession(bellhop)
  const joined = await accept(token, { name: ' Ida Bergström ' }, ida)
  expect(joined.status).toBe(201)
  expect(joined.json).toMatchObject({ agent: { id: agent.id, name: 'Ida Bergström', role: 'agent' } })
  expect((await ida.call('GET', '/console/session')).status).toBe(200)
  expect((await newBrowserSession(bellhop).signIn(agent.email, NEW_PASSWORD)).status).toBe(201)
})

test('a link works once, even if two people use it at the same time', async () => {
  const { link } = await invite()
  const token = tokenOf(link.url)
  const answers = await Promise.all([accept(token), accept(token), accept(token)])
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 404, 404])
  expect((await look(token)).json).toMatchObject(DEAD)
  expect((await accept(token)).json).toMatchObject(DEAD)
})

test("a password that is too short doesn't use up the link", async () => {
  const { link } = await invite()
  const token = tokenOf(link.url)
  const refused = await accept(token, { password: 'too short' })
  expect(refused.json).toMatchObject({
    status: 400,
    errors: [{ pointer: '/password', code: 'too_short', detail: 'Must have at least 10 characters.' }],
  })
  expect((await accept(token)).status).toBe(201)
})

test('an invitation works for exactly seven days', async () => {
  const [early, late] = [await invite(), await invite()]
  clock.advance(7 * DAY_MS - 1)
  await ana.signIn('ana@acme.example')
  expect((await accept(tokenOf(early.link.url))).status).toBe(201)
  clock.advance(1)
  expect((await look(tokenOf(late.link.url))).json).toMatchObject(DEAD)
  expect((await accept(tokenOf(late.link.url))).json).toMatchObject(DEAD)
})

test('a reset link works for a day and ends the sessions at once; the old password works until then', async () => {
  const { agent, link } = await invite()
  const ida = newBrowserSession(bellhop)
  await accept(tokenOf(link.url), {}, ida)
  const reset = await linkFor(agent.id)
  expect(reset.purpose).toBe('reset')
  expect(Date.parse(reset.expiresAt) - clock.now()).toBe(DAY_MS)
  expect((await ida.call('GET', '/console/session')).json).toMatchObject({ code: 'signed_out' })
  const back = newBrowserSession(bellhop)
  expect((await back.signIn(agent.email, NEW_PASSWORD)).status).toBe(201)
  expect((await accept(tokenOf(reset.url), { password: 'yet another one' })).status).toBe(201)
  // The new password ends the sessions of the old one.
  expect((await back.call('GET', '/console/session')).status).toBe(401)
  expect((await newBrowserSession(bellhop).signIn(agent.email, NEW_PASSWORD)).status).toBe(401)

  const late = await linkFor(agent.id)
  clock.advance(DAY_MS)
  expect((await accept(tokenOf(late.url))).json).toMatchObject(DEAD)
})

test('a new link replaces the previous one', async () => {
  const { agent, link } = await invite()
  const again = await linkFor(agent.id)
  expect(again.purpose).toBe('invitation')
  expect((await look(tokenOf(link.url))).json).toMatchObject(DEAD)
  expect((await accept(tokenOf(again.url))).status).toBe(201)
})

test('links of a disabled agent stop working, and still do after the agent is enabled', async () => {
  const { agent, link } = await invite()
  await ana.call('POST', `/console/agents/${agent.id}/disable`)
  expect((await look(tokenOf(link.url))).json).toMatchObject(DEAD)
  const refused = await ana.call('POST', `/console/agents/${agent.id}/link`)
  expect(refused.json).toMatchObject({ status: 409, code: 'agent_disabled' })
  await ana.call('POST', `/console/agents/${agent.id}/enable`)
  expect((await accept(tokenOf(link.url))).json).toMatchObject(DEAD)
})

test('the database contains no usable token, and expired sessions and links are deleted', async () => {
  const { link } = await invite()
  const rows = await bellhop.deps.database.read.select().from(agentLinks)
  expect(JSON.stringify(rows)).not.toContain(tokenOf(link.url))
  // Only the wall clock: running the timers of a hundred days would take too long.
  clock.jump(100 * DAY_MS)
  const left = async () => {
    const { read } = bellhop.deps.database
    return (await read.select().from(agentLinks)).length + (await read.select().from(sessions)).length
  }
  while ((await left()) > 0) {
    clock.advance(DAY_MS / 24)
    await Bun.sleep(1)
  }
  expect(await left()).toBe(0)
  expect((await newBrowserSession(bellhop).signIn('ana@acme.example', PASSWORD)).status).toBe(201)
})
