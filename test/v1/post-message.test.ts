import { afterAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { messages } from '../../server/database/tables/messages.ts'
import { tickets } from '../../server/database/tables/tickets.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import {
  listTickets,
  type MessageJson,
  makeAndReadTicket,
  makeTicket,
  NO_TICKET,
  problemOf,
  readTicket,
} from '../support/tickets.ts'

// Specification, sections 2 and 4: POST /tickets/:id/messages.

const clock = createManualClock(Date.parse('2026-03-01T09:30:00.000Z'))
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())

test("answers 201 with the agent's message, under the name of the key", async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  const shop = await client.withKey({ name: 'Shop bot' })
  const text = 'It is attached.\n\n> quoted — ü 👋'
  const answer = await shop.call<MessageJson>('POST', `/tickets/${id}/messages`, { body: { text } })
  expect(answer.status).toBe(201)
  expect(answer.json).toEqual({
    id: expect.stringMatching(/^msg_[0-9a-z]{26}$/),
    role: 'agent',
    text,
    format: 'plain',
    delivery: { state: 'sent', by: 'webhook' },
    agentName: 'Shop bot',
    createdAt: '2026-03-01T09:30:00.000Z',
  })
  expect((await readTicket(client, id)).messages[1]).toEqual(answer.json)
})

test("moves the ticket's updatedAt and its place in the list, and keeps its status", async () => {
  const client = await bellhop.organization()
  const older = await makeTicket(client, { tags: ['vip'] })
  clock.advance(1000)
  const newer = await makeTicket(client, { tags: ['vip'] })
  clock.advance(1000)
  await client.call('PATCH', `/tickets/${newer.id}`, { body: { status: 'resolved' } })
  clock.advance(1000)
  await client.call('POST', `/tickets/${older.id}/messages`, { body: { text: 'Hello' } })
  expect((await readTicket(client, older.id)).updatedAt).toBe(new Date(clock.now()).toISOString())
  for (const query of ['?sort=updated_desc', '?sort=updated_desc&tag=vip']) {
    const { data } = await listTickets(client, query)
    expect(data.map(({ id, status }) => [id, status])).toEqual([
      [older.id, 'open'],
      [newer.id, 'resolved'],
    ])
  }
  await client.call('POST', `/tickets/${newer.id}/messages`, { body: { text: 'Again' } })
  expect((await readTicket(client, newer.id)).status).toBe('resolved')
})

test("leaves through the ticket's own channel, or fails with the reason; the API channel sends nothing", async () => {
  const client = await bellhop.organization()
  const sentBy = async (channel: 'widget' | 'email' | 'telegram' | 'api') => {
    const { id } = await makeTicket(client)
    await bellhop.deps.database.write(undefined, async (tx) => {
      await tx.update(tickets).set({ channel }).where(eq(tickets.id, id))
    })
    const posted = await client.call<MessageJson>('POST', `/tickets/${id}/messages`, { body: { text: 'Hi' } })
    expect(posted.status).toBe(201)
    const [row] = await bellhop.deps.database.read
      .select({ sending: messages.sending, reason: messages.sendError })
      .from(messages)
      .where(eq(messages.id, posted.json.id))
    const [, stored] = (await readTicket(client, id)).messages
    expect(stored).toEqual(posted.json)
    return [posted.json.delivery?.by, row?.sending, row?.reason]
  }
  expect(await sentBy('widget')).toEqual(['widget', 'failed', 'The website widget is not connected.'])
  expect(await sentBy('email')).toEqual(['email', 'failed', 'No mailbox is connected.'])
  expect(await sentBy('telegram')).toEqual(['telegram', 'failed', 'No Telegram bot is connected.'])
  expect(await sentBy('api')).toEqual(['webhook', 'sent', null])
})

test('is plain text unless its format says that it is Markdown', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  const post = (body: object) => client.call<MessageJson>('POST', `/tickets/${id}/messages`, { body })
  expect((await post({ text: '**Hi**' })).json.format).toBe('plain')
  expect((await post({ text: '**Hi**', format: 'markdown' })).json.format).toBe('markdown')
  problemOf(await post({ text: 'Hi', format: 'html' }), 400, 'invalid_request')
})

test('keeps every one of many messages posted at once', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  const texts = Array.from({ length: 30 }, (_, number) => `message ${number}`)
  await Promise.all(texts.map((text) => client.call('POST', `/tickets/${id}/messages`, { body: { text } })))
  const kept = (await readTicket(client, id)).messages.slice(1)
  expect(kept.map(({ text }) => text).sort()).toEqual(texts.sort())
  expect(kept.map((message) => message.id)).toEqual(kept.map((message) => message.id).sort())
})

test('answers 404 for a ticket that is not there, and stores nothing', async () => {
  const client = await bellhop.organization()
  const { customer } = await makeAndReadTicket(client)
  for (const id of [NO_TICKET, customer.userId, 'x']) {
    const answer = await client.call('POST', `/tickets/${id}/messages`, { body: { text: 'Hello' } })
    problemOf(answer, 404, 'not_found')
  }
})

test.each([
  ['required', {}],
  ['too_short', { text: '' }],
  ['blank', { text: ' \n\t' }],
  ['too_long', { text: 'm'.repeat(65_537) }],
  ['wrong_type', { text: 7 }],
  ['wrong_type', { text: null }],
])('refuses a text as %s', async (code, body) => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  const answer = await client.call('POST', `/tickets/${id}/messages`, { body })
  expect(problemOf(answer, 400, 'invalid_request').errors).toEqual([
    { pointer: '/text', code, detail: expect.any(String) },
  ])
  expect((await readTicket(client, id)).messages).toHaveLength(1)
})

test('takes the longest text', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  const text = '€'.repeat(65_536)
  const answer = await client.call<MessageJson>('POST', `/tickets/${id}/messages`, { body: { text } })
  expect([answer.status, answer.json.text === text]).toEqual([201, true])
})
