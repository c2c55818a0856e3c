import { afterAll, describe, expect, test } from 'bun:test'
import { createProgram } from '../../server/agents/programs.ts'
import { listApiKeys, revokeApiKey } from '../../server/api-keys/api-keys.ts'
import { beginLog } from '../../server/events/positions.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { changeTicket, makeTicket, problemOf } from '../support/tickets.ts'

// `GET /v1/events`: what a mirror reads to miss nothing.

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

interface EventJson {
  position: string
  event: string
  ticketId?: string
  messageId?: string
  customerId?: string
  changes?: Record<string, unknown>
  by: { kind: string; id?: string; name?: string }
  body?: string
}
interface EventsJson {
  data: EventJson[]
  included?: { tickets?: { id: string; status: string }[]; messages?: { id: string; ticketId: string }[] }
  meta: { after: string; newest: string }
}

async function read(client: Client, query: Record<string, string | number> = {}): Promise<EventsJson> {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  const answer = await client.call<EventsJson>('GET', `/events?${search}`)
  expect(answer.status).toBe(200)
  return answer.json
}

describe('the event log', () => {
  test('has every change in the order of the commits, with who made it and what changed', async () => {
    const client = await bellhop.organization()
    const { id } = await makeTicket(client, { tags: ['a'] })
    await changeTicket(client, id, { status: 'pending', tags: ['b'] })
    await client.call('POST', `/tickets/${id}/messages`, { body: { text: 'It is attached.' } })
    const { data, meta } = await read(client)
    expect(data.map(({ event }) => event)).toEqual([
      'ticket.created',
      'message.sent',
      'ticket.updated',
      'message.sent',
    ])
    expect(new Set(data.map(({ ticketId }) => ticketId))).toEqual(new Set([id]))
    expect(new Set(data.map(({ customerId }) => customerId)).size).toBe(1)
    expect(data[2]).toMatchObject({
      changes: { status: { from: 'open', to: 'pending' }, tags: { from: ['a'], to: ['b'] } },
      by: { kind: 'key', name: 'Website' },
    })
    expect(meta.after).toBe(data[3]?.position ?? '')
    expect(meta.newest).toBe(meta.after)
  })

  test('is read page by page without a gap, and a filter passes over the rest', async () => {
    const client = await bellhop.organization()
    const tickets = await Promise.all(Array.from({ length: 5 }, () => makeTicket(client)))
    for (const { id } of tickets) await changeTicket(client, id, { status: 'resolved' })
    const all = await read(client)
    const paged: EventJson[] = []
    for (let after = '0'; ; ) {
      const page = await read(client, { after, limit: 4 })
      paged.push(...page.data)
      after = page.meta.after
      if (after === page.meta.newest) break
    }
    expect(paged).toEqual(all.data)
    const changed = await read(client, { types: 'ticket.updated' })
    expect(changed.data.map(({ ticketId }) => ticketId)).toEqual(tickets.map(({ id }) => id))
    expect((await read(client, { types: 'ticket.deleted' })).meta.after).toBe(all.meta.newest)
    const [first] = tickets
    const ofOne = await read(client, { ticket: first?.id ?? '' })
    expect(ofOne.data.map(({ event }) => event)).toEqual(['ticket.created', 'message.sent', 'ticket.updated'])
  })

  test('includes what the events are about as it is now, once each', async () => {
    const client = await bellhop.organization()
    const { id } = await makeTicket(client)
    await changeTicket(client, id, { status: 'resolved' })
    const { data, included } = await read(client, { include: 'ticket,message' })
    expect(included?.tickets).toMatchObject([
      { id, status: 'resolved', customer: { id: data[0]?.customerId, email: 'ana@example.com' } },
    ])
    expect(included?.messages).toMatchObject([{ id: data[1]?.messageId, ticketId: id, role: 'customer' }])
  })

  test('has the bodies of webhooks when asked', async () => {
    const client = await bellhop.organization()
    const { id } = await makeTicket(client)
    await changeTicket(client, id, { status: 'resolved' })
    const { data } = await read(client, { include: 'body' })
    expect(data.map(({ body }) => JSON.parse(body ?? ''))).toMatchObject([
      { event: 'ticket.created', data: { ticket: { id } } },
      { event: 'message.sent', data: { message: { author: { kind: 'customer', name: 'Ana Pires' } } } },
      {
        event: 'ticket.updated',
        data: {
          ticket: { id, status: 'resolved' },
          changes: { status: { from: 'open', to: 'resolved' } },
          by: { kind: 'key', name: 'Website' },
        },
      },
    ])
  })

  test('has a note as the list of notes has it', async () => {
    const client = await bellhop.organization()
    const { id } = await makeTicket(client)
    const program = await createProgram(bellhop.deps, client.orgId, { name: 'Answer bot' })
    const bot = await client.withKey({ program: program.id })
    const { json: note } = await bot.call('POST', `/tickets/${id}/notes`, { body: { text: 'A refund?' } })
    const { data } = await read(client, { types: 'note.added', include: 'body' })
    expect(JSON.parse(data[0]?.body ?? '').data.note).toEqual(note)
    expect(note).toMatchObject({ agentId: program.id })
  })

  test('says who opened a ticket, also on a page of its own', async () => {
    const client = await bellhop.organization()
    const { id } = await makeTicket(client)
    const { data: opened } = await read(client, { limit: 1 })
    expect(opened).toMatchObject([
      { event: 'ticket.created', ticketId: id, by: { kind: 'key', name: 'Website' } },
    ])
    const { data } = await read(client)
    expect(data.map(({ by }) => by)).toEqual(opened.flatMap(({ by }) => [by, by]))
  })

  test('says of both tickets of a split that their messages are others', async () => {
    const client = await bellhop.organization()
    const { id } = await makeTicket(client)
    const sent = await client.call<{ id: string }>('POST', `/tickets/${id}/messages`, {
      body: { text: 'Two' },
    })
    const { meta } = await read(client)
    const body = { messages: [sent.json.id], subject: 'Another question' }
    const split = await client.call<{ into: string }>('POST', `/tickets/${id}/split`, { body })
    const { data } = await read(client, { after: meta.after })
    expect(data).toMatchObject([
      { event: 'ticket.created', ticketId: split.json.into },
      { event: 'ticket.updated', ticketId: split.json.into, changes: { messages: {} } },
      { event: 'ticket.updated', ticketId: id, changes: { messages: {} } },
    ])
  })

  test('leaves out events that the key may not read', async () => {
    const client = await bellhop.organization()
    const { id } = await makeTicket(client)
    const reader = await client.withKey({ scopes: ['tickets:read'] })
    const owner = await read(client)
    const { data, meta } = await read(reader)
    expect(data.every(({ event }) => !event.startsWith('customer.') && event !== 'note.added')).toBe(true)
    expect(meta.after).toBe(owner.meta.after)
    const answer = await reader.call('GET', '/events?include=customer')
    expect(problemOf(answer, 403, 'missing_scope').detail).toContain('customers:read')
    const writer = await client.withKey({ scopes: ['tickets:write'] })
    problemOf(await writer.call('GET', '/events'), 403, 'missing_scope')
    const other = await bellhop.organization('Other')
    problemOf(await other.call('GET', `/events?ticket=${id}`), 404, 'not_found')
  })

  test.each([
    ['a position that is none', 'after=x'],
    ['an unknown event', 'types=ticket.exploded'],
    ['an unknown include', 'include=everything'],
    ['a limit of 0', 'limit=0'],
    ['a limit of 1,001', 'limit=1001'],
    ['a wait of 31 seconds', 'wait=31'],
    ['an unknown parameter', 'since=1'],
  ])('refuses %s', async (_, query) => {
    const client = await bellhop.organization()
    problemOf(await client.call('GET', `/events?${query}`), 400, 'invalid_request')
  })

  test('says that a position of another log is gone', async () => {
    const [client, other] = [await bellhop.organization(), await bellhop.organization('Other')]
    await makeTicket(client)
    const { meta } = await read(client)
    problemOf(await other.call('GET', `/events?after=${meta.after}`), 410, 'events_expired')
    const ahead = meta.after.replace(/\d+$/, (number) => String(Number(number) + 1))
    problemOf(await client.call('GET', `/events?after=${ahead}`), 410, 'events_expired')
  })
})

