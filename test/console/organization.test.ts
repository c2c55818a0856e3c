import { afterAll, beforeEach, expect, test } from 'bun:test'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { newMailbox } from '../support/mailboxes.ts'
import { storeBot } from '../support/stored-bot.ts'

const bellhop = await startBellhop({ clock: createManualClock() })
afterAll(() => bellhop.stop())
let acme: Client
let ana: SignedInAgent

beforeEach(async () => {
  acme = await bellhop.organization()
  ana = await signInAgent(bellhop, acme.orgId, { name: 'Ana', role: 'admin' })
})

test('every agent can read the organization settings, and administrators can change each of them', async () => {
  const ben = await signInAgent(bellhop, acme.orgId)
  const first = {
    id: acme.orgId,
    name: 'Acme',
    reopens: true,
    assignOnReply: true,
    publicName: '',
    website: '',
    emailsApiTickets: false,
    undoEmailSeconds: 10,
    undoApiSeconds: 10,
    undoWidgetSeconds: 0,
    undoTelegramSeconds: 0,
    signature: '',
    createdAt: '2026-03-01T09:00:00.000Z',
  }
  expect((await ben.call('GET', '/console/organization')).json).toEqual(first)
  const body = {
    reopens: false,
    emailsApiTickets: true,
    undoWidgetSeconds: 5,
    undoEmailSeconds: 0,
    website: ' https://acme.example ',
    signature: '  -- \nAcme\n',
  }
  const changed = {
    ...first,
    reopens: false,
    emailsApiTickets: true,
    undoWidgetSeconds: 5,
    undoEmailSeconds: 0,
    website: 'https://acme.example',
    signature: '  -- \nAcme',
  }
  expect((await ana.call('PATCH', '/console/organization', { body })).json).toEqual(changed)
  const publicName = { publicName: 'Acme Support' }
  expect((await ana.call('PATCH', '/console/organization', { body: publicName })).json).toEqual({
    ...changed,
    ...publicName,
  })
  const empty = await ana.call('PATCH', '/console/organization', { body: { publicName: '' } })
  expect(empty.json).toEqual(changed)
  expect((await ben.call('GET', '/console/organization')).json).toEqual(changed)
})

test('invalid settings are reported all at once and change nothing', async () => {
  const before = (await ana.call('GET', '/console/organization')).json
  const body = { name: ' ', website: 'acme', publicName: 'x'.repeat(256), signature: 'x'.repeat(10_001) }
  const refused = await ana.call('PATCH', '/console/organization', { body })
  expect(refused.json).toMatchObject({
    status: 400,
    errors: [
      { pointer: '/name', code: 'invalid_name' },
      { pointer: '/publicName', code: 'too_long' },
      { pointer: '/website', code: 'invalid_format' },
      { pointer: '/signature', code: 'too_long' },
    ],
  })
  for (const undoEmailSeconds of [-1, 31, 2.5]) {
    const refused = await ana.call('PATCH', '/console/organization', { body: { undoEmailSeconds } })
    expect(refused.json).toMatchObject({ status: 400, errors: [{ pointer: '/undoEmailSeconds' }] })
  }
  for (const website of ['javascript:alert(1)', 'ftp://acme.example', 'https://', 'https://a b']) {
    expect((await ana.call('PATCH', '/console/organization', { body: { website } })).status).toBe(400)
  }
  expect((await ana.call('PATCH', '/console/organization', { body: { plan: 'gold' } })).status).toBe(400)
  expect((await ana.call('GET', '/console/organization')).json).toEqual(before)
})

test('the checklist shows completed steps', async () => {
  async function done(by: SignedInAgent): Promise<string[]> {
    type Steps = { data: { id: string; state: string }[] }
    const { data } = (await by.call<Steps>('GET', '/console/checklist')).json
    expect(data.map(({ id }) => id)).toEqual(['email', 'widget', 'telegram', 'agents', 'key', 'endpoint'])
    return data.filter(({ state }) => state === 'done').map(({ id }) => id)
  }
  const keys = (await ana.call<{ data: { id: string }[] }>('GET', '/console/keys')).json.data
  for (const { id } of keys) await ana.call('DELETE', `/console/keys/${id}`)
  expect(await done(ana)).toEqual([])
  await ana.call('POST', '/console/keys', { body: { name: 'Website' } })
  expect(await done(ana)).toEqual(['key'])
  const ida = { name: 'Ida', email: 'ida@acme.example', role: 'agent' }
  const { json } = await ana.call<{ agent: { id: string } }>('POST', '/console/agents', { body: ida })
  expect(await done(ana)).toEqual(['agents', 'key'])
  await ana.call('POST', `/console/agents/${json.agent.id}/disable`)
  const endpoint = { url: 'https://hooks.example.com/in', events: ['ticket.created'] }
  await ana.call('POST', '/console/endpoints', { body: endpoint })
  expect(await done(ana)).toEqual(['key', 'endpoint'])
  const atGoogle = { name: 'Support', address: 'support@acme.example', signIn: 'google' }
  expect((await ana.call('POST', '/console/mailboxes', { body: atGoogle })).status).toBe(201)
  expect(await done(ana)).toEqual(['key', 'endpoint'])
  const withPassword = newMailbox({ address: 'help@acme.example' })
  const { id } = (await ana.call<{ id: string }>('POST', '/console/mailboxes', { body: withPassword })).json
  expect(await done(ana)).toEqual(['email', 'key', 'endpoint'])
  await ana.call('DELETE', `/console/mailboxes/${id}`)
  expect(await done(ana)).toEqual(['key', 'endpoint'])
  const shop = { name: 'Shop', origins: ['https://shop.example'] }
  const { json: made } = await ana.call<{ widget: { id: string } }>('POST', '/console/widgets', {
    body: shop,
  })
  expect(await done(ana)).toEqual(['widget', 'key', 'endpoint'])
  await ana.call('DELETE', `/console/widgets/${made.widget.id}`)
  // Its key isn't one for programs.
  expect(await done(ana)).toEqual(['key', 'endpoint'])
  await storeBot(bellhop, ana.orgId)
  expect(await done(ana)).toEqual(['telegram', 'key', 'endpoint'])
})
