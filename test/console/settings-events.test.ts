import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { writeCaFile } from '../support/certificates.ts'
import { type OpenStream, openLive } from '../support/live.ts'
import { runProgram } from '../support/program.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { makeTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

// Changes of keys, endpoints, and agents that don't come from the console still reach open settings pages.
let bellhop: Bellhop
let receiver: Receiver
let acme: Client
let admin: SignedInAgent
let page: OpenStream

beforeAll(async () => {
  receiver = await startReceiver()
  bellhop = await startBellhop({
    settings: {
      BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8',
      BELLHOP_WEBHOOK_CA: await writeCaFile(),
      BELLHOP_WEBHOOK_RETRIES: '20ms',
    },
  })
})
afterAll(async () => {
  await bellhop.stop()
  await receiver.stop()
})

beforeEach(async () => {
  acme = await bellhop.organization()
  admin = await signInAgent(bellhop, acme.orgId, { role: 'admin' })
  page = await openLive(bellhop.url, admin)
  await page.next('hello')
})
afterEach(() => page.close())

const workspaceChange = () => page.next('changed', ({ type }) => type === 'workspace.changed')
const workspaceChanges = () => page.seen.filter(({ data }) => data.type === 'workspace.changed').length

test('settings get an event when a failing endpoint is turned off, but not for its earlier failures', async () => {
  receiver.respondWith(() => ({ status: 410 }))
  const body = { url: receiver.url, events: ['ticket.created'] }
  const made = await admin.call<{ endpoint: { id: string } }>('POST', '/console/endpoints', { body })
  await workspaceChange()
  await makeTicket(acme)
  await workspaceChange()
  const { json } = await admin.call('GET', `/console/endpoints/${made.json.endpoint.id}`)
  expect(json).toMatchObject({ isOn: false, offReason: 'gone' })
  expect(receiver.requests).toHaveLength(2)
  expect(workspaceChanges()).toBe(2)
})

test('settings get an event when a command changes keys, endpoints, agents, or widgets', async () => {
  const { dataFolder, databaseUrl } = bellhop.deps.config
  const place = { BELLHOP_DATA: dataFolder, ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}) }
  const command = async (...args: string[]) => {
    const { code, out, err } = await runProgram(place, args)
    expect(code, err).toBe(0)
    await workspaceChange()
    return out.trim()
  }
  const org = ['--org', acme.orgId]
  const key = await command('key', 'create', ...org, '--name', 'Shop')
  await command('key', 'revoke', key.slice(0, -34), ...org)
  const endpoint = ['--url', 'https://hooks.example.com/bellhop', '--events', 'ticket.created']
  await command('endpoint', 'create', ...org, ...endpoint)
  await command('agent', 'create', ...org, '--name', 'Bo', '--email', 'bo@example.com')
  const website = ['--name', 'Shop', '--origin', 'https://shop.example']
  const widget = JSON.parse(await command('widget', 'create', ...org, ...website, '--json'))
  const shown = async () => (await fetch(`${bellhop.url}/widget/${widget.key}/settings`)).status
  expect(await shown()).toBe(200)
  await command('widget', 'pause', widget.id)
  await eventually(async () => (await shown()) === 403)
  expect(workspaceChanges()).toBe(6)
}, 60_000)
