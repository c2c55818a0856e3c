import { afterAll, expect, test } from 'bun:test'
import { createId } from '../../server/ids.ts'
import { addMessages } from '../support/add-messages.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { newestMessage, readThread, replyPath, sendNow, untilSent } from '../support/threads.ts'
import { makeTicket, problemOf, readTicket } from '../support/tickets.ts'

/** Written out, the name would look like the method of a promise. */
const THEN = 'then'
const HOUR_MS = 3_600_000
const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())

interface CountsJson {
  views: Record<string, number>
}

async function openWorkspace() {
  const client = await bellhop.organization()
  const ben = await signInAgent(bellhop, client.orgId)
  const ana = await signInAgent(bellhop, client.orgId, { name: 'Ana Lima' })
  const { id } = await makeTicket(client)
  return { client, ben, ana, id }
}

/** Chooses a time for a reply, after reading everything. */
async function sendLater(agent: SignedInAgent, ticketId: string, more: object = {}): Promise<string> {
  const messageId = createId('msg', agent.now())
  const sendAt = new Date(agent.now() + 2 * HOUR_MS).toISOString()
  const after = await newestMessage(agent, ticketId)
  const body = { text: 'Good morning.', sendAt, after, ...more }
  const answer = await agent.call('PUT', replyPath(ticketId, messageId), { body })
  expect(answer.status, answer.text).toBe(201)
  return messageId
}

async function write(client: Client, ticketId: string): Promise<void> {
  const { orgId } = client
  await addMessages(bellhop.deps, { orgId, ticketId }, { text: 'Never mind.' })
}

async function scheduledOf(agent: SignedInAgent) {
  const { json } = await agent.call<CountsJson>('GET', '/console/counts')
  const list = await agent.call<{ data: { id: string; hasScheduledReply: boolean }[] }>(
    'GET',
    '/console/tickets?q=is:scheduled',
  )
  const ids = list.json.data.map(({ id }) => id)
  expect(list.json.data.every(({ hasScheduledReply }) => hasScheduledReply)).toBe(true)
  return { count: json.views.scheduled, ids }
}

test('a reply for later is in Scheduled of its author until it is sent', async () => {
  const { client, ben, ana, id } = await openWorkspace()
  await makeTicket(client)
  const messageId = await sendLater(ben, id)
  expect(await scheduledOf(ben)).toEqual({ count: 1, ids: [id] })
  expect(await scheduledOf(ana)).toEqual({ count: 0, ids: [] })
  expect((await readThread(ana, id)).waiting).toMatchObject([{ id: messageId, isLater: true, isHeld: false }])
  clock.advance(2 * HOUR_MS)
  await untilSent(bellhop, clock)
  expect(await scheduledOf(ben)).toEqual({ count: 0, ids: [] })
  expect((await readTicket(client, id)).messages).toHaveLength(2)
})

test('a reply for later is held if the customer writes meanwhile, and sent when its author says so', async () => {
  const { client, ben, id } = await openWorkspace()
  const messageId = await sendLater(ben, id)
  await write(client, id)
  clock.advance(2 * HOUR_MS)
  await untilSent(bellhop, clock)
  expect((await readThread(ben, id)).waiting).toMatchObject([{ isHeld: true, heldBecause: 'customer_wrote' }])
  expect((await ben.call<CountsJson>('GET', '/console/counts')).json.views).toMatchObject({
    held: 1,
    scheduled: 0,
  })
  expect((await sendNow(ben, id, messageId)).status).toBe(204)
  expect((await readTicket(client, id)).messages.at(-1)).toMatchObject({ text: 'Good morning.' })
})

test('a reply that only waits to be undone is not held for words of the customer', async () => {
  const { client, ben, id } = await openWorkspace()
  await sendLater(ben, id, { sendAt: new Date(clock.now() + 10_000).toISOString() })
  await write(client, id)
  await untilSent(bellhop, clock)
  expect((await readThread(ben, id)).waiting).toEqual([])
})