describe('a reader who waits', () => {
  test('gets the next event as soon as it is committed', async () => {
    const client = await bellhop.organization()
    const { meta } = await read(client)
    const waiting = read(client, { after: meta.after, wait: 30 })
    const { id } = await makeTicket(client)
    expect((await waiting).data[0]).toMatchObject({ event: 'ticket.created', ticketId: id })
  })

  test('is refused beside twenty others of the key, and waits for the events of the filter only', async () => {
    const client = await bellhop.organization()
    const { meta } = await read(client)
    const path = `/events?after=${meta.after}&wait=30&types=ticket.updated`
    const waiting = Array.from({ length: 21 }, () => client.call<EventsJson>('GET', path))
    problemOf(await Promise.race(waiting), 429, 'too_many_waits')
    const { id } = await makeTicket(client)
    await changeTicket(client, id, { status: 'pending' })
    const answers = (await Promise.all(waiting)).filter(({ status }) => status === 200)
    expect(answers).toHaveLength(20)
    for (const { json } of answers) expect(json.data.map(({ event }) => event)).toEqual(['ticket.updated'])
  })
})

test('a key that is revoked gets no event that it waits for', async () => {
  const client = await bellhop.organization()
  const other = await client.withKey({ name: 'Revoked' })
  const { meta } = await read(client)
  const waiting = other.call('GET', `/events?after=${meta.after}&wait=30`)
  const keys = await listApiKeys(bellhop.deps, client.orgId)
  await revokeApiKey(bellhop.deps, client.orgId, keys.find(({ name }) => name === 'Revoked')?.id ?? '')
  await makeTicket(client)
  problemOf(await waiting, 401, 'unauthorized')
})

