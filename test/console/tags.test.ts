import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { makeManyTickets } from '../support/many-tickets.ts'
import { readThread } from '../support/threads.ts'
import { changeTicket, listTickets, makeTicket, problemOf, readTicket } from '../support/tickets.ts'

let bellhop: Bellhop
let acme: Client
let admin: SignedInAgent
let ben: SignedInAgent

beforeAll(async () => {
  bellhop = await startBellhop()
})
beforeEach(async () => {
  acme = await bellhop.organization()
  admin = await signInAgent(bellhop, acme.orgId, { role: 'admin', name: 'Root' })
  ben = await signInAgent(bellhop, acme.orgId)
})
afterAll(() => bellhop.stop())

interface Tag {
  tag: string
  total: number
  open: number
  views: number
}

async function tags(agent = ben): Promise<Tag[]> {
  return (await agent.call<{ data: Tag[] }>('GET', '/console/tags')).json.data
}

test('every tag is listed with its number of tickets and of open tickets', async () => {
  const first = await makeTicket(acme, { tags: ['vip', 'a:b,c'] })
  const second = await makeTicket(acme, { tags: ['vip'] })
  await makeTicket(acme, { tags: ['vip'] })
  await changeTicket(acme, first.id, { status: 'resolved' })
  await ben.call('PATCH', `/console/tickets/${second.id}`, { body: { isSpam: true } })
  expect(await tags()).toEqual([
    { tag: 'a:b,c', total: 1, open: 0, views: 0 },
    { tag: 'vip', total: 3, open: 1, views: 0 },
  ])
  const eve = await signInAgent(bellhop, (await bellhop.organization('Other')).orgId)
  expect(await tags(eve)).toEqual([])
})

test('a tag is renamed on every ticket; a ticket with both tags keeps one', async () => {
  await makeManyTickets(bellhop.deps, acme.orgId, 205, () => ['refnud'])
  const both = await makeTicket(acme, { tags: ['new', 'refnud', 'refund'] })
  const renamed = await admin.call('POST', '/console/tags/rename', {
    body: { from: 'refnud', to: ' refund ' },
  })
  expect([renamed.status, renamed.json]).toEqual([200, { changed: 206 }])
  expect(await tags()).toEqual([
    { tag: 'new', total: 1, open: 1, views: 0 },
    { tag: 'refund', total: 206, open: 206, views: 0 },
  ])
  expect((await readTicket(acme, both.id)).tags).toEqual(['new', 'refund'])
  expect((await listTickets(acme, '?tag=refund')).meta.total).toBe(206)
  expect((await readThread(ben, both.id)).timeline.at(-1)).toMatchObject({
    actor: { name: 'Root' },
    changes: [{ field: 'tags', from: ['new', 'refnud', 'refund'], to: ['new', 'refund'] }],
  })
})

test('a tag is removed from every ticket, and the audit log says who did it', async () => {
  const { id } = await makeTicket(acme, { tags: ['old', 'vip'] })
  const foreign = await bellhop.organization('Other')
  const other = await makeTicket(foreign, { tags: ['old'] })
  const removed = await admin.call('POST', '/console/tags/remove', { body: { tag: 'old' } })
  expect(removed.json).toEqual({ changed: 1 })
  expect((await readTicket(acme, id)).tags).toEqual(['vip'])
  expect((await readTicket(foreign, other.id)).tags).toEqual(['old'])
  const { json } = await admin.call<{ data: object[] }>('GET', '/console/audit?limit=1')
  expect(json.data).toMatchObject([
    { action: 'tag.removed', actor: { name: 'Root' }, subject: { label: 'old' } },
  ])
})

test('an unused tag changes nothing, and only administrators can change tags', async () => {
  await makeTicket(acme, { tags: ['vip'] })
  const rename = (agent: SignedInAgent, body: object) => agent.call('POST', '/console/tags/rename', { body })
  expect((await rename(admin, { from: 'none', to: 'some' })).json).toEqual({ changed: 0 })
  problemOf(await rename(admin, { from: 'vip', to: 'vip ' }), 400, 'invalid_request')
  problemOf(await rename(ben, { from: 'vip', to: 'VIP' }), 403, 'admins_only')
  problemOf(await ben.call('POST', '/console/tags/remove', { body: { tag: 'vip' } }), 403, 'admins_only')
  expect(await tags()).toEqual([{ tag: 'vip', total: 1, open: 1, views: 0 }])
})

test('a tag is also renamed in every saved view, without other changes to the view', async () => {
  await makeTicket(acme, { tags: ['old "one"', 'old'] })
  const cleo = await signInAgent(bellhop, acme.orgId)
  const foreign = await signInAgent(bellhop, (await bellhop.organization('Other')).orgId)
  const make = async (agent: SignedInAgent, query: string, isShared = false) => {
    const made = await agent.call('POST', '/console/views', {
      body: { name: query.slice(0, 60), query, isShared },
    })
    expect(made.status, made.text).toBe(201)
  }
  const queries = async (agent: SignedInAgent) =>
    (await agent.call<{ data: { query: string }[] }>('GET', '/console/views')).json.data.map(
      ({ query }) => query,
    )
  await make(ben, 'status:open  tag:"old ""one""" refund', true)
  await make(cleo, '-TAG:"old ""one""" tag:old -old  "tag:old"')
  await make(cleo, 'tag:older')
  await make(cleo, 'tag:"old ""one"""refund')
  await make(foreign, 'tag:old')
  const long = `tag:old ${'x'.repeat(485)}`
  await make(cleo, long)
  expect((await tags()).map(({ tag, views }) => [tag, views])).toEqual([
    ['old', 2],
    ['old "one"', 3],
  ])

  const rename = async (from: string, to: string) =>
    (await admin.call('POST', '/console/tags/rename', { body: { from, to } })).json
  expect(await rename('old "one"', 'a "new" one')).toEqual({ changed: 1 })
  expect(await rename('old', 'quite another')).toEqual({ changed: 1 })
  const shared = 'status:open  tag:"a ""new"" one" refund'
  expect(await queries(admin)).toEqual([shared])
  expect((await queries(cleo)).sort()).toEqual(
    [
      shared,
      '-tag:"a ""new"" one" tag:"quite another" -old  "tag:old"',
      'tag:older',
      'tag:"a ""new"" one" refund',
      long,
    ].sort(),
  )
  expect(await queries(foreign)).toEqual(['tag:old'])
  const listed = await ben.call<{ data: object[] }>(
    'GET',
    `/console/tickets?q=${encodeURIComponent('tag:"a ""new"" one"')}`,
  )
  expect(listed.json.data).toHaveLength(1)
  const { json } = await admin.call<{ data: object[] }>('GET', '/console/audit?limit=2')
  expect(json.data).toMatchObject([
    { action: 'tag.renamed', detail: { to: 'quite another', changedViews: 1 } },
    { action: 'tag.renamed', detail: { to: 'a "new" one', changedViews: 3 } },
  ])
  // No one knows what a view should find instead of a removed tag.
  expect((await admin.call('POST', '/console/tags/remove', { body: { tag: 'quite another' } })).status).toBe(
    200,
  )
  expect(await queries(cleo)).toContain('-tag:"a ""new"" one" tag:"quite another" -old  "tag:old"')
})
