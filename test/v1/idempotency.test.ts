import { afterAll, describe, expect, test } from 'bun:test'
import { pruneIdempotencyKeys } from '../../server/idempotency/idempotency.ts'
import { type Answer, type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { freshPlace } from '../support/engine.ts'
import { storedRows } from '../support/stored-rows.ts'
import {
  type ListedTicketJson,
  listTickets,
  makeTicket,
  NO_TICKET,
  problemOf,
  readTicket,
  ticketInput,
} from '../support/tickets.ts'

// The contract's Idempotency-Key: both POSTs, 24 hours, stored with the change.

const DAY_MS = 24 * 60 * 60 * 1000
const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())

function create(
  client: Client,
  key: string,
  body: object = ticketInput(),
): Promise<Answer<ListedTicketJson>> {
  return client.call<ListedTicketJson>('POST', '/tickets', { body, headers: { 'idempotency-key': key } })
}

describe('the same request with the same key', () => {
  test('gets the first answer again, to the byte, and changes nothing', async () => {
    const client = await bellhop.organization()
    const first = await create(client, 'order-17')
    expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([201, null])
    const before = await storedRows(bellhop.deps)
    clock.advance(1000)
    const second = await create(client, 'order-17')
    expect([second.status, second.text]).toEqual([201, first.text])
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    for (const name of ['location', 'etag', 'content-type']) {
      expect(second.headers.get(name)).toBe(first.headers.get(name))
    }
    expect(await storedRows(bellhop.deps)).toEqual(before)
  })

  test('gets it although the ticket has changed since', async () => {
    const client = await bellhop.organization()
    const first = await create(client, 'k')
    await client.call('PATCH', `/tickets/${first.json.id}`, { body: { status: 'resolved' } })
    expect((await create(client, 'k')).text).toBe(first.text)
    expect((await readTicket(client, first.json.id)).status).toBe('resolved')
  })

  test('works for messages too', async () => {
    const client = await bellhop.organization()
    const { id } = await makeTicket(client)
    const post = (by: Client) =>
      by.call('POST', `/tickets/${id}/messages`, {
        body: { text: 'Hello' },
        headers: { 'idempotency-key': 'm' },
      })
    const first = await post(client)
    const second = await post(client)
    expect([second.status, second.text]).toEqual([201, first.text])
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect((await readTicket(client, id)).messages).toHaveLength(2)
  })
})

describe('another request with the same key', () => {
  test('is 422 and changes nothing', async () => {
    const client = await bellhop.organization()
    const { json } = await create(client, 'k')
    const before = await storedRows(bellhop.deps)
    problemOf(await create(client, 'k', ticketInput({ subject: 'Other' })), 422, 'idempotency_mismatch')
    const message = { body: { text: 'Hello' }, headers: { 'idempotency-key': 'k' } }
    problemOf(await client.call('POST', `/tickets/${json.id}/messages`, message), 422, 'idempotency_mismatch')
    expect(await storedRows(bellhop.deps)).toEqual(before)
  })

  test.each<[string, (client: Client) => Promise<Client>]>([
    ['API key of the organization', (client) => client.withKey({ name: 'Another program' })],
    ['organization', () => bellhop.organization()],
  ])('is nothing special when another %s sends it', async (_, otherThan) => {
    const client = await bellhop.organization()
    const first = await create(client, 'k')
    const second = await create(await otherThan(client), 'k', ticketInput({ subject: 'Other' }))
    expect([second.status, second.headers.get('idempotency-replayed')]).toEqual([201, null])
    expect(second.json.id).not.toBe(first.json.id)
    expect((await create(client, 'k')).text).toBe(first.text)
  })
})

test('of many at once exactly one creates; the others get its response or a 409 while it is running', async () => {
  const client = await bellhop.organization()
  const answers = await Promise.all(Array.from({ length: 30 }, () => create(client, 'k')))
  const created = answers.filter(
    ({ status, headers }) => status === 201 && !headers.has('idempotency-replayed'),
  )
  expect(created).toHaveLength(1)
  for (const answer of answers) {
    if (answer.status === 201) expect(answer.text).toBe(created[0]?.text ?? '')
    else problemOf(answer, 409, 'idempotency_in_progress')
  }
  expect((await listTickets(client)).meta.total).toBe(1)
  expect((await create(client, 'k')).headers.get('idempotency-replayed')).toBe('true')
})

