import { afterAll, describe, expect, test } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { openLedger } from '../support/mail/fetched-mail.ts'
import { indexed } from '../support/search.ts'
import { storedEvents, subscribe } from '../support/subscription.ts'
import { readThread } from '../support/threads.ts'
import { listTickets, makeTicket, problemOf, readTicket } from '../support/tickets.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

interface Result {
  externalId?: string
  id?: string
  state: string
  problem?: { status: number; code: string; detail: string; errors?: { pointer?: string; code: string }[] }
}

const SCOPES = ['import:write', 'tickets:read', 'tickets:write', 'messages:write', 'customers:read'] as const

async function openShop() {
  const shop = await bellhop.organization()
  const client = await shop.withKey({ name: 'Old desk', scopes: [...SCOPES] })
  const ben = await signInAgent(bellhop, shop.orgId, { name: 'Ben' })
  return { shop, client, ben }
}

function importing(client: Client, tickets: unknown, headers = {}) {
  return client.call<{ data: Result[] }>('POST', '/imports', { body: { tickets }, headers })
}

async function imported(client: Client, ...tickets: object[]): Promise<Result[]> {
  const answer = await importing(client, tickets)
  expect(answer.status, answer.text).toBe(200)
  return answer.json.data
}

function oldTicket(externalId: string, more: object = {}) {
  return {
    externalId,
    subject: 'Missing invoice',
    status: 'open',
    channel: 'api',
    customer: { name: 'Ana Pires', email: 'ana@example.com' },
    createdAt: '2024-03-01T09:30:00Z',
    messages: [
      {
        externalId: 'm1',
        role: 'customer',
        text: 'Where is my invoice?',
        createdAt: '2024-03-01T10:30:00+01:00',
      },
      {
        role: 'agent',
        text: 'It is **attached**.',
        format: 'markdown',
        author: { name: 'Former agent', email: 'gone@acme.example' },
        createdAt: '2024-03-01T10:00:00Z',
      },
      {
        role: 'note',
        text: 'Pays late.',
        author: { name: 'Former Agent' },
        createdAt: '2024-03-01T10:01:00Z',
      },
      { externalId: 'm4', role: 'customer', text: 'Not there.', createdAt: '2024-03-02T08:00:00Z' },
    ],
    ...more,
  }
}

/** Whose answer an agent wrote. */
function answered(email: string, more: object) {
  const ticket = oldTicket('t1', more)
  const messages = ticket.messages.map((message) =>
    message.role === 'agent' ? { ...message, author: { email: email.toUpperCase() } } : message,
  )
  return { ...ticket, messages }
}

