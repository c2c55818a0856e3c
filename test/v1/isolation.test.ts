import { afterAll, describe, expect, test } from 'bun:test'
import { createAgent } from '../../server/agents/agents.ts'
import { type Answer, type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { storedRows } from '../support/stored-rows.ts'
import {
  changeTicket,
  listTickets,
  makeAndReadTicket,
  makeTicket,
  NO_TICKET,
  readTicket,
} from '../support/tickets.ts'

// Specification, sections 1, 4 and 5: only the data of the caller's own organization; the rest is 404.

const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())

describe("the response for another organization's ticket is byte for byte that for one that never existed", () => {
  const requests: [string, string, string, object | undefined, Record<string, string>][] = [
    ['reading it', 'GET', '', undefined, {}],
    ['reading it if it changed', 'GET', '', undefined, { 'if-none-match': '*' }],
    ['asking for its headers', 'HEAD', '', undefined, {}],
    ['changing it', 'PATCH', '', { status: 'resolved', tags: ['x'] }, {}],
    ['changing nothing in it', 'PATCH', '', {}, {}],
    ['changing it as it was read', 'PATCH', '', { status: 'resolved' }, { 'if-match': '"1.1"' }],
    ['changing it as it was not', 'PATCH', '', { status: 'resolved' }, { 'if-match': '"x"' }],
    ['assigning it to an unknown agent', 'PATCH', '', { assignedTo: 'agt_00000000000000000000000000' }, {}],
    ['sending it a wrong body', 'PATCH', '', { status: 'new' }, {}],
    ['answering it', 'POST', '/messages', { text: 'Hello' }, {}],
    ['answering it once', 'POST', '/messages', { text: 'Hello' }, { 'idempotency-key': 'k' }],
    ['answering it with nothing', 'POST', '/messages', {}, {}],
    ['a query it does not take', 'GET', '?a=1', undefined, {}],
    ['deleting it without the scope', 'DELETE', '', undefined, {}],
    ['a method it does not take', 'PUT', '', undefined, {}],
    ['a method its messages do not take', 'GET', '/messages', undefined, {}],
  ]

  test.each(requests)('%s', async (_, method, path, body, headers) => {
    const [owner, stranger] = [await bellhop.organization(), await bellhop.organization()]
    const { id } = await makeTicket(owner)
    // Each asks from an organization of its own: an Idempotency-Key used twice would be another matter.
    const other = await bellhop.organization()
    const before = await storedRows(bellhop.deps)
    const ask = (client: Client, ticketId: string) =>
      client.call(method, `/tickets/${ticketId}${path}`, { body, headers })
    const foreign = await ask(stranger, id)
    const missing = await ask(other, NO_TICKET)
    expect(foreign.status).toBeGreaterThanOrEqual(400)
    expect(all(foreign, id)).toBe(all(missing, NO_TICKET))
    expect(await storedRows(bellhop.deps)).toEqual(before)
  })

  test('its message, customer and organization ids lead nowhere', async () => {
    const [owner, stranger] = [await bellhop.organization(), await bellhop.organization()]
    const { messages, customer, orgId } = await makeAndReadTicket(owner)
    for (const id of [messages[0]?.id ?? '', customer.userId, orgId]) {
      const answer = await stranger.call('GET', `/tickets/${id}`)
      expect(all(answer, id)).toBe(all(await stranger.call('GET', `/tickets/${NO_TICKET}`), NO_TICKET))
    }
  })

  test('its agents look like agents that never existed', async () => {
    const [owner, stranger] = [await bellhop.organization(), await bellhop.organization()]
    const agent = { name: 'Ben', email: 'ben@acme.example', role: 'agent' as const }
    const { id: agentId } = await createAgent(bellhop.deps, owner.orgId, agent)
    const { id } = await makeTicket(stranger)
    const assign = (assignedTo: string) => stranger.call('PATCH', `/tickets/${id}`, { body: { assignedTo } })
    const foreign = await assign(agentId)
    expect(foreign.status).toBe(400)
    expect(all(foreign)).toBe(all(await assign('agt_00000000000000000000000000')))
    const { data } = await listTickets(stranger, `?assignedTo=${agentId}`)
    expect(data).toEqual([])
  })
})

test('lists, filters and totals know the own organization only', async () => {
  const [one, other] = [await bellhop.organization(), await bellhop.organization()]
  await makeTicket(one, { tags: ['vip'] })
  const { id } = await makeTicket(other, { tags: ['vip', 'billing'] })
  await changeTicket(other, id, { status: 'resolved' })
  const queries = ['', '?tag=vip', '?channel=api', '?assignedTo=unassigned', '?sort=updated_desc']
  for (const query of queries) {
    const { data, meta } = await listTickets(one, query)
    expect([meta.total, data.map(({ orgId }) => orgId)]).toEqual([1, [one.orgId]])
  }
  for (const query of ['?tag=billing', '?status=resolved', '?status=resolved&tag=vip']) {
    expect((await listTickets(one, query)).meta.total).toBe(0)
  }
})

test('the same address is another customer in another organization', async () => {
  const [one, other] = [await bellhop.organization(), await bellhop.organization()]
  const first = await makeAndReadTicket(one, { customer: { name: 'Ana', email: 'ana@example.com' } })
  const second = await makeAndReadTicket(other, { customer: { name: 'Anabel', email: 'ana@example.com' } })
  expect(second.customer.userId).not.toBe(first.customer.userId)
  expect((await readTicket(one, first.id)).customer.name).toBe('Ana')
})

test("one organization's work does not move another's ETags, totals or rate", async () => {
  const [one, other] = [await bellhop.organization(), await bellhop.organization()]
  const { id } = await makeTicket(one)
  const read = () => one.call('GET', `/tickets/${id}`)
  const before = await read()
  await Promise.all(Array.from({ length: 10 }, () => makeTicket(other)))
  const after = await read()
  expect([after.text, after.headers.get('etag')]).toEqual([before.text, before.headers.get('etag')])
  const left = (answer: Answer<unknown>) => Number(answer.headers.get('x-ratelimit-remaining'))
  expect(left(after)).toBe(left(before) - 1)
})

/** Everything of an answer: status, headers but the time and the request id, body without the ids that were sent. */
function all({ status, headers, text }: Answer<unknown>, sentId = ''): string {
  const named = [...headers]
    .filter(([name]) => name !== 'date' && !name.includes('ratelimit'))
    .map(([name, value]) => `${name}: ${value}`)
  const requestId = headers.get('x-request-id') ?? ''
  const whole = [status, ...named.sort(), '', text].join('\n').replaceAll(requestId, '<request>')
  return sentId ? whole.replaceAll(sentId, '<id>') : whole
}
