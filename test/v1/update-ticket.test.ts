import { afterAll, expect, test } from 'bun:test'
import { createAgent } from '../../server/agents/agents.ts'
import { disableAgent } from '../../server/agents/disable-agent.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { storedRows } from '../support/stored-rows.ts'
import { storedEvents } from '../support/subscription.ts'
import {
  changeTicket,
  type ListedTicketJson,
  listTickets,
  makeTicket,
  problemOf,
  readTicket,
} from '../support/tickets.ts'

// Specification, sections 3 and 4: PATCH /tickets/:id.

const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())

const STATUSES = ['open', 'resolved', 'pending']

test('allows every move between the three states', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  for (const from of STATUSES) {
    for (const to of STATUSES) {
      await changeTicket(client, id, { status: from })
      expect((await changeTicket(client, id, { status: to })).status).toBe(to)
      expect((await listTickets(client, `?status=${to}`)).meta.total).toBe(1)
    }
  }
})

test('answers 200 with the ticket as lists show it, and its ETag', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client, { tags: ['a'] })
  const changed = await client.call<ListedTicketJson>('PATCH', `/tickets/${id}`, {
    body: { status: 'pending', tags: ['b'] },
  })
  const read = await client.call('GET', `/tickets/${id}`)
  expect(changed.status).toBe(200)
  expect((await listTickets(client)).data).toEqual([changed.json])
  expect(changed.headers.get('etag')).toBe(read.headers.get('etag'))
})

test('leaves omitted fields unchanged', async () => {
  const client = await bellhop.organization()
  const agentId = await makeAgent(client)
  const { id } = await makeTicket(client, { tags: ['a', 'b'] })
  await changeTicket(client, id, { assignedTo: agentId })
  const before = await changeTicket(client, id, { status: 'pending' })
  expect(before).toMatchObject({ status: 'pending', assignedTo: agentId, tags: ['a', 'b'] })
  const after = await changeTicket(client, id, { tags: ['c'] })
  expect(after).toEqual({ ...before, tags: ['c'], updatedAt: after.updatedAt })
})

test.each([[null], ['']])('assigns to an agent, and unassigns with %p', async (nobody) => {
  const client = await bellhop.organization()
  const agentId = await makeAgent(client)
  const { id } = await makeTicket(client)
  expect((await changeTicket(client, id, { assignedTo: agentId })).assignedTo).toBe(agentId)
  expect((await listTickets(client, '?assignedTo=unassigned')).meta.total).toBe(0)
  expect(await changeTicket(client, id, { assignedTo: nobody })).not.toHaveProperty('assignedTo')
  expect((await listTickets(client, '?assignedTo=unassigned')).meta.total).toBe(1)
})

test('assigns only to an enabled agent of the same organization', async () => {
  const client = await bellhop.organization()
  const stranger = await makeAgent(await bellhop.organization('Other'))
  const gone = await makeAgent(client)
  await disableAgent(bellhop.deps, client.orgId, gone)
  const { id } = await makeTicket(client)
  for (const assignedTo of [stranger, gone, id, 'agt_00000000000000000000000000', 'ben', 'unassigned']) {
    const answer = await client.call('PATCH', `/tickets/${id}`, { body: { assignedTo, status: 'resolved' } })
    expect(problemOf(answer, 400, 'invalid_request').errors).toEqual([
      {
        pointer: '/assignedTo',
        code: 'unknown_agent',
        detail: 'No enabled agent has this id.',
      },
    ])
  }
  expect((await readTicket(client, id)).status).toBe('open')
})

test('unassigns the tickets of an agent whose access ends', async () => {
  const client = await bellhop.organization()
  const agentId = await makeAgent(client)
  const { id } = await makeTicket(client)
  await changeTicket(client, id, { assignedTo: agentId })
  await disableAgent(bellhop.deps, client.orgId, agentId)
  expect(await readTicket(client, id)).not.toHaveProperty('assignedTo')
  expect((await listTickets(client, '?assignedTo=unassigned')).meta.total).toBe(1)
})

test('an agent whose access ends at the same moment is left with no ticket', async () => {
  const client = await bellhop.organization()
  for (let round = 0; round < 10; round += 1) {
    const agent = await createAgent(bellhop.deps, client.orgId, {
      name: 'Ben',
      email: `ben${round}@example.com`,
      role: 'agent',
    })
    const { id } = await makeTicket(client)
    const body = { assignedTo: agent.id }
    const [answer] = await Promise.all([
      client.call('PATCH', `/tickets/${id}`, { body }),
      disableAgent(bellhop.deps, client.orgId, agent.id),
    ])
    expect([200, 400]).toContain(answer.status)
    expect(await readTicket(client, id)).not.toHaveProperty('assignedTo')
  }
})

test('replaces the tags, trimmed and each once; an empty list removes them all', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client, { tags: ['a', 'b'] })
  expect((await changeTicket(client, id, { tags: [' c ', 'a', 'c', 'A'] })).tags).toEqual(['c', 'a', 'A'])
  expect((await listTickets(client, '?tag=b')).meta.total).toBe(0)
  expect((await listTickets(client, '?tag=c')).data.map((ticket) => ticket.id)).toEqual([id])
  expect((await changeTicket(client, id, { tags: [] })).tags).toEqual([])
  expect((await listTickets(client, '?tag=c')).meta.total).toBe(0)
})