describe('an imported ticket', () => {
  test('has the dates, authors and messages of the other system', async () => {
    const { client, ben } = await openShop()
    const [result] = await imported(
      client,
      answered(ben.email, {
        assignedTo: ben.email.toUpperCase(),
        tags: ['billing'],
        metadata: { plan: 'gold' },
      }),
    )
    expect(result).toEqual({ externalId: 't1', id: expect.any(String), state: 'created' })
    const id = result?.id ?? ''
    const ticket = await readTicket(client, id)
    expect(ticket).toMatchObject({
      externalId: 't1',
      metadata: { plan: 'gold' },
      status: 'open',
      tags: ['billing'],
      assignedTo: ben.id,
      customer: { name: 'Ana Pires', email: 'ana@example.com' },
      createdAt: '2024-03-01T09:30:00.000Z',
      updatedAt: '2024-03-02T08:00:00.000Z',
      lastMessageAt: '2024-03-02T08:00:00.000Z',
      waitingSince: '2024-03-02T08:00:00.000Z',
    })
    expect(ticket.messages).toMatchObject([
      { externalId: 'm1', role: 'customer', createdAt: '2024-03-01T09:30:00.000Z' },
      { role: 'agent', agentName: 'Ben', format: 'markdown', delivery: { state: 'sent', by: 'webhook' } },
      { externalId: 'm4', role: 'customer', createdAt: '2024-03-02T08:00:00.000Z' },
    ])
    const { timeline } = await readThread(ben, id)
    expect(timeline.map(({ kind, agentName }) => [kind, agentName])).toEqual([
      ['message', undefined],
      ['message', 'Ben'],
      ['note', 'Former Agent'],
      ['message', undefined],
    ])
    await indexed(bellhop)
    const found = await ben.call<{ data: object[] }>('GET', '/console/tickets?q=invoice+late')
    expect(found.json.data).toMatchObject([{ id, isUnread: false }])
  })

  test('counts in lists, and is where its dates put it', async () => {
    const { client } = await openShop()
    const now = await makeTicket(client)
    const [first, second] = await imported(
      client,
      oldTicket('t1'),
      oldTicket('t2', { status: 'resolved', createdAt: '2023-01-01T00:00:00Z' }),
    )
    const list = await listTickets(client)
    expect(list.meta.total).toBe(3)
    expect(list.data.map(({ id }) => id)).toEqual([now.id, first?.id ?? '', second?.id ?? ''])
    expect((await listTickets(client, '?status=resolved')).data).toMatchObject([{ id: second?.id }])
  })

  test('tells no one: one event in the log, and no webhook, email or unread mark', async () => {
    const { client, ben } = await openShop()
    await openLedger(bellhop, client.orgId, 'help@acme.example')
    await subscribe(bellhop.deps, client.orgId)
    const before = await storedEvents(bellhop.deps, client.orgId)
    const [one] = await imported(client, oldTicket('t1', { channel: 'email' }))
    const after = await storedEvents(bellhop.deps, client.orgId)
    // The mailbox may have tried to connect before it was paused, and says so.
    const added = after.slice(before.length).filter(({ type }) => type !== 'workspace.changed')
    expect(added.map(({ type, ticketId, body }) => [type, ticketId, body])).toEqual([
      ['ticket.imported', one?.id ?? '', ''],
    ])
    const list = await ben.call<{ data: object[] }>('GET', '/console/tickets')
    expect(list.json.data).toMatchObject([{ id: one?.id, isUnread: false }])
    const notified = await ben.call<{ data: object[] }>('GET', '/console/notifications')
    expect(notified.json.data).toEqual([])
  })

  test('of the channel email gets later answers by email', async () => {
    const { client } = await openShop()
    await openLedger(bellhop, client.orgId, 'help@acme.example')
    const [one] = await imported(client, oldTicket('t1', { channel: 'email' }))
    const answer = await client.call('POST', `/tickets/${one?.id}/messages`, {
      body: { text: 'Here it is.' },
    })
    expect(answer.json).toMatchObject({ delivery: { by: 'email' } })
  })

  test('has the files that were uploaded for it', async () => {
    const { client } = await openShop()
    const file = await client.call<{ id: string }>('POST', '/attachments?name=invoice.txt', {
      raw: 'Invoice',
    })
    const message = { role: 'customer', text: '', createdAt: '2024-03-01T09:30:00Z' }
    const files = { messages: [{ ...message, attachments: [file.json.id] }] }
    const [one, again] = await imported(client, oldTicket('t1', files), oldTicket('t2', files))
    const ticket = await readTicket(client, one?.id ?? '')
    expect(ticket.messages).toMatchObject([{ attachments: [{ id: file.json.id, name: 'invoice.txt' }] }])
    expect(again).toMatchObject({
      state: 'refused',
      problem: { errors: [{ pointer: '/messages/0/attachments/0', code: 'unknown_attachment' }] },
    })
    expect((await listTickets(client)).meta.total).toBe(1)
  })

  test('is imported once, also by another key', async () => {
    const { shop, client } = await openShop()
    const [one] = await imported(client, oldTicket('t1'))
    const other = await shop.withKey({ scopes: ['import:write'] })
    expect(await imported(other, oldTicket('t1', { subject: 'Other' }), oldTicket('t2'))).toMatchObject([
      { externalId: 't1', id: one?.id, state: 'exists' },
      { externalId: 't2', state: 'created' },
    ])
    expect((await listTickets(client)).meta.total).toBe(2)
  })

  test('is imported once when it is sent twice at the same time', async () => {
    const { client } = await openShop()
    const [first, other, again] = await imported(client, ...['t1', 't2', 't1'].map((id) => oldTicket(id)))
    expect([first?.state, other?.state]).toEqual(['created', 'created'])
    expect(again).toMatchObject({ externalId: 't1', id: first?.id, state: 'exists' })
    const both = await Promise.all([1, 2].map(() => imported(client, oldTicket('t3'))))
    expect(both.flatMap(([result]) => result?.state).sort()).toEqual(['created', 'exists'])
    expect((await listTickets(client)).meta.total).toBe(3)
  })
})