test('while the first is still being stored, the second gets a 409', async () => {
  const client = await bellhop.organization()
  const { database } = bellhop.deps
  const { write } = database
  const stored = Promise.withResolvers<void>()
  const begun = new Promise<void>((resolve) => {
    database.write = async (...given) => {
      const [orgId] = given
      // Servers on PostgreSQL count the requests with a key in rows.
      if (orgId === undefined) return write(...given)
      resolve()
      await stored.promise
      return write(...given)
    }
  })
  const first = create(client, 'k')
  await begun
  const second = await create(client, 'k')
  stored.resolve()
  database.write = write
  const { detail } = problemOf(second, 409, 'idempotency_in_progress')
  expect(detail).toContain('still running')
  expect((await first).status).toBe(201)
  expect((await create(client, 'k')).text).toBe((await first).text)
})

test('a key is kept for 24 hours and is free afterwards', async () => {
  const client = await bellhop.organization()
  const first = await create(client, 'k')
  clock.advance(DAY_MS - 1)
  expect((await create(client, 'k')).text).toBe(first.text)
  clock.advance(1)
  const second = await create(client, 'k', ticketInput({ subject: 'A day later' }))
  expect([second.status, second.headers.get('idempotency-replayed')]).toEqual([201, null])
  expect(second.json.id).not.toBe(first.json.id)
  expect((await create(client, 'k', ticketInput({ subject: 'A day later' }))).text).toBe(second.text)
})

test('keys older than 24 hours are cleared away, younger ones stay', async () => {
  const client = await bellhop.organization()
  await create(client, 'old')
  clock.advance(DAY_MS - 1000)
  const young = await create(client, 'young')
  clock.advance(1000)
  while (await pruneIdempotencyKeys(bellhop.deps));
  const kept = (await storedRows(bellhop.deps)).idempotency_keys ?? []
  expect(kept.filter((row) => row.includes(client.orgId)).map((row) => JSON.parse(row).key)).toEqual([
    expect.stringMatching(/^key_\w+\nyoung$/),
  ])
  expect((await create(client, 'young')).text).toBe(young.text)
})

describe('a refused request', () => {
  test('does not use up its key', async () => {
    const client = await bellhop.organization()
    const headers = { 'idempotency-key': 'k' }
    problemOf(await create(client, 'k', {}), 400, 'invalid_request')
    const message = { body: { text: 'Hello' }, headers }
    problemOf(await client.call('POST', `/tickets/${NO_TICKET}/messages`, message), 404, 'not_found')
    const reader = await client.withKey({ scopes: ['tickets:read'] })
    problemOf(await create(reader, 'k'), 403, 'missing_scope')
    const answer = await create(client, 'k')
    expect([answer.status, answer.headers.get('idempotency-replayed')]).toEqual([201, null])
  })
})

test('a key has 1 to 255 printable characters', async () => {
  const client = await bellhop.organization()
  const longest = '~'.repeat(255)
  expect((await create(client, longest)).status).toBe(201)
  expect((await create(client, longest)).headers.get('idempotency-replayed')).toBe('true')
  expect((await create(client, 'a b/"c"')).status).toBe(201)
  for (const wrong of ['', 'x'.repeat(256), 'ü', 'a\tb']) {
    const answer = await create(client, wrong)
    expect(problemOf(answer, 400, 'invalid_request').errors).toEqual([
      {
        parameter: 'Idempotency-Key',
        code: 'invalid_idempotency_key',
        detail: 'Must be 1 to 255 printable ASCII characters.',
      },
    ])
  }
  expect((await listTickets(client)).meta.total).toBe(2)
})

test('a key means nothing to a PATCH', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  const headers = { 'idempotency-key': 'k' }
  for (const status of ['pending', 'resolved']) {
    const answer = await client.call('PATCH', `/tickets/${id}`, { body: { status }, headers })
    expect([answer.status, answer.headers.get('idempotency-replayed')]).toEqual([200, null])
  }
  expect((await readTicket(client, id)).status).toBe('resolved')
})

test('a restart forgets no key', async () => {
  const settings = await freshPlace().then(({ BELLHOP_DATA, DATABASE_URL = '' }) => ({
    BELLHOP_DATA,
    DATABASE_URL,
  }))
  const before = await startBellhop({ clock, settings })
  const client = await before.organization()
  const first = await create(client, 'k')
  await before.stop()
  const after = await startBellhop({ clock, settings })
  const again = await fetch(`${after.url}/v1/tickets`, {
    method: 'POST',
    body: JSON.stringify(ticketInput()),
    headers: {
      authorization: `Bearer ${client.key}`,
      'content-type': 'application/json',
      'idempotency-key': 'k',
    },
  })
  const text = await again.text()
  await after.stop()
  expect([again.status, again.headers.get('idempotency-replayed'), text]).toEqual([201, 'true', first.text])
})
