import { afterAll, beforeEach, expect, test } from 'bun:test'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { makeAgent, newBrowserSession } from '../support/browser-session.ts'
import { createManualClock } from '../support/clock.ts'
import { makeTicket } from '../support/tickets.ts'

const MINUTE_MS = 60_000
const clock = createManualClock()
const bellhop: Bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())
let acme: Client
let ana: SignedInAgent

beforeEach(async () => {
  acme = await bellhop.organization()
  ana = await signInAgent(bellhop, acme.orgId, { name: 'Ana', role: 'admin' })
})

interface AgentRow {
  id: string
  name: string
  email: string
  role: string
  state: string
  lastSeenAt?: string
}

async function agents(by = ana): Promise<AgentRow[]> {
  return (await by.call<{ data: AgentRow[] }>('GET', '/console/agents')).json.data
}

test('every agent sees all agents, their state, and when they were last active', async () => {
  const ben = await signInAgent(bellhop, acme.orgId, { name: 'Ben' })
  const gone = await makeAgent(bellhop, acme.orgId, { name: 'Gone', email: 'gone@acme.example' })
  await makeAgent(bellhop, acme.orgId, { name: 'Cleo', email: 'cleo@acme.example' })
  await ana.call('POST', `/console/agents/${gone.id}/disable`)
  const body = { name: ' \u202eIda Berg ', email: 'ida@acme.example', role: 'agent' }
  expect((await ana.call('POST', '/console/agents', { body })).status).toBe(201)
  clock.advance(5 * MINUTE_MS)
  const now = new Date(clock.now()).toISOString()
  const shown = (await agents(ben)).map(({ name, role, state, lastSeenAt }) => [
    name,
    role,
    state,
    lastSeenAt,
  ])
  const first = new Date(clock.now() - 5 * MINUTE_MS).toISOString()
  expect(shown).toEqual([
    ['Ana', 'admin', 'invited', first],
    ['Ben', 'agent', 'invited', now],
    ['Gone', 'admin', 'disabled', undefined],
    ['Cleo', 'admin', 'active', undefined],
    ['Ida Berg', 'agent', 'invited', undefined],
  ])
  // The time stays after the session ends.
  await ben.call('DELETE', '/console/session')
  expect((await agents())[1]?.lastSeenAt).toBe(now)
})

test('an email address can be invited once per organization, in any case', async () => {
  const body = { name: 'Ida', email: 'ida@acme.example', role: 'agent' }
  await ana.call('POST', '/console/agents', { body })
  const again = await ana.call('POST', '/console/agents', { body: { ...body, email: 'IDA@acme.example' } })
  expect(again.json).toMatchObject({ status: 409, code: 'agent_exists' })
  const wrong = await ana.call('POST', '/console/agents', { body: { ...body, email: 'ida' } })
  expect(wrong.json).toMatchObject({ status: 400, errors: [{ pointer: '/email' }] })
  const role = await ana.call('POST', '/console/agents', { body: { ...body, role: 'boss' } })
  expect(role.json).toMatchObject({ status: 400, errors: [{ pointer: '/role', code: 'not_allowed' }] })
  expect(await agents()).toHaveLength(2)
})

test('an administrator renames an agent and changes their role, from the next request on', async () => {
  const ben = await signInAgent(bellhop, acme.orgId, { name: 'Ben' })
  const body = { name: 'Benjamin', role: 'admin' }
  const changed = await ana.call('PATCH', `/console/agents/${ben.id}`, { body })
  expect(changed.json).toMatchObject({ id: ben.id, name: 'Benjamin', role: 'admin' })
  expect((await ben.call('GET', '/console/keys')).status).toBe(200)
  await ana.call('PATCH', `/console/agents/${ben.id}`, { body: { role: 'agent' } })
  expect((await ben.call('GET', '/console/keys')).json).toMatchObject({ code: 'admins_only' })
  const blank = await ana.call('PATCH', `/console/agents/${ben.id}`, { body: { name: ' ' } })
  expect(blank.json).toMatchObject({ status: 400, errors: [{ pointer: '/name' }] })
})

test('the last administrator keeps the role, even if two remove each other at the same time', async () => {
  const path = `/console/agents/${ana.id}`
  const last = { status: 409, code: 'last_administrator' }
  expect((await ana.call('PATCH', path, { body: { role: 'agent' } })).json).toMatchObject(last)
  expect((await ana.call('POST', `${path}/disable`)).json).toMatchObject(last)
  const eve = await signInAgent(bellhop, acme.orgId, { name: 'Eve', role: 'admin' })
  const answers = await Promise.all([
    ana.call('PATCH', `/console/agents/${eve.id}`, { body: { role: 'agent' } }),
    eve.call('POST', `${path}/disable`),
  ])
  // The second request can come from someone who is no longer an administrator or signed in.
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const left = await agents((await eve.call('GET', '/console/session')).status === 200 ? eve : ana)
  expect(left.filter(({ role, state }) => role === 'admin' && state !== 'disabled')).toHaveLength(1)
})

test("an invited administrator doesn't count as one who can sign in", async () => {
  const other = await bellhop.organization('Other')
  const cleo = await makeAgent(bellhop, other.orgId, { email: 'cleo@other.example' })
  const browser = newBrowserSession(bellhop)
  await browser.signIn('cleo@other.example')
  const body = { name: 'Ida', email: 'ida@other.example', role: 'admin' }
  await browser.call('POST', '/console/agents', { body })
  const refused = await browser.call('POST', `/console/agents/${cleo.id}/disable`)
  expect(refused.json).toMatchObject({
    code: 'last_administrator',
    detail: 'This is the last administrator who can sign in. The others must accept their invitations first.',
  })
})

test('a disabled agent is signed out, loses their tickets, and can sign in again when enabled', async () => {
  await makeAgent(bellhop, acme.orgId, { name: 'Dora', email: 'dora@acme.example', role: 'agent' })
  const dora = newBrowserSession(bellhop)
  const { json: session } = await dora.signIn('dora@acme.example')
  const { id } = Object(session.agent)
  const ticket = await makeTicket(acme)
  await ana.call('PATCH', `/v1/tickets/${ticket.id}`, { body: { assignedTo: id } })
  const disabled = await ana.call('POST', `/console/agents/${id}/disable`)
  expect(disabled.json).toMatchObject({ agent: { id, state: 'disabled' }, unassignedTickets: 1 })
  expect((await dora.call('GET', '/console/session')).json).toMatchObject({ code: 'signed_out' })
  expect((await newBrowserSession(bellhop).signIn('dora@acme.example')).status).toBe(401)
  expect((await ana.call('GET', `/v1/tickets/${ticket.id}`)).json).not.toHaveProperty('assignedTo')
  const enabled = await ana.call('POST', `/console/agents/${id}/enable`)
  expect(enabled.json).toMatchObject({ id, state: 'active' })
  // Earlier sessions stay ended.
  expect((await dora.call('GET', '/console/session')).status).toBe(401)
  expect((await dora.signIn('dora@acme.example')).status).toBe(201)
})
