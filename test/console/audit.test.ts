import { afterAll, expect, test } from 'bun:test'
import { setUp } from '../../server/agents/set-up.ts'
import { agents } from '../../server/database/tables/agents.ts'
import { auditEntries } from '../../server/database/tables/audit.ts'
import { actingAs } from '../../server/deps.ts'
import { startBellhop } from '../support/bellhop.ts'
import {
  type BrowserSession,
  makeAgent,
  newBrowserSession,
  PASSWORD,
  tokenOf,
} from '../support/browser-session.ts'
import { createManualClock } from '../support/clock.ts'
import { eventually } from '../support/webhooks.ts'

const clock = createManualClock()
const bellhop = await startBellhop({ clock, settings: { BELLHOP_LOG: 'debug' } })
afterAll(() => bellhop.stop())

interface Entry {
  id: string
  at: string
  actor: { kind: string; id?: string; name: string }
  action: string
  subject?: { id?: string; label: string }
  detail?: Record<string, unknown>
  address?: string
}

interface Log {
  data: Entry[]
  nextCursor?: string
}

let made = 0

/** A new organization with a signed-in administrator. */
async function workspace(): Promise<{ orgId: string; email: string; id: string; ana: BrowserSession }> {
  made += 1
  const { orgId } = await bellhop.organization(`Workspace ${made}`)
  const email = `ana.${made}@acme.example`
  const { id } = await makeAgent(bellhop, orgId, { email })
  const ana = newBrowserSession(bellhop)
  await ana.signIn(email)
  return { orgId, email, id, ana }
}

async function log(ana: BrowserSession, query = ''): Promise<Log> {
  return (await ana.call<Log>('GET', `/console/audit${query}`)).json
}

/** The entries after the sign-in, oldest first. */
async function noted(ana: BrowserSession): Promise<Entry[]> {
  const { data } = await log(ana)
  const place = data.findIndex(({ action }) => action === 'agent.signed_in')
  return data.slice(0, place).reverse()
}

test('the log says who signed in, when and from where', async () => {
  const { ana, id, email } = await workspace()
  const { data } = await log(ana, '?limit=1')
  expect(data).toEqual([
    {
      id: expect.stringMatching(/^aud_/),
      at: new Date(clock.now()).toISOString(),
      actor: { kind: 'agent', id, name: 'Ana Pires' },
      action: 'agent.signed_in',
      subject: { id, label: email },
      address: '127.0.0.1',
    },
  ])
})

test('the log says for which agent and from where a password was wrong', async () => {
  const { ana, id, email } = await workspace()
  const stranger = newBrowserSession(bellhop)
  expect((await stranger.signIn(email, 'a guess')).status).toBe(401)
  expect((await stranger.signIn('nobody@acme.example', 'a guess')).status).toBe(401)
  await eventually(async () => (await noted(ana)).length === 1)
  expect(await noted(ana)).toMatchObject([
    {
      actor: { kind: 'system', name: 'Someone' },
      action: 'agent.sign_in_failed',
      subject: { id, label: email },
      address: '127.0.0.1',
    },
  ])
})