test('moves updatedAt on every effective change, and only on those', async () => {
  const client = await bellhop.organization()
  const { id, createdAt } = await makeTicket(client, { tags: ['a'] })
  const later = async (change: object): Promise<ListedTicketJson> => {
    clock.advance(1000)
    return changeTicket(client, id, change)
  }
  expect((await later({ status: 'pending' })).updatedAt).toBe(isoIn(createdAt, 1))
  expect((await later({ tags: ['a', 'b'] })).updatedAt).toBe(isoIn(createdAt, 2))
  const before = await storedRows(bellhop.deps)
  for (const same of [
    {},
    { status: 'pending' },
    { tags: ['a', ' b '] },
    { assignedTo: null },
    { assignedTo: '' },
  ]) {
    expect(await later(same)).toMatchObject({ createdAt, updatedAt: isoIn(createdAt, 2) })
  }
  expect(await storedRows(bellhop.deps)).toEqual(before)
  const last = await later({ status: 'open' })
  expect([last.createdAt, last.updatedAt]).toEqual([createdAt, isoIn(createdAt, 8)])
})

test('adds and removes single tags, and leaves the others', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client, { tags: ['a', 'b'] })
  expect((await changeTicket(client, id, { addTags: [' c ', 'a'], removeTags: ['b', 'x'] })).tags).toEqual([
    'a',
    'c',
  ])
  expect((await listTickets(client, '?tag=c')).meta.total).toBe(1)
  const body = { tags: ['d'], addTags: ['e'], removeTags: ['a'] }
  const answer = await client.call('PATCH', `/tickets/${id}`, { body })
  expect(problemOf(answer, 400, 'invalid_request').errors).toMatchObject([
    { pointer: '/addTags', code: 'not_allowed' },
    { pointer: '/removeTags', code: 'not_allowed' },
  ])
  const many = Array.from({ length: 49 }, (_, number) => `t${number}`)
  const tooMany = await client.call('PATCH', `/tickets/${id}`, { body: { addTags: many } })
  expect(problemOf(tooMany, 400, 'invalid_request').errors).toMatchObject([
    { pointer: '/addTags', code: 'too_many' },
  ])
  expect((await readTicket(client, id)).tags).toEqual(['a', 'c'])
})

test('assigns to an agent by their email address, without regard to case', async () => {
  const client = await bellhop.organization()
  const agentId = await makeAgent(client)
  const { id } = await makeTicket(client)
  expect((await changeTicket(client, id, { assignedTo: 'Ben@ACME.example' })).assignedTo).toBe(agentId)
  await changeTicket(client, id, { assignedTo: null })
  await disableAgent(bellhop.deps, client.orgId, agentId)
  const stranger = await bellhop.organization('Other')
  await createAgent(bellhop.deps, stranger.orgId, { name: 'Eve', email: 'eve@other.example', role: 'agent' })
  const gone = await client.call('PATCH', `/tickets/${id}`, { body: { assignedTo: 'ben@acme.example' } })
  problemOf(gone, 400, 'invalid_request')
  for (const assignedTo of ['eve@other.example', 'nobody@acme.example', '@']) {
    const answer = await client.call('PATCH', `/tickets/${id}`, { body: { assignedTo } })
    expect(problemOf(answer, 400, 'invalid_request').errors).toEqual([
      {
        pointer: '/assignedTo',
        code: 'unknown_agent',
        detail: 'No enabled agent has this email address.',
      },
    ])
  }
})

test('changes the subject, and marks as spam and takes it back', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  const changed = await changeTicket(client, id, { subject: 'Lost invoice', spam: true })
  expect(changed).toMatchObject({ subject: 'Lost invoice', spam: true })
  expect((await listTickets(client, '?spam=true')).data.map((ticket) => ticket.id)).toEqual([id])
  expect(await changeTicket(client, id, { spam: false })).toMatchObject({ spam: false, status: 'open' })
  for (const body of [{ subject: ' ' }, { subject: 'x'.repeat(256) }, { subject: null }, { spam: 1 }]) {
    problemOf(await client.call('PATCH', `/tickets/${id}`, { body }), 400, 'invalid_request')
  }
})

test('one change of several fields is one event, with what changed and no text', async () => {
  const client = await bellhop.organization()
  const agentId = await makeAgent(client)
  const { id } = await makeTicket(client, { tags: ['a'] })
  const before = (await storedEvents(bellhop.deps, client.orgId)).length
  const change = {
    status: 'pending',
    assignedTo: 'ben@acme.example',
    addTags: ['b'],
    spam: true,
    subject: 'Lost invoice',
    externalId: 'order-1',
    metadata: { plan: 'gold' },
  }
  await changeTicket(client, id, change)
  await changeTicket(client, id, change)
  const [event, ...others] = (await storedEvents(bellhop.deps, client.orgId)).slice(before)
  expect(others).toEqual([])
  expect(event).toMatchObject({ type: 'ticket.updated', ticketId: id })
  expect(event?.changes).toEqual({
    status: { from: 'open', to: 'pending' },
    assignedTo: { from: null, to: agentId },
    tags: { from: ['a'], to: ['a', 'b'] },
    spam: { from: false, to: true },
    subject: {},
    externalId: {},
    metadata: {},
  })
})

test('the ETag guards the new fields too', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  const { headers } = await client.call('GET', `/tickets/${id}`)
  const guarded = { headers: { 'if-match': headers.get('etag') ?? '' }, body: { metadata: { plan: 'gold' } } }
  expect((await client.call('PATCH', `/tickets/${id}`, guarded)).status).toBe(200)
  const stale = { ...guarded, body: { externalId: 'a', addTags: ['late'] } }
  problemOf(await client.call('PATCH', `/tickets/${id}`, stale), 412, 'precondition_failed')
  expect(await readTicket(client, id)).not.toHaveProperty('externalId')
})

async function makeAgent(client: Client): Promise<string> {
  const agent = { name: 'Ben', email: 'ben@acme.example', role: 'agent' as const }
  return (await createAgent(bellhop.deps, client.orgId, agent)).id
}

function isoIn(start: string, seconds: number): string {
  return new Date(Date.parse(start) + seconds * 1000).toISOString()
}
