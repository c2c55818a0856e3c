import { afterAll, expect, test } from 'bun:test'
import { createAgent } from '../../server/agents/agents.ts'
import { addMessages } from '../support/add-messages.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import {
  changeTicket,
  makeAndReadTicket,
  makeTicket,
  NO_TICKET,
  problemOf,
  readTicket,
} from '../support/tickets.ts'

// Specification, sections 2 and 4: GET /tickets/:id.

const clock = createManualClock(Date.parse('2026-03-01T09:30:00.000Z'))
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())

const MESSAGE_ID = /^msg_[0-9a-z]{26}$/

test('shows the ticket with its customer, assignment, tags and every message, oldest first', async () => {
  const client = await bellhop.organization()
  const agent = await createAgent(bellhop.deps, client.orgId, {
    name: 'Ben',
    email: 'ben@acme.example',
    role: 'agent',
  })
  const { id, customerId } = await makeTicket(client, { tags: ['billing'] })
  clock.advance(1000)
  await changeTicket(client, id, { assignedTo: agent.id, status: 'pending' })
  for (const text of ['one', 'two', 'three']) {
    await client.call('POST', `/tickets/${id}/messages`, { body: { text } })
  }
  expect(await readTicket(client, id)).toEqual({
    id,
    orgId: client.orgId,
    status: 'pending',
    channel: 'api',
    subject: 'Missing invoice',
    createdAt: '2026-03-01T09:30:00.000Z',
    updatedAt: '2026-03-01T09:30:01.000Z',
    lastMessageAt: '2026-03-01T09:30:01.000Z',
    customer: {
      name: 'Ana Pires',
      email: 'ana@example.com',
      userId: customerId,
    },
    customerId,
    assignedTo: agent.id,
    tags: ['billing'],
    spam: false,
    messages: [
      {
        id: expect.stringMatching(MESSAGE_ID),
        role: 'customer',
        text: 'My invoice for February is missing.',
        format: 'plain',
        createdAt: '2026-03-01T09:30:00.000Z',
      },
      ...['one', 'two', 'three'].map((text) => ({
        id: expect.stringMatching(MESSAGE_ID),
        role: 'agent',
        text,
        format: 'plain',
        agentName: 'Website',
        delivery: { state: 'sent', by: 'webhook' },
        createdAt: '2026-03-01T09:30:01.000Z',
      })),
    ],
  })
})

test('a ticket that is read again and again is the same each time, and has each change at once', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client, {})
  for (const text of ['one', 'two']) {
    await client.call('POST', `/tickets/${id}/messages`, { body: { text } })
    const [first, ...others] = [await read(), await read(), await read()]
    expect(JSON.parse(first ?? '').messages.at(-1)).toMatchObject({
      role: 'agent',
      text,
      delivery: { state: 'sent', by: 'webhook' },
    })
    expect(others).toEqual([first, first])
  }

  async function read() {
    return (await client.call('GET', `/tickets/${id}`)).text
  }
})

test.each([
  ['an id never given out', NO_TICKET],
  ['half an id', 'tkt_'],
  ['an impossible id', 'tkt_zzzzzzzzzzzzzzzzzzzzzzzzzz'],
  ['an id in capitals', 'tkt_01JQ8Z5W8WF6R9F5V0H3Q1X2YZ'],
  ['a word', 'nonsense'],
  ['a number', '1'],
  ['an id of 4,000 characters', `tkt_${'0'.repeat(4000)}`],
])('answers 404 for %s', async (_, id) => {
  const client = await bellhop.organization()
  const answer = await client.call('GET', `/tickets/${id}`)
  expect(problemOf(answer, 404, 'not_found').detail).toBe('There is no ticket with this id.')
})

test('does not take ids of other kinds for tickets', async () => {
  const client = await bellhop.organization()
  const { id, customer, messages } = await makeAndReadTicket(client)
  for (const other of [customer.userId, messages[0]?.id, client.orgId, id.replace('tkt_', 'msg_')]) {
    problemOf(await client.call('GET', `/tickets/${other}`), 404, 'not_found')
  }
})

test('shows the time of each message to the millisecond, whatever the day', async () => {
  const client = await bellhop.organization()
  const { id: ticketId } = await makeTicket(client)
  const times = [
    '1969-12-31T23:59:59.999Z',
    '1970-01-01T00:00:00.000Z',
    '2024-02-29T23:59:59.999Z',
    '2024-03-01T00:00:00.000Z',
    '2025-01-02T03:04:05.006Z',
    '2026-02-28T12:59:07.090Z',
    '2026-02-28T13:00:00.100Z',
  ]
  const messages = times.map((time) => ({ text: time, createdAt: Date.parse(time) }))
  await addMessages(bellhop.deps, { orgId: client.orgId, ticketId }, ...messages)
  const shown = (await readTicket(client, ticketId)).messages.slice(0, -1)
  expect(shown.map(({ createdAt }) => createdAt)).toEqual(times)
  expect(shown.map(({ text }) => text)).toEqual(times)
})
