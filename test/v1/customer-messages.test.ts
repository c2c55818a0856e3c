import { afterAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { organizations } from '../../server/database/tables/organizations.ts'
import { tickets } from '../../server/database/tables/tickets.ts'
import type { Client } from '../support/bellhop.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { storedEvents } from '../support/subscription.ts'
import {
  changeTicket,
  type MessageJson,
  makeTicket,
  NO_TICKET,
  problemOf,
  readTicket,
} from '../support/tickets.ts'
import { upload } from '../support/uploads.ts'

// A channel of an integration's own: what its customers write comes in through the API, and so does a status with an answer.

const clock = createManualClock(Date.parse('2026-03-01T09:30:00.000Z'))
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())

function post(client: Client, id: string, body: object, headers: Record<string, string> = {}) {
  clock.advance(1_000)
  return client.call<MessageJson>('POST', `/tickets/${id}/messages`, { body, headers })
}

test('a conversation goes on for 50 turns both ways', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client, { message: 'Question 0' })
  for (let turn = 1; turn <= 50; turn += 1) {
    const answer = await post(client, id, { text: `Answer ${turn}`, status: 'pending' })
    expect(answer.status, answer.text).toBe(201)
    expect(await readTicket(client, id)).not.toHaveProperty('waitingSince')
    const question = await post(client, id, { role: 'customer', text: `Question ${turn}` })
    expect(question.status, question.text).toBe(201)
    const { status, waitingSince, lastMessageAt } = await readTicket(client, id)
    expect([status, waitingSince]).toEqual(['open', question.json.createdAt])
    expect(lastMessageAt).toBe(question.json.createdAt)
  }
  const { messages } = await readTicket(client, id)
  expect(messages.map(({ role, text }) => [role, text])).toEqual([
    ['customer', 'Question 0'],
    ...Array.from({ length: 50 }, (_, turn) => [
      ['agent', `Answer ${turn + 1}`],
      ['customer', `Question ${turn + 1}`],
    ]).flat(),
  ])
})

test("answers 201 with the customer's message, which no one delivers", async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  const { json } = await post(client, id, { role: 'customer', text: '**Hi**', format: 'markdown' })
  expect(json).toEqual({
    id: expect.stringMatching(/^msg_/),
    role: 'customer',
    text: '**Hi**',
    format: 'markdown',
    createdAt: new Date(clock.now()).toISOString(),
  })
  expect((await readTicket(client, id)).messages[1]).toEqual(json)
})

test('the message opens a resolved ticket in the same unit, and says so in the log', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  await changeTicket(client, id, { status: 'resolved' })
  const before = (await storedEvents(bellhop.deps, client.orgId)).length
  await post(client, id, { role: 'customer', text: 'It is back.' })
  expect((await storedEvents(bellhop.deps, client.orgId)).slice(before)).toMatchObject([
    { type: 'message.sent', changes: null },
    { type: 'ticket.updated', changes: { status: { from: 'resolved', to: 'open' } } },
  ])
})

test('an organization whose tickets stay resolved keeps them so', async () => {
  const client = await bellhop.organization()
  await bellhop.deps.database.write(client.orgId, async (tx) => {
    await tx.update(organizations).set({ reopens: false }).where(eq(organizations.id, client.orgId))
  })
  const { id } = await makeTicket(client)
  await changeTicket(client, id, { status: 'resolved' })
  await post(client, id, { role: 'customer', text: 'Thanks.' })
  expect((await readTicket(client, id)).status).toBe('resolved')
})

test('brings the files that the key has uploaded', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  const file = await upload(client)
  const { json } = await post(client, id, { role: 'customer', text: 'See here.', attachments: [file.id] })
  expect(json.attachments).toMatchObject([{ id: file.id }])
})

test('is refused on every other channel, for a ticket that is merged, and for one that is not there', async () => {
  const client = await bellhop.organization()
  const body = { role: 'customer', text: 'Hi' }
  for (const channel of ['email', 'widget', 'telegram'] as const) {
    const { id } = await makeTicket(client)
    await bellhop.deps.database.write(client.orgId, async (tx) => {
      await tx.update(tickets).set({ channel }).where(eq(tickets.id, id))
    })
    problemOf(await post(client, id, body), 400, 'not_on_this_channel')
    expect((await readTicket(client, id)).messages).toHaveLength(1)
  }
  const [into, from] = [await makeTicket(client), await makeTicket(client)]
  await client.call('POST', `/tickets/${into.id}/merge`, { body: { from: from.id } })
  expect(problemOf(await post(client, from.id, body), 409, 'ticket_merged').detail).toContain(into.id)
  const stranger = await makeTicket(await bellhop.organization('Other'))
  for (const id of [NO_TICKET, stranger.id, 'x']) problemOf(await post(client, id, body), 404, 'not_found')
})

test('needs tickets:write for what a customer writes, messages:write for an answer, both for an answer with a status', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  const answer = { text: 'Hi' }
  const question = { ...answer, role: 'customer' }
  const closing = { ...answer, status: 'resolved' }
  const tickets = await client.withKey({ scopes: ['tickets:write'] })
  const messages = await client.withKey({ scopes: ['messages:write'] })
  const reader = await client.withKey({ scopes: ['tickets:read'] })
  const both = await client.withKey({ scopes: ['tickets:write', 'messages:write'] })
  expect((await post(tickets, id, question)).status).toBe(201)
  expect((await post(messages, id, answer)).status).toBe(201)
  expect((await post(both, id, closing)).status).toBe(201)
  const refused = async (key: Client, body: object) =>
    problemOf(await post(key, id, body), 403, 'missing_scope').detail
  expect(await refused(tickets, answer)).toContain('messages:write')
  expect(await refused(tickets, {})).toContain('messages:write')
  expect(await refused(tickets, closing)).toContain('messages:write')
  expect(await refused(messages, question)).toContain('tickets:write')
  expect(await refused(messages, closing)).toContain('tickets:write')
  expect(await refused(reader, question)).toContain('messages:write')
})

test('a status beside an answer is one unit with it: both or nothing', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  const before = (await storedEvents(bellhop.deps, client.orgId)).length
  await post(client, id, { text: 'Done.', status: 'resolved' })
  expect((await storedEvents(bellhop.deps, client.orgId)).slice(before)).toMatchObject([
    { type: 'message.sent' },
    { type: 'ticket.updated', changes: { status: { from: 'open', to: 'resolved' } } },
  ])
  problemOf(
    await post(client, id, { text: 'x', status: 'open', attachments: ['att_x'] }),
    400,
    'invalid_request',
  )
  problemOf(await post(client, id, { text: 'x', status: 'open', role: 'customer' }), 400, 'invalid_request')
  expect(await readTicket(client, id)).toMatchObject({ status: 'resolved', messages: [{}, {}] })
})

test('the same request with the same key adds one message', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  const once = { 'idempotency-key': 'turn-1' }
  const first = await post(client, id, { role: 'customer', text: 'Hi' }, once)
  const again = await post(client, id, { role: 'customer', text: 'Hi' }, once)
  expect(again.json).toEqual(first.json)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  problemOf(await post(client, id, { role: 'agent', text: 'Hi' }, once), 422, 'idempotency_mismatch')
  expect((await readTicket(client, id)).messages).toHaveLength(2)
})
