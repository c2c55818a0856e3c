import { afterAll, expect, test } from 'bun:test'
import { createAgent } from '../../server/agents/agents.ts'
import { disableAgent } from '../../server/agents/disable-agent.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { storedRows } from '../support/stored-rows.ts'
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

async function makeAgent(client: Client): Promise<string> {
  const agent = { name: 'Ben', email: 'ben@acme.example', role: 'agent' as const }
  return (await createAgent(bellhop.deps, client.orgId, agent)).id
}

function isoIn(start: string, seconds: number): string {
  return new Date(Date.parse(start) + seconds * 1000).toISOString()
}