test('a reader who waits while a new log begins gets nothing of it, and starts again', async () => {
  const client = await bellhop.organization()
  await makeTicket(client)
  const { data, meta } = await read(client)
  const open = await openStream(client, {})
  expect(await open.next(data.length)).toEqual(data)
  const waiting = client.call('GET', `/events?after=${meta.after}&wait=30`)
  await bellhop.deps.database.write(client.orgId, (tx) => beginLog(bellhop.deps, tx, client.orgId))
  await makeTicket(client)
  expect(open.next(1)).rejects.toThrow('The stream has ended.')
  problemOf(await waiting, 410, 'events_expired')
})

describe('the stream', () => {
  test('has the same events, and goes on where a reader left off', async () => {
    const client = await bellhop.organization()
    const { id } = await makeTicket(client)
    const { data } = await read(client)
    const first = await openStream(client, {})
    expect(await first.next(2)).toEqual(data)
    await changeTicket(client, id, { status: 'resolved' })
    const [changed] = await first.next(1)
    expect(changed).toMatchObject({ event: 'ticket.updated', ticketId: id })
    first.close()
    const resumed = await openStream(client, { 'last-event-id': data[0]?.position ?? '' })
    expect((await resumed.next(2)).map(({ position }) => position)).toEqual([
      data[1]?.position ?? '',
      changed?.position ?? '',
    ])
    resumed.close()
  })

  test('ends before the next event once the key is revoked', async () => {
    const client = await bellhop.organization()
    const reader = await client.withKey({ name: 'Mirror' })
    const open = await openStream(reader, {})
    await revokeApiKey(bellhop.deps, client.orgId, /^bellhop_sk_[^_]+_.{6}/.exec(reader.key)?.[0] ?? '')
    await makeTicket(client)
    expect(open.next(1)).rejects.toThrow('The stream has ended.')
    problemOf(await reader.call('GET', '/events'), 401, 'unauthorized')
  })

  test('is refused beside five others of the key', async () => {
    const client = await bellhop.organization()
    const open = await Promise.all(Array.from({ length: 5 }, () => openStream(client, {})))
    const accept = { accept: 'text/event-stream' }
    problemOf(await client.call('GET', '/events', { headers: accept }), 429, 'too_many_streams')
    for (const one of open) one.close()
  })
})

/** Reads the stream like any client: lines of `id` and `data`. */
async function openStream(client: Client, headers: Record<string, string>) {
  const gone = new AbortController()
  const response = await fetch(`${bellhop.url}/v1/events`, {
    headers: { authorization: `Bearer ${client.key}`, accept: 'text/event-stream', ...headers },
    signal: gone.signal,
  })
  expect(response.status).toBe(200)
  const lines = linesOf(response)
  return {
    async next(count: number): Promise<EventJson[]> {
      const found: EventJson[] = []
      while (found.length < count) {
        const { value, done } = await lines.next()
        if (done) throw new Error('The stream has ended.')
        if (value.startsWith('data: ')) found.push(JSON.parse(value.slice('data: '.length)))
      }
      return found
    },
    close: () => gone.abort(),
  }
}

async function* linesOf(response: Response): AsyncGenerator<string, undefined> {
  let rest = ''
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}
