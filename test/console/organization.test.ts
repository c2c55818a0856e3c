import { afterAll, beforeEach, expect, test } from 'bun:test'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { problemOf } from '../support/tickets.ts'

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
    shownMetadata: [],
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
    shownMetadata: ['plan', 'region', 'plan'],
  }
  const changed = {
    ...first,
    reopens: false,
    emailsApiTickets: true,
    undoWidgetSeconds: 5,
    undoEmailSeconds: 0,
    website: 'https://acme.example',
    signature: '  -- \nAcme',
    shownMetadata: ['plan', 'region'],
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
  for (const shownMetadata of [Array(21).fill('plan'), ['x'.repeat(41)], [''], 'plan', null]) {
    const refused = await ana.call('PATCH', '/console/organization', { body: { shownMetadata } })
    expect(problemOf(refused, 400, 'invalid_request').errors?.[0]?.pointer).toStartWith('/shownMetadata')
  }
  for (const website of ['javascript:alert(1)', 'ftp://acme.example', 'https://', 'https://a b']) {
    expect((await ana.call('PATCH', '/console/organization', { body: { website } })).status).toBe(400)
  }
  expect((await ana.call('PATCH', '/console/organization', { body: { plan: 'gold' } })).status).toBe(400)
  expect((await ana.call('GET', '/console/organization')).json).toEqual(before)
})
