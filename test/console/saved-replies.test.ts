import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, startBellhop } from '../support/bellhop.ts'
import { problemOf } from '../support/tickets.ts'

interface SavedReplyJson {
  id: string
  name: string
  text: string
  updatedAt: string
}

const NONE = 'svr_00000000000000000000000000'
let bellhop: Bellhop
let ben: SignedInAgent
let admin: SignedInAgent
let eve: SignedInAgent

beforeAll(async () => {
  bellhop = await startBellhop()
  const acme = await bellhop.organization()
  ben = await signInAgent(bellhop, acme.orgId)
  admin = await signInAgent(bellhop, acme.orgId, { role: 'admin' })
  eve = await signInAgent(bellhop, (await bellhop.organization('Other')).orgId, { name: 'Eve' })
})
afterAll(() => bellhop.stop())

async function names(agent: SignedInAgent): Promise<string[]> {
  const { json } = await agent.call<{ data: SavedReplyJson[] }>('GET', '/console/saved-replies')
  return json.data.map(({ name }) => name)
}

test('agents write, change and delete saved replies for everyone in their organization', async () => {
  const text = 'Hello {{customer.firstName}},'
  const make = (name: string) =>
    ben.call<SavedReplyJson>('POST', '/console/saved-replies', { body: { name, text } })
  const hello = await make(' Hello ')
  expect([hello.status, hello.json]).toEqual([201, expect.objectContaining({ name: 'Hello', text })])
  await make('Bye')
  expect(await names(admin)).toEqual(['Bye', 'Hello'])
  expect(await names(eve)).toEqual([])
  const path = `/console/saved-replies/${hello.json.id}`
  const changed = await admin.call('PATCH', path, { body: { text: 'Hi!' } })
  expect(changed.json).toMatchObject({ name: 'Hello', text: 'Hi!' })
  expect((await ben.call('DELETE', path)).status).toBe(204)
  expect(await names(ben)).toEqual(['Bye'])
  const { json } = await admin.call<{ data: object[] }>('GET', '/console/audit?limit=2')
  expect(json.data).toMatchObject([
    { action: 'saved_reply.deleted', actor: { name: 'Ben Okafor' }, subject: { label: 'Hello' } },
    { action: 'saved_reply.changed' },
  ])
})

test('a saved reply of another organization is not found, and a blank one is refused', async () => {
  const made = await ben.call<SavedReplyJson>('POST', '/console/saved-replies', {
    body: { name: 'Mine', text: 'Mine' },
  })
  for (const [agent, id] of [
    [eve, made.json.id],
    [ben, NONE],
    [ben, 'nonsense'],
  ] as const) {
    const path = `/console/saved-replies/${id}`
    problemOf(await agent.call('PATCH', path, { body: { name: 'Theirs' } }), 404, 'not_found')
    problemOf(await agent.call('DELETE', path), 404, 'not_found')
  }
  for (const body of [{ name: ' ', text: 'x' }, { name: 'x' }, { name: 'x', text: 'x', more: 1 }]) {
    problemOf(await ben.call('POST', '/console/saved-replies', { body }), 400, 'invalid_request')
  }
  expect(await names(ben)).toContain('Mine')
})
