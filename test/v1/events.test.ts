import { afterAll, expect, test } from 'bun:test'
import { createAgent } from '../../server/agents/agents.ts'
import { StorageError } from '../../server/database/database.ts'
import { createId } from '../../server/ids.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { storedEvents, subscribe } from '../support/subscription.ts'
import {
  changeTicket,
  type MessageJson,
  makeAndReadTicket,
  makeTicket,
  NO_TICKET,
  ticketInput,
} from '../support/tickets.ts'

// Specification, sections 3 and 6: which events there are, when, in which order, and what their bodies say.
// How they are sent is in test/webhooks; these are the bytes that are signed and sent, as they lie in the log.

const clock = createManualClock(Date.parse('2026-03-01T09:30:00.000Z'))
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())

test('a new ticket emits ticket.created and then message.sent for its first message', async () => {
  const client = await subscribed()
  const { id, messages, customer } = await makeAndReadTicket(client, { tags: ['vip'] })
  const createdAt = new Date(clock.now()).toISOString()
  const shared = {
    id,
    orgId: client.orgId,
    status: 'open',
    channel: 'api',
    subject: 'Missing invoice',
    createdAt,
    customer: { name: 'Ana Pires', email: 'ana@example.com' },
  }
  expect((await bodiesOf(client)).map((body) => JSON.parse(body))).toEqual([
    { event: 'ticket.created', createdAt, data: { ticket: shared } },
    {
      event: 'message.sent',
      createdAt,
      data: {
        ticket: { ...shared, updatedAt: createdAt, tags: ['vip'], spam: false },
        message: {
          id: messages[0]?.id,
          role: 'customer',
          text: 'My invoice for February is missing.',
          format: 'plain',
          createdAt,
          author: { kind: 'customer', id: customer.userId, name: 'Ana Pires' },
        },
      },
    },
  ])
})

test('a message through the API emits message.sent with the ticket as it then is, and the name of the key', async () => {
  const client = await subscribed()
  const agent = { name: 'Ben', email: 'ben@acme.example', role: 'agent' as const }
  const { id: agentId } = await createAgent(bellhop.deps, client.orgId, agent)
  const { id, createdAt } = await makeTicket(client, { tags: ['a'] })
  await changeTicket(client, id, { assignedTo: agentId, status: 'pending', tags: ['b', 'c'] })
  clock.advance(90_000)
  const text = 'Grüße 👋 "quoted"\n'
  const shop = await client.withKey({ name: 'Shop bot' })
  const posted = await shop.call<MessageJson>('POST', `/tickets/${id}/messages`, { body: { text } })
  const now = new Date(clock.now()).toISOString()
  const body = (await bodiesOf(client)).at(-1) ?? ''
  expect(JSON.parse(body)).toEqual({
    event: 'message.sent',
    createdAt: now,
    data: {
      ticket: {
        id,
        orgId: client.orgId,
        status: 'pending',
        channel: 'api',
        subject: 'Missing invoice',
        createdAt,
        updatedAt: now,
        customer: { name: 'Ana Pires', email: 'ana@example.com' },
        assignedTo: agentId,
        tags: ['b', 'c'],
        spam: false,
      },
      message: {
        id: posted.json.id,
        role: 'agent',
        text,
        format: 'plain',
        agentName: 'Shop bot',
        createdAt: now,
        author: { kind: 'key', id: expect.stringMatching(/^key_/), name: 'Shop bot' },
      },
    },
  })
  // Section 9: payloads have no version field.
  expect(Object.keys(JSON.parse(body))).toEqual(['event', 'createdAt', 'data'])
})

test('the webhook says whether a message is formatted', async () => {
  const client = await subscribed()
  const { id } = await makeTicket(client)
  const body = { text: '**Done.**', format: 'markdown' }
  await client.call('PUT', `/tickets/${id}/messages/${createId('msg', clock.now())}`, { body })
  const bodies = (await bodiesOf(client)).map((sent) => JSON.parse(sent).data.message)
  expect(bodies.at(-1)).toMatchObject(body)
})