test('everything administrators do with agents is recorded', async () => {
  const { ana } = await workspace()
  const body = { name: 'Ida', email: `ida.${made}@acme.example`, role: 'agent' }
  const { json } = await ana.call<{ agent: { id: string } }>('POST', '/console/agents', { body })
  const path = `/console/agents/${json.agent.id}`
  await ana.call('PATCH', path, { body: { name: 'Ida Berg', role: 'admin' } })
  await ana.call('PATCH', path, { body: { name: 'Ida Berg' } })
  const { url } = (await ana.call('POST', `${path}/link`)).json
  const ida = newBrowserSession(bellhop)
  await ida.call('POST', '/console/link/accept', { body: { token: tokenOf(url), password: PASSWORD } })
  await ana.call('POST', `${path}/link`)
  await ana.call('POST', `${path}/disable`)
  await ana.call('POST', `${path}/disable`)
  await ana.call('POST', `${path}/enable`)
  await ana.call('POST', `${path}/enable`)
  const entries = await noted(ana)
  expect(entries.map(({ action, detail }) => [action, detail])).toEqual([
    ['agent.invited', { role: 'agent' }],
    ['agent.renamed', { from: 'Ida', to: 'Ida Berg' }],
    ['agent.role_changed', { from: 'agent', to: 'admin' }],
    ['agent.link_made', { purpose: 'invitation' }],
    ['agent.password_set', { by: 'invitation' }],
    ['agent.link_made', { purpose: 'reset' }],
    ['agent.disabled', undefined],
    ['agent.enabled', undefined],
  ])
  for (const { subject } of entries) expect(subject).toEqual({ id: json.agent.id, label: body.email })
  const byIda = entries.filter(({ actor }) => actor.id === json.agent.id)
  expect(byIda.map(({ action }) => action)).toEqual(['agent.password_set'])
})

test('what agents do with their own sessions, name and password is recorded', async () => {
  const { ana, email } = await workspace()
  const phone = newBrowserSession(bellhop)
  await phone.signIn(email)
  const { json } = await phone.call<{ session: { id: string } }>('GET', '/console/session')
  await ana.call('DELETE', `/console/sessions/${json.session.id}`)
  await phone.signIn(email)
  await ana.call('DELETE', '/console/sessions')
  await ana.call('PATCH', '/console/me', { body: { name: 'Ana Maria' } })
  await ana.call('POST', '/console/password', { body: { current: PASSWORD, password: 'another password' } })
  const actions = (await log(ana)).data.map(({ action }) => action).reverse()
  expect(actions.slice(actions.indexOf('agent.signed_in') + 1)).toEqual([
    'agent.signed_in',
    'session.revoked',
    'agent.signed_in',
    'session.others_revoked',
    'agent.renamed',
    'agent.password_set',
  ])
})

test('changes of settings, keys, endpoints and deliveries are recorded with what changed', async () => {
  const { ana, orgId } = await workspace()
  await ana.call('PATCH', '/console/organization', { body: { reopens: false, name: 'New name' } })
  await ana.call('PATCH', '/console/organization', { body: { reopens: false } })
  const key = { name: 'Website', scopes: ['tickets:read'], rateLimit: 10 }
  const { json } = await ana.call<{ key: { id: string } }>('POST', '/console/keys', { body: key })
  await ana.call('DELETE', `/console/keys/${json.key.id}`)
  await ana.call('DELETE', `/console/keys/${json.key.id}`)
  const endpoint = { url: 'https://hooks.example.com/in', events: ['ticket.created'] }
  const created = await ana.call<{ endpoint: { id: string } }>('POST', '/console/endpoints', {
    body: endpoint,
  })
  const path = `/console/endpoints/${created.json.endpoint.id}`
  const since = new Date(clock.now()).toISOString()
  await ana.call('POST', `${path}/resend`, { body: { since } })
  await ana.call('POST', `${path}/disable`)
  await ana.call('DELETE', path)
  expect((await noted(ana)).map(({ action, subject, detail }) => [action, subject?.label, detail])).toEqual([
    [
      'organization.changed',
      'New name',
      { name: { from: `Workspace ${made}`, to: 'New name' }, reopens: { from: true, to: false } },
    ],
    [
      'api_key.created',
      'Website',
      { kind: 'secret', scopes: ['tickets:read'], rateLimit: 10, expiresAt: null },
    ],
    ['api_key.revoked', 'Website', undefined],
    ['endpoint.created', endpoint.url, undefined],
    ['endpoint.failed_resent', endpoint.url, { since }],
    ['endpoint.disabled', endpoint.url, undefined],
    ['endpoint.deleted', endpoint.url, undefined],
  ])
  expect((await log(ana)).data[0]?.subject?.id).toBe(created.json.endpoint.id)
  expect((await log(ana, '?action=organization.changed')).data[0]?.subject?.id).toBe(orgId)
})

