import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, startBellhop } from '../support/bellhop.ts'

interface SavedReplyJson {
  id: string
  name: string
  text: string
  updatedAt: string
}

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
