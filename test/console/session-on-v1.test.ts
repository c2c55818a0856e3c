import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, type Client, call, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'

const DAY_MS = 86_400_000
const clock = createManualClock()
let bellhop: Bellhop
let acme: Client
let ben: SignedInAgent
let ticketId: string

beforeAll(async () => {
  bellhop = await startBellhop({ clock })
  acme = await bellhop.organization()
  ben = await signInAgent(bellhop, acme.orgId)
  const made = await acme.call<{ id: string }>('POST', '/tickets', {
    body: { subject: 'Missing invoice', message: 'Where is it?', customer: { email: 'ana@example.com' } },
  })
  ticketId = made.json.id
})
afterAll(() => bellhop.stop())

test('a signed-in agent reads and answers tickets through the API under their own name', async () => {
  expect((await ben.call('GET', `/v1/tickets/${ticketId}`)).status).toBe(200)
  const posted = await ben.call('POST', `/v1/tickets/${ticketId}/messages`, { body: { text: 'Attached.' } })
  expect(posted.json).toMatchObject({ role: 'agent', agentName: 'Ben Okafor' })
})

test("a change from another site with an agent's cookie is refused", async () => {
  for (const site of ['cross-site', 'same-site', 'none']) {
    const refused = await ben.call('PATCH', `/v1/tickets/${ticketId}`, {
      body: { status: 'resolved' },
      headers: { 'sec-fetch-site': site },
    })
    expect(refused.json).toMatchObject({ status: 403, code: 'cross_origin' })
  }
  expect((await acme.call('GET', `/tickets/${ticketId}`)).json).toMatchObject({ status: 'open' })
})

test('a browser that sends only an Origin header is checked by it', async () => {
  const change = (headers: Record<string, string>) =>
    call('PATCH', `${bellhop.url}/v1/tickets/${ticketId}`, {
      body: { tags: ['x'] },
      headers: { cookie: ben.cookie, ...headers },
    })
  expect((await change({ origin: bellhop.url })).status).toBe(200)
  expect((await change({ origin: 'https://evil.example' })).status).toBe(403)
  expect((await change({ origin: 'null' })).status).toBe(403)
  expect((await change({ origin: bellhop.url.replace('//', '//evil@') })).status).toBe(403)
  expect((await change({})).status).toBe(403)
})

test('an unknown session cookie is refused', async () => {
  const answer = await call('GET', `${bellhop.url}/v1/tickets`, {
    headers: { cookie: 'theme=dark; bellhop_session=guess' },
  })
  expect(answer.json).toMatchObject({ status: 401, code: 'unauthorized' })
})

test('a session ends two weeks after it was last used, and 90 days after it began', async () => {
  const used = await signInAgent(bellhop, acme.orgId, { name: 'Cleo' })
  const unused = await signInAgent(bellhop, acme.orgId, { name: 'Dan' })
  const status = async (agent: SignedInAgent) => (await agent.call('GET', '/v1/tickets')).status
  for (let day = 0; day < 85; day += 10) {
    expect(await status(used)).toBe(200)
    clock.jump(10 * DAY_MS)
  }
  expect(await status(unused)).toBe(401)
  expect(await status(used)).toBe(401)
})

test("agents can't read the metrics", async () => {
  const fresh = await signInAgent(bellhop, acme.orgId, { role: 'admin' })
  const answer = await fresh.call('GET', '/metrics', { headers: { 'x-forwarded-for': '192.0.2.1' } })
  expect(answer.status).toBe(403)
})

test('an Idempotency-Key belongs to one agent, or to one API key', async () => {
  const bea = await signInAgent(bellhop, acme.orgId, { name: 'Bea Lund' })
  const cy = await signInAgent(bellhop, acme.orgId, { name: 'Cy Young' })
  const more = { body: { text: 'I looked it up.' }, headers: { 'idempotency-key': 'the same key' } }
  const path = `/v1/tickets/${ticketId}/messages`
  const first = await bea.call('POST', path, more)
  expect((await bea.call('POST', path, more)).json).toEqual(first.json)
  const others = [
    await cy.call('POST', path, more),
    await acme.call('POST', `/tickets/${ticketId}/messages`, more),
    await (await acme.withKey()).call('POST', `/tickets/${ticketId}/messages`, more),
  ]
  expect(others.map(({ status }) => status)).toEqual([201, 201, 201])
  expect(others.map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, null, null])
})