test('what a command on the server does is recorded as such', async () => {
  const deps = actingAs(bellhop.deps, { kind: 'command', name: 'a command on the server' })
  const admin = { name: 'Ana', email: 'setup@acme.example', password: PASSWORD }
  const { organization } = await setUp(deps, { org: 'By command', admin })
  const ana = newBrowserSession(bellhop)
  await ana.signIn(admin.email)
  const { data } = await log(ana)
  expect(data.at(-1)).toMatchObject({
    actor: { kind: 'command', name: 'a command on the server' },
    action: 'organization.created',
    subject: { id: organization.id, label: 'By command' },
    detail: { administrator: admin.email },
  })
  expect(data.at(-1)).not.toHaveProperty('address')
})

test('the log has pages and a filter by action, newest first, for one organization', async () => {
  const { ana } = await workspace()
  for (let turn = 0; turn < 7; turn += 1) {
    await ana.call('PATCH', '/console/me', { body: { name: `Ana ${turn}` } })
  }
  const all = (await log(ana)).data
  expect(all.map(({ id }) => id)).toEqual(
    all
      .map(({ id }) => id)
      .sort()
      .reverse(),
  )
  const read: Entry[] = []
  let page = await log(ana, '?limit=3')
  for (; page.nextCursor !== undefined; page = await log(ana, `?limit=3&cursor=${page.nextCursor}`)) {
    expect(page.data).toHaveLength(3)
    read.push(...page.data)
  }
  expect([...read, ...page.data]).toEqual(all)
  const renamed = await log(ana, '?action=agent.renamed&limit=500')
  expect(renamed.data).toHaveLength(7)
  expect(renamed).not.toHaveProperty('nextCursor')
  expect((await log(ana, '?action=nothing.like_it')).data).toEqual([])
  for (const query of ['?cursor=x', '?limit=0', '?limit=x', '?who=ana', '?action=']) {
    expect((await ana.call('GET', `/console/audit${query}`)).status).toBe(400)
  }
  const other = (await workspace()).ana
  expect((await other.call('GET', `/console/audit?cursor=${all[0]?.id}`)).text).not.toContain('Ana 6')
})

test('no password, token or key is in the audit log or in the server log', async () => {
  const { ana, email } = await workspace()
  const secrets = [PASSWORD, 'wrong horse battery', 'an altogether new one', bellhop.firstRunToken]
  secrets.push(ana.setCookie.split(/[=;]/)[1] ?? '')
  await newBrowserSession(bellhop).signIn(email, 'wrong horse battery')
  const body = { name: 'Ida', email: `ida.${made}@acme.example`, role: 'agent' }
  const invited = await ana.call<{ link: { url: string } }>('POST', '/console/agents', { body })
  const token = tokenOf(invited.json.link.url)
  await newBrowserSession(bellhop).call('POST', '/console/link', { body: { token } })
  await newBrowserSession(bellhop).call('POST', '/console/link/accept', {
    body: { token, password: PASSWORD },
  })
  const key = await ana.call<{ secret: string }>('POST', '/console/keys', { body: { name: 'Website' } })
  const endpoint = { url: 'https://hooks.example.com/in', events: ['ticket.created'] }
  const created = await ana.call<{ secret: string }>('POST', '/console/endpoints', { body: endpoint })
  secrets.push(token, key.json.secret, created.json.secret)
  const change = { current: PASSWORD, password: 'an altogether new one' }
  await ana.call('POST', '/console/password', { body: change })
  const first = { token: 'guess', organization: 'X', name: 'X', email: 'x@example.com', password: PASSWORD }
  await newBrowserSession(bellhop).call('POST', '/console/first-run', { body: first })

  const { read } = bellhop.deps.database
  const rows = JSON.stringify([await read.select().from(auditEntries), await read.select().from(agents)])
  const lines = bellhop.logLines.join('\n')
  expect(lines).toContain('/console/link/accept')
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(9)
    expect(rows).not.toContain(secret)
    expect(lines).not.toContain(secret)
  }
})
