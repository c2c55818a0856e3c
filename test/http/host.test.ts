import { afterAll, beforeAll, expect, test } from 'bun:test'
import { hostname } from 'node:os'
import { announcedUrl } from '../../server/database/lock.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, call, startBellhop } from '../support/bellhop.ts'
import { rawRequest } from '../support/raw-request.ts'
import { problemOf } from '../support/tickets.ts'

const STRANGERS = ['evil.example', 'help.example.com.evil.example', '203.0.113.7', 'a b', '', 'x@127.0.0.1']

/** It has a public address. */
let named: Bellhop
/** Where the first one really listens. */
let origin: string
/** It has none. */
let unnamed: Bellhop

beforeAll(async () => {
  named = await startBellhop({ settings: { BELLHOP_URL: 'https://help.example.com' } })
  origin = announcedUrl(named.deps.config.dataFolder) ?? ''
  unnamed = await startBellhop()
})
afterAll(() => Promise.all([named.stop(), unnamed.stop()]))

test('with a public address, a request for another host is refused', async () => {
  for (const host of STRANGERS) {
    for (const target of ['/v1/tickets', '/console/first-run', '/sign-in', '/', '/docs']) {
      const answer = await rawRequest(origin, { method: 'GET', target, headers: { host } })
      const { detail } = problemOf(answer, 421, 'wrong_host')
      expect(detail).toContain('BELLHOP_URL')
    }
  }
  const { port } = new URL(origin)
  for (const host of ['help.example.com', 'HELP.example.com:443', `localhost:${port}`, '[::1]', hostname()]) {
    const answer = await rawRequest(origin, {
      method: 'GET',
      target: '/console/first-run',
      headers: { host },
    })
    expect([host, answer.status]).toEqual([host, 200])
  }
})

test('supervisors may ask for the health by any address', async () => {
  for (const target of ['/health/live', '/health/ready']) {
    const answer = await rawRequest(origin, { method: 'GET', target, headers: { host: '10.42.0.7:3000' } })
    expect(answer.status).toBe(200)
  }
})

test('without a public address, any host is served, and no one-time link is made for one that could be anything', async () => {
  const { orgId } = await unnamed.organization()
  const root = await signInAgent(unnamed, orgId, { role: 'admin' })
  const { id } = await signInAgent(unnamed, orgId)
  for (const host of ['evil.example', '203.0.113.7:3000']) {
    expect((await call('GET', `${unnamed.url}/console/session`, asked(root, host))).status).toBe(200)
    for (const [path, body] of [
      ['/console/agents', { name: 'Ida', email: 'ida@acme.example', role: 'agent' }],
      [`/console/agents/${id}/link`, undefined],
    ] as const) {
      const answer = await call('POST', `${unnamed.url}${path}`, { ...asked(root, host), body })
      expect(problemOf(answer, 409, 'address_unknown').detail).toContain('BELLHOP_URL')
      expect(answer.text).not.toContain('/join#')
    }
  }
  // Nobody was invited, and no link was made.
  const { json } = await root.call<{ data: { email: string }[] }>('GET', '/console/agents')
  expect(json.data).toHaveLength(2)
  const { port } = new URL(unnamed.url)
  const made = await root.call('POST', `/console/agents/${id}/link`)
  expect(String(made.json.url)).toStartWith(`http://127.0.0.1:${port}/join#`)
})

test("with a public address, one-time links have it whatever the request's host is", async () => {
  const { orgId } = await named.organization()
  const root = await signInAgent({ deps: named.deps, url: origin }, orgId, { role: 'admin' })
  const { id } = await signInAgent({ deps: named.deps, url: origin }, orgId)
  const cookie = `__Host-${root.cookie}`
  const link = (host: string) =>
    call<{ url?: string }>('POST', `${origin}/console/agents/${id}/link`, {
      headers: { cookie, host, 'sec-fetch-site': 'same-origin' },
    })
  expect(String((await link('127.0.0.1')).json.url)).toStartWith('https://help.example.com/join#')
  expect((await link('evil.example')).status).toBe(421)
})

test('metrics are open only to this machine, for its own name, and not through a proxy', async () => {
  const ask = async (headers: Record<string, string>, url = unnamed.url) =>
    (await call('GET', `${url}/metrics`, { headers })).status
  expect(await ask({})).toBe(200)
  for (const host of ['localhost:9', '127.0.0.1', '[::1]:3000']) expect(await ask({ host })).toBe(200)
  // A page whose name was pointed to 127.0.0.1 after it was loaded.
  for (const host of ['evil.example', 'localhost.evil.example', '203.0.113.7']) {
    expect(await ask({ host })).toBe(401)
  }
  for (const name of ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'forwarded', 'via']) {
    expect(await ask({ [name]: '127.0.0.1' })).toBe(401)
  }
  expect(await ask({ host: 'help.example.com' }, origin)).toBe(401)
})

function asked(agent: SignedInAgent, host: string) {
  return { headers: { cookie: agent.cookie, 'sec-fetch-site': 'same-origin', host } }
}