describe('a ticket that can’t be imported', () => {
  const NOW = Date.now()
  const at = (time: string | number) => ({
    messages: [{ role: 'customer', text: 'x', createdAt: new Date(time).toISOString() }],
  })
  test.each<[string, object, string]>([
    ['without an address', { customer: { name: 'Ana' } }, '/customer/email'],
    ['with an unknown field', { priority: 'high' }, '/priority'],
    ['without messages', { messages: [] }, '/messages'],
    ['from the future', at(NOW + 3_600_000), '/messages/0/createdAt'],
    ['with a message before it', at('2020-01-01'), '/messages/0/createdAt'],
    ['without an offset', { createdAt: '2024-03-01T09:30:00' }, '/createdAt'],
    ['of an unknown agent', { assignedTo: 'nobody@acme.example' }, '/assignedTo'],
    [
      'with a blank message',
      { messages: [{ role: 'agent', text: ' ', createdAt: '2024-03-01T09:30:00Z' }] },
      '/messages/0/text',
    ],
    ['on another channel', { channel: 'telegram' }, '/channel'],
    ['with text that can’t be stored', { subject: 'a\u0000b' }, '/subject'],
  ])('%s is refused alone', async (_, fault, pointer) => {
    const { client } = await openShop()
    const [good, bad, last] = await imported(client, oldTicket('a'), oldTicket('b', fault), oldTicket('c'))
    expect([good?.state, last?.state]).toEqual(['created', 'created'])
    expect(bad, JSON.stringify(bad)).toMatchObject({
      state: 'refused',
      problem: { status: 400, errors: [{ pointer }] },
    })
    expect(bad?.id).toBeUndefined()
    expect((await listTickets(client)).meta.total).toBe(2)
  })

  test('is refused for the reason that it has', async () => {
    const { client } = await openShop()
    const [first, ...others] = oldTicket('c').messages
    const twice = { messages: [first, ...others.map((message) => ({ ...message, externalId: 'm1' }))] }
    const results = await imported(
      client,
      oldTicket('a', { createdAt: '1969-12-31T00:00:00Z' }),
      oldTicket('b', { assignedTo: 'nobody@acme.example' }),
      oldTicket('c', twice),
    )
    expect(results.map(({ problem }) => problem?.detail)).toEqual([
      '/createdAt: Must not be before 1970.',
      '/assignedTo: No enabled agent has this email address.',
      '/messages/1/externalId: Another message of the ticket has this id.',
    ])
  })

  test('is refused with the whole request when that isn’t a list of tickets', async () => {
    const { client, shop } = await openShop()
    problemOf(await importing(shop, []), 403, 'missing_scope')
    problemOf(
      await importing(
        client,
        Array.from({ length: 101 }, () => ({})),
      ),
      400,
      'invalid_request',
    )
    problemOf(await importing(client, {}), 400, 'invalid_request')
    const send = (raw: string) =>
      client.call('POST', '/imports', { raw, headers: { 'content-type': 'application/json' } })
    for (const raw of [
      '',
      '{',
      '{"tickets":[{]}',
      '{"tickets":[1 2]}',
      '{"tickets":[{},]}',
      '{"tickets":["a"b]}',
    ]) {
      problemOf(await send(raw), 400, 'malformed_json')
    }
    for (const raw of ['[]', '{"tickets":[],"x":1}', '{"x":[]}', '{"tickets":[]} ']) {
      const answer = await send(raw)
      expect([raw, answer.status]).toEqual([raw, raw.endsWith(' ') ? 200 : 400])
    }
    problemOf(await send(`{"tickets":[${' '.repeat(8 * 2 ** 20)}]}`), 413, 'body_too_large')
    expect((await listTickets(client)).meta.total).toBe(0)
  })
})

test('the same Idempotency-Key returns the same answer, and refuses another body', async () => {
  const { client } = await openShop()
  const key = { 'idempotency-key': 'import-1' }
  const first = await importing(client, [oldTicket('t1')], key)
  const again = await importing(client, [oldTicket('t1')], key)
  expect(again.json).toEqual(first.json)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  problemOf(await importing(client, [oldTicket('t2')], key), 422, 'idempotency_mismatch')
})
