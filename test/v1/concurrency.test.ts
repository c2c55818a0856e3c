import { afterAll, expect, test } from 'bun:test'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { storedRows } from '../support/stored-rows.ts'
import {
  changeTicket,
  type ListedTicketJson,
  listTickets,
  type MessageJson,
  makeTicket,
  NO_TICKET,
  problemOf,
  readTicket,
} from '../support/tickets.ts'

// The contract's ETag, If-None-Match and If-Match (RFC 9110, section 13).

const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())

async function etagOf(client: Awaited<ReturnType<typeof bellhop.organization>>, id: string): Promise<string> {
  return (await client.call('GET', `/tickets/${id}`)).headers.get('etag') ?? ''
}

test('the ETag changes with everything the ticket shows, and with nothing else', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client, { tags: ['a'] })
  const seen = new Set([await etagOf(client, id)])
  const changes: (() => Promise<unknown>)[] = [
    () => changeTicket(client, id, { status: 'pending' }),
    () => changeTicket(client, id, { tags: ['a', 'b'] }),
    () => client.call('POST', `/tickets/${id}/messages`, { body: { text: 'Hello' } }),
    () => makeTicket(client, { customer: { name: 'New Name', email: 'ana@example.com' } }),
  ]
  for (const change of changes) {
    const before = seen.size
    await change()
    expect(seen.add(await etagOf(client, id)).size).toBe(before + 1)
  }
  const last = await etagOf(client, id)
  await changeTicket(client, id, {})
  await changeTicket(client, id, { status: 'pending' })
  await makeTicket(client, { customer: { name: 'Somebody else', email: 'eva@example.com' } })
  await makeTicket(client, { customer: { name: 'New Name', email: 'ana@example.com' } })
  expect(await etagOf(client, id)).toBe(last)
})

test('a read that knows the ticket already is 304 without a body', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  const etag = await etagOf(client, id)
  const readKnowing = (known: string) =>
    client.call<ListedTicketJson>('GET', `/tickets/${id}`, { headers: { 'if-none-match': known } })
  for (const known of [etag, `W/${etag}`, `"old", ${etag}`, '*']) {
    const answer = await readKnowing(known)
    expect([known, answer.status, answer.text, answer.headers.get('etag')]).toEqual([known, 304, '', etag])
    expect(answer.headers.has('content-type')).toBe(false)
  }
  await changeTicket(client, id, { status: 'resolved' })
  for (const known of [etag, '"nonsense"', etag.slice(1, -1), '']) {
    const answer = await readKnowing(known)
    expect([known, answer.status, answer.json.status]).toEqual([known, 200, 'resolved'])
  }
})

test("If-None-Match doesn't reveal that a ticket exists", async () => {
  const [client, stranger] = [await bellhop.organization(), await bellhop.organization()]
  const { id } = await makeTicket(client)
  const headers = { 'if-none-match': '*' }
  problemOf(await stranger.call('GET', `/tickets/${id}`, { headers }), 404, 'not_found')
  problemOf(await client.call('GET', `/tickets/${NO_TICKET}`, { headers }), 404, 'not_found')
})

test('a change is made only to the ticket as it was read, when asked for with If-Match', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  const old = await etagOf(client, id)
  const changeIf = (ifMatch: string, status: string) =>
    client.call<ListedTicketJson>('PATCH', `/tickets/${id}`, {
      body: { status },
      headers: { 'if-match': ifMatch },
    })
  const first = await changeIf(old, 'pending')
  expect([first.status, first.json.status]).toEqual([200, 'pending'])
  const before = await storedRows(bellhop.deps)
  for (const stale of [old, `W/${old}`, '"nonsense"', 'x']) {
    const problem = problemOf(await changeIf(stale, 'resolved'), 412, 'precondition_failed')
    expect(problem.detail).toBe('The ticket changed since you read it. Read it again.')
  }
  // A change that changes nothing is refused like any other.
  problemOf(await changeIf(old, 'pending'), 412, 'precondition_failed')
  expect(await storedRows(bellhop.deps)).toEqual(before)
  for (const fresh of [`"old", ${await etagOf(client, id)}`, '*']) {
    expect((await changeIf(fresh, 'open')).status).toBe(200)
  }
  problemOf(
    await client.call('PATCH', `/tickets/${NO_TICKET}`, { body: {}, headers: { 'if-match': '*' } }),
    404,
    'not_found',
  )
})

test('of many changes to the ticket as it was read, one is made', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  const headers = { 'if-match': await etagOf(client, id) }
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, number) =>
      client.call('PATCH', `/tickets/${id}`, { body: { tags: [`t${number}`] }, headers }),
    ),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 412)).toHaveLength(19)
})

test('the weak ETag that a compressing proxy makes of ours still names the version', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  const headers = { 'if-match': `W/${await etagOf(client, id)}` }
  const change = () => client.call('PATCH', `/tickets/${id}`, { body: { status: 'pending' }, headers })
  expect([(await change()).status, (await change()).status]).toEqual([200, 412])
})

test('changes of different fields at once all stay', async () => {
  const client = await bellhop.organization()
  const made = await Promise.all(Array.from({ length: 10 }, () => makeTicket(client)))
  await Promise.all(
    made.flatMap(({ id }) => [
      changeTicket(client, id, { status: 'pending' }),
      changeTicket(client, id, { tags: ['kept'] }),
      client.call<MessageJson>('POST', `/tickets/${id}/messages`, { body: { text: 'kept too' } }),
    ]),
  )
  for (const { id } of made) {
    const { status, tags, messages } = await readTicket(client, id)
    expect([status, tags, messages.length]).toEqual(['pending', ['kept'], 2])
  }
  expect((await listTickets(client, '?status=pending&tag=kept')).meta.total).toBe(10)
})
