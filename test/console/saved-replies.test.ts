import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createId } from '../../server/ids.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { replyPath } from '../support/threads.ts'
import { makeTicket, problemOf, readTicket } from '../support/tickets.ts'
import { upload } from '../support/uploads.ts'

interface SavedReplyJson {
  id: string
  name: string
  text: string
  isShared: boolean
  isMine: boolean
  actions?: object
  attachments?: { id: string; name: string }[]
  uses: number
  updatedAt: string
}

let bellhop: Bellhop
let ben: SignedInAgent
let admin: SignedInAgent
let eve: SignedInAgent
let acme: Client

beforeAll(async () => {
  bellhop = await startBellhop()
  acme = await bellhop.organization()
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

async function read(agent: SignedInAgent, id: string): Promise<SavedReplyJson | undefined> {
  const { json } = await agent.call<{ data: SavedReplyJson[] }>('GET', '/console/saved-replies')
  return json.data.find((reply) => reply.id === id)
}

async function create(agent: SignedInAgent, body: object): Promise<SavedReplyJson> {
  const answer = await agent.call<SavedReplyJson>('POST', '/console/saved-replies', { body })
  expect(answer.status, answer.text).toBe(201)
  return answer.json
}

test('an agent’s own saved replies are theirs alone until they share them, and only they take one back', async () => {
  const own = await create(ben, { name: 'Mine', text: 'Hi', isShared: false })
  expect(own).toMatchObject({ isShared: false, isMine: true })
  expect(await read(admin, own.id)).toBeUndefined()
  const path = `/console/saved-replies/${own.id}`
  problemOf(await admin.call('PATCH', path, { body: { text: 'Changed' } }), 404, 'not_found')
  problemOf(await admin.call('POST', `${path}/use`), 404, 'not_found')
  problemOf(await admin.call('DELETE', path), 404, 'not_found')
  expect((await ben.call('PATCH', path, { body: { isShared: true } })).status).toBe(200)
  expect(await read(admin, own.id)).toMatchObject({ isShared: true, isMine: false })
  problemOf(await admin.call('PATCH', path, { body: { isShared: false } }), 403, 'not_yours')
  expect((await ben.call('PATCH', path, { body: { isShared: false } })).status).toBe(200)
  expect(await read(admin, own.id)).toBeUndefined()
})

test('a saved reply has files: each use gives the agent copies of them to send', async () => {
  const files = [
    (await upload(ben, 'terms.txt', 'The terms')).id,
    (await upload(ben, 'form.txt', 'The form')).id,
  ]
  const reply = await create(ben, { name: 'With files', text: 'See below.', attachments: files })
  expect(reply.attachments?.map(({ name }) => name)).toEqual(['terms.txt', 'form.txt'])
  const { id } = await makeTicket(acme)
  for (const agent of [admin, admin, ben]) {
    const used = await agent.call<{ attachments: { id: string; name: string }[] }>(
      'POST',
      `/console/saved-replies/${reply.id}/use`,
    )
    const attachments = used.json.attachments.map((file) => file.id)
    const put = await agent.call('PUT', replyPath(id, createId('msg', agent.now())), {
      body: { text: 'See below.', attachments },
    })
    expect(put.status, put.text).toBe(201)
  }
  expect((await read(admin, reply.id))?.uses).toBe(2)
  expect((await read(ben, reply.id))?.uses).toBe(1)
  const sent = (await readTicket(acme, id)).messages.filter(({ role }) => role === 'agent')
  expect(sent.map(({ attachments = [] }) => attachments.map(({ name }) => name))).toEqual(
    Array(3).fill(['terms.txt', 'form.txt']),
  )

  // One file less, and one more.
  const change = { attachments: [files[1], (await upload(admin, 'new.txt')).id] }
  const changed = await admin.call<SavedReplyJson>('PATCH', `/console/saved-replies/${reply.id}`, {
    body: change,
  })
  expect(changed.json.attachments?.map(({ name }) => name)).toEqual(['form.txt', 'new.txt'])
  // Deleted, its files can make it anew.
  expect((await ben.call('DELETE', `/console/saved-replies/${reply.id}`)).status).toBe(204)
  const again = await create(ben, { name: 'With files', text: '', attachments: change.attachments })
  expect(again.attachments).toHaveLength(2)
})

test('a saved reply does things to the ticket, with a text or without, and says nothing of neither', async () => {
  const actions = { status: 'resolved', assignedTo: ben.id, addTags: ['refund'] }
  const reply = await create(ben, { name: 'Billing / Refund', text: '', actions })
  expect(reply).toMatchObject({ text: '', actions })
  const make = (body: object) =>
    ben.call('POST', '/console/saved-replies', { body: { name: 'Odd', ...body } })
  problemOf(await make({ text: ' ' }), 400, 'invalid_request')
  problemOf(await make({ text: '', actions: { addTags: [] } }), 400, 'invalid_request')
  const stranger = await make({ text: '', actions: { assignedTo: eve.id } })
  expect(JSON.stringify(problemOf(stranger, 400, 'invalid_request'))).toContain('/actions/assignedTo')
})

test('the API lists the saved replies of the team, and no one’s own', async () => {
  const globex = await bellhop.organization('Globex')
  const mei = await signInAgent(bellhop, globex.orgId)
  await create(mei, { name: 'Own', text: 'Mine', isShared: false })
  const { id } = await create(mei, { name: 'Hello', text: 'Hi **you**', actions: { addTags: ['hi'] } })
  const { json } = await globex.call<{ data: object[] }>('GET', '/saved-replies')
  expect(json.data).toEqual([
    { id, name: 'Hello', text: 'Hi **you**', actions: { addTags: ['hi'] }, updatedAt: expect.any(String) },
  ])
})