test('before its time, a reply for later is sent at once, or is a draft again with what it does to the ticket', async () => {
  const { client, ben, id } = await openWorkspace()
  const first = await sendLater(ben, id)
  await write(client, id)
  expect((await sendNow(ben, id, first)).status).toBe(204)
  const snoozedUntil = new Date(ben.now() + 5 * HOUR_MS).toISOString()
  const then = { status: 'resolved', addTags: ['refund'], snoozedUntil, why: 'call' }
  const second = await sendLater(ben, id, { [THEN]: then })
  const sendAt = (await readThread(ben, id)).waiting[0]?.sendAt
  expect((await ben.call('DELETE', replyPath(id, second))).status).toBe(204)
  const { waiting, drafts } = await readThread(ben, id)
  expect(waiting).toEqual([])
  expect(drafts).toMatchObject([{ text: 'Good morning.', actions: then, sendAt }])

  // Until its author takes the time away. The time of Undo isn't one that they chose.
  const change = { kind: 'reply', text: 'Good night.', sendAt: null }
  expect((await ben.call('PUT', `/console/tickets/${id}/draft`, { body: change })).status).toBe(200)
  expect((await readThread(ben, id)).drafts[0]).not.toHaveProperty('sendAt')
  const third = await sendLater(ben, id, { sendAt: new Date(ben.now() + 10_000).toISOString() })
  expect((await ben.call('DELETE', replyPath(id, third))).status).toBe(204)
  expect((await readThread(ben, id)).drafts[0]).not.toHaveProperty('sendAt')
})

test('what is chosen with a reply is done to the ticket in the moment it is sent', async () => {
  const { client, ben, ana, id } = await openWorkspace()
  await client.call('PATCH', `/tickets/${id}`, { body: { tags: ['late', 'vip'] } })
  const then = { status: 'resolved', assignedTo: ana.id, addTags: ['refund'], removeTags: ['late'] }
  await sendLater(ben, id, { [THEN]: then })
  expect(await readTicket(client, id)).toMatchObject({ status: 'open', tags: ['late', 'vip'] })
  clock.advance(2 * HOUR_MS)
  await untilSent(bellhop, clock)
  expect(await readTicket(client, id)).toMatchObject({
    status: 'resolved',
    assignedTo: ana.id,
    tags: ['vip', 'refund'],
  })
  expect((await readThread(ben, id)).timeline.filter(({ kind }) => kind === 'activity')).toHaveLength(2)
})

test('what is no longer possible when the reply is sent is left out', async () => {
  const { client, ben, ana, id } = await openWorkspace()
  const admin = await signInAgent(bellhop, client.orgId, { name: 'Root', role: 'admin' })
  await sendLater(ben, id, { [THEN]: { status: 'pending', assignedTo: ana.id, addTags: ['a', 'b'] } })
  await admin.call('POST', `/console/agents/${ana.id}/disable`)
  const tags = Array.from({ length: 49 }, (_, place) => `t${place}`)
  await client.call('PATCH', `/tickets/${id}`, { body: { tags } })
  clock.advance(2 * HOUR_MS)
  await untilSent(bellhop, clock)
  const ticket = await readTicket(client, id)
  expect(ticket).toMatchObject({ status: 'pending', tags: [...tags, 'a'] })
  expect(ticket.assignedTo).toBe(ben.id)
})

test('an agent who does not exist, and a field that is none, are refused at once', async () => {
  const { ben, id } = await openWorkspace()
  const put = (then: object) =>
    ben.call('PUT', replyPath(id, createId('msg', clock.now())), { body: { text: 'Hi', [THEN]: then } })
  const problem = problemOf(await put({ assignedTo: createId('agt', clock.now()) }), 400, 'invalid_request')
  expect(JSON.stringify(problem)).toContain('/then/assignedTo')
  expect((await put({ color: 'red' })).status).toBe(400)
})