test('a change of status, assignment or tags emits no webhook event', async () => {
  const client = await subscribed()
  const { id } = await makeTicket(client)
  await changeTicket(client, id, { status: 'resolved', tags: ['x'] })
  await changeTicket(client, id, {})
  expect((await loggedTypes(client)).filter((type) => type !== 'ticket.updated')).toEqual([
    'ticket.created',
    'message.sent',
  ])
  expect(await bodiesOf(client)).toHaveLength(2)
})

test('refused and repeated requests emit no event', async () => {
  const client = await subscribed()
  const headers = { 'idempotency-key': 'k' }
  await client.call('POST', '/tickets', { body: ticketInput(), headers })
  await client.call('POST', '/tickets', { body: ticketInput(), headers })
  await client.call('POST', '/tickets', { body: ticketInput({ subject: 'Other' }), headers })
  await client.call('POST', '/tickets', { body: {} })
  await client.call('POST', `/tickets/${NO_TICKET}/messages`, { body: { text: 'Hello' } })
  expect(await loggedTypes(client)).toEqual(['ticket.created', 'message.sent'])
})

test('a ticket and its events are one change: if the events cannot be stored, neither is the ticket', async () => {
  const client = await subscribed()
  const { newId } = bellhop.deps
  // The deliveries of the events are the last rows but the counters that a new ticket writes. A unit may be run again.
  let made = 0
  bellhop.deps.newId = (prefix) => {
    if (prefix === 'dlv' && ++made % 2 === 0) throw new StorageError('The disk refused the change.')
    return newId(prefix)
  }
  const refused = await client.call('POST', '/tickets', { body: ticketInput() })
  bellhop.deps.newId = newId
  expect(refused.status).toBe(503)
  expect(await loggedTypes(client)).toEqual([])
  expect((await client.call<{ meta: { total: number } }>('GET', '/tickets')).json.meta.total).toBe(0)
})

test('numbers follow the commits without a gap, whatever happens at once', async () => {
  const client = await subscribed()
  const made = await Promise.all(Array.from({ length: 10 }, () => makeTicket(client)))
  await Promise.all(
    made.map(({ id }) => client.call('POST', `/tickets/${id}/messages`, { body: { text: 'Hello' } })),
  )
  const rows = await storedEvents(bellhop.deps, client.orgId)
  expect(rows.map(({ number }) => number)).toEqual(Array.from(rows, (_, index) => index + 1))
  expect(rows.filter(({ ticketId }) => ticketId !== '')).toHaveLength(30)
  for (const { id } of made) {
    const types = rows.flatMap((row) => (row.ticketId === id ? [row.type] : []))
    expect(types).toEqual(['ticket.created', 'message.sent', 'message.sent'])
  }
})

test('an endpoint gets the events it asked for, of its own organization, from the moment it is there', async () => {
  const [client, stranger] = [await bellhop.organization(), await subscribed()]
  await makeTicket(client)
  await subscribe(bellhop.deps, client.orgId, ['message.sent'])
  await makeTicket(client)
  const types = (await bodiesOf(client)).map((body) => JSON.parse(body).event)
  expect(types).toEqual(['message.sent'])
  expect(await bodiesOf(stranger)).toEqual([])
})

async function subscribed(): Promise<Client> {
  const client = await bellhop.organization()
  await subscribe(bellhop.deps, client.orgId)
  return client
}

/** Without what setting up the organization records. */
async function loggedTypes({ orgId }: Client): Promise<string[]> {
  const types = (await storedEvents(bellhop.deps, orgId)).map(({ type }) => type)
  return types.filter((type) => type !== 'workspace.changed')
}

async function bodiesOf({ orgId }: Client): Promise<string[]> {
  return (await storedEvents(bellhop.deps, orgId)).flatMap(({ body }) => (body ? [body] : []))
}
