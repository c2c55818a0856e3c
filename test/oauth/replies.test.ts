import { afterAll, expect, test } from 'bun:test'
import { createProgram } from '../../server/agents/programs.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { connectMcp, type McpClient } from '../support/mcp.ts'
import { connect } from '../support/oauth.ts'
import { makeTicket, readTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

// What a program that an agent connected may send in their name, and what the agent decides about it.

const clock = createManualClock()
const bellhop = await startBellhop({ clock })
const { url, deps } = bellhop
afterAll(() => bellhop.stop())

const HOUR_MS = 3_600_000

interface Thread {
  waiting: { id: string; isHeld: boolean; heldBecause?: string; agentId?: string }[]
  drafts?: unknown
  ticket: { assignedTo?: { id: string } }
}

/** An organization, an agent, and their program. Replies leave at once. */
async function connected() {
  const owner = await bellhop.organization()
  const admin = await signInAgent(bellhop, owner.orgId, { role: 'admin' })
  const body = { undoApiSeconds: 0 }
  expect((await admin.call('PATCH', '/console/organization', { body })).status).toBe(200)
  const ana = await signInAgent(bellhop, owner.orgId, { name: 'Ana' })
  const { access_token: key } = await connect(bellhop, ana)
  const program = await connectMcp({ url, key, path: '/mcp' })
  return { owner, admin, ana, program }
}

/** Sends after the newest message. Returns the id of the reply, or why it was refused. */
async function reply({ call }: McpClient, ticket: string, more: object = {}) {
  const { data } = await call<{ newestMessage: { id: string } }>('get_ticket', { ticket })
  clock.advance(1_000)
  const args = { ticket, text: 'On its way.', after: data.newestMessage.id, ...more }
  const { data: sent, error } = await call<{ id: string }>('send_reply', args)
  return error?.code ?? sent.id
}

async function customerWrites({ call }: Client, ticket: string): Promise<void> {
  clock.advance(1_000)
  await call('POST', `/tickets/${ticket}/messages`, { body: { role: 'customer', text: 'And?' } })
}

function disconnect(agent: SignedInAgent) {
  return agent
    .call<{ data: { id: string }[] }>('GET', '/console/connected-programs')
    .then(({ json }) => agent.call('DELETE', `/console/connected-programs/${json.data[0]?.id}`))
}

async function waitingOn(agent: SignedInAgent, ticket: string): Promise<Thread['waiting']> {
  return (await agent.call<Thread>('GET', `/console/tickets/${ticket}`)).json.waiting
}

async function textsOf(client: Client, ticket: string): Promise<string[]> {
  return (await readTicket(client, ticket)).messages.map(({ role, text }) => `${role}: ${text}`)
}

async function found(agent: SignedInAgent, q: string): Promise<string[]> {
  const { json } = await agent.call<{ data: { id: string }[] }>('GET', `/console/tickets?q=${q}`)
  return json.data.map(({ id }) => id)
}

test('a connected program answers customers only, never the team: itself, its agent, or another program', async () => {
  const { owner, ana, program } = await connected()
  const { id } = await makeTicket(owner)
  const other = await createProgram(deps, owner.orgId, { name: 'Other bot' })
  const withKey = await connectMcp({ url, key: (await owner.withKey({ program: other.id })).key })
  expect(await reply(program, id)).toStartWith('msg_')
  for (const _ of [1, 2, 3]) {
    expect(await reply(program, id)).toBe('answered_since')
    expect(await reply(withKey, id)).toBe('answered_since')
  }
  await customerWrites(owner, id)
  expect(await reply(withKey, id)).toStartWith('msg_')
  expect(await reply(program, id)).toBe('answered_since')
  await customerWrites(owner, id)
  clock.advance(1_000)
  await ana.call('POST', `/v1/tickets/${id}/messages`, { body: { text: 'I know more tomorrow.' } })
  expect(await reply(program, id)).toBe('answered_since')
  expect((await readTicket(owner, id)).messages.map(({ role }) => role)).toEqual([
    ...['customer', 'agent', 'customer', 'agent', 'customer', 'agent'],
  ])
})

test('it answers as its agent: the ticket is theirs, and they take back what waits', async () => {
  const { owner, admin, ana, program } = await connected()
  await admin.call('PATCH', '/console/organization', { body: { assignOnReply: true } })
  const { id } = await makeTicket(owner)
  const sendAt = new Date(clock.now() + HOUR_MS).toISOString()
  const waiting = await reply(program, id, { sendAt })
  expect(await waitingOn(ana, id)).toMatchObject([{ id: waiting, agentId: ana.id, isHeld: false }])
  expect(await found(ana, 'is:scheduled')).toEqual([id])
  const taken = await ana.call('DELETE', `/v1/tickets/${id}/messages/${waiting}`)
  expect(taken.status, taken.text).toBe(204)
  expect(await found(ana, 'is:draft')).toEqual([id])
  expect(await reply(program, id)).toStartWith('msg_')
  const { assignedTo } = await readTicket(owner, id)
  expect(assignedTo).toBe(ana.id)
  const { json } = await owner.call<{ data: { event: string; by: unknown }[] }>('GET', '/events?after=0')
  expect(json.data.findLast(({ event }) => event === 'message.sent')?.by).toMatchObject({
    kind: 'agent',
    id: ana.id,
  })
})

test('what it queued is held if its agent answers first', async () => {
  const { owner, ana, program } = await connected()
  const { id } = await makeTicket(owner)
  const waiting = await reply(program, id, { sendAt: new Date(clock.now() + HOUR_MS).toISOString() })
  await ana.call('POST', `/v1/tickets/${id}/messages`, { body: { text: 'I did it.' } })
  clock.advance(HOUR_MS)
  await eventually(async () => (await waitingOn(ana, id))[0]?.isHeld)
  expect(await waitingOn(ana, id)).toMatchObject([{ id: waiting, heldBecause: 'answered' }])
})

test.each([
  ['its agent', ({ ana }: Awaited<ReturnType<typeof connected>>) => disconnect(ana)],
  ['an administrator', ({ admin }: Awaited<ReturnType<typeof connected>>) => disconnect(admin)],
])('what it queued is held once %s disconnects it, and its agent decides', async (_, end) => {
  const all = await connected()
  const { owner, ana, program } = all
  const tickets = [await makeTicket(owner), await makeTicket(owner)].map(({ id }) => id)
  const sendAt = new Date(clock.now() + HOUR_MS).toISOString()
  const replies: string[] = []
  for (const id of tickets) replies.push(await reply(program, id, { sendAt }))
  expect((await end(all)).status).toBe(204)
  clock.advance(HOUR_MS)
  for (const id of tickets) {
    await eventually(async () => (await waitingOn(ana, id))[0]?.isHeld)
    expect(await waitingOn(ana, id)).toMatchObject([{ heldBecause: 'disabled', agentId: ana.id }])
    expect((await readTicket(owner, id)).messages).toHaveLength(1)
  }
  expect((await found(ana, 'is:held')).sort()).toEqual(tickets.toSorted())
  const [sent = '', back = ''] = tickets
  const pressed = await ana.call('POST', `/console/tickets/${sent}/messages/${replies[0]}/send`)
  expect(pressed.status, pressed.text).toBe(204)
  expect(await textsOf(owner, sent)).toContain('agent: On its way.')
  const taken = await ana.call('DELETE', `/v1/tickets/${back}/messages/${replies[1]}`)
  expect(taken.status, taken.text).toBe(204)
  expect(await found(ana, 'is:draft')).toEqual([back])
})
