import { afterAll, expect, test } from 'bun:test'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { storedEvents } from '../support/subscription.ts'
import {
  listTickets,
  makeTicket,
  NO_TICKET,
  type ProblemJson,
  problemOf,
  readTicket,
} from '../support/tickets.ts'

// Changing many tickets by one request, and deleting one.

const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())

interface OutcomesJson {
  data: { id: string; status: number; problem?: ProblemJson }[]
}

test('changes each ticket for itself, in their order, with an event for each', async () => {
  const client = await bellhop.organization()
  const ids = []
  for (let number = 0; number < 100; number += 1) ids.unshift((await makeTicket(client)).id)
  const before = (await storedEvents(bellhop.deps, client.orgId)).length
  const body = { ids, change: { status: 'resolved', addTags: ['old'], metadata: { plan: 'gold' } } }
  const { status, json } = await client.call<OutcomesJson>('POST', '/tickets/bulk', { body })
  expect([status, json]).toEqual([200, { data: ids.map((id) => ({ id, status: 200 })) }])
  expect((await listTickets(client, '?status=resolved&tag=old')).meta.total).toBe(100)
  const events = (await storedEvents(bellhop.deps, client.orgId)).slice(before)
  expect(events.map(({ type, ticketId }) => [type, ticketId])).toEqual(
    ids.map((id) => ['ticket.updated', id]),
  )
})

test('a ticket that cannot be changed has a problem of its own, and the others are changed', async () => {
  const client = await bellhop.organization()
  const [first, into, merged] = [await makeTicket(client), await makeTicket(client), await makeTicket(client)]
  await client.call('POST', `/tickets/${into.id}/merge`, { body: { from: merged.id } })
  const stranger = await makeTicket(await bellhop.organization('Other'))
  const ids = [first.id, 'x', stranger.id, merged.id, NO_TICKET, into.id]
  const body = { ids, change: { externalId: 'a', spam: true } }
  const { status, json, headers } = await client.call<OutcomesJson>('POST', '/tickets/bulk', { body })
  expect(status).toBe(200)
  expect(json.data.map((one) => [one.id, one.status, one.problem?.code])).toEqual([
    [first.id, 200, undefined],
    ['x', 404, 'not_found'],
    [stranger.id, 404, 'not_found'],
    [merged.id, 409, 'ticket_merged'],
    [NO_TICKET, 404, 'not_found'],
    [into.id, 409, 'external_id_taken'],
  ])
  expect(json.data[5]?.problem).toMatchObject({
    status: 409,
    id: first.id,
    requestId: headers.get('x-request-id'),
  })
  expect(await readTicket(client, first.id)).toMatchObject({ externalId: 'a', spam: true })
  expect((await readTicket(client, into.id)).spam).toBe(false)
})

test('an unknown agent or too many tags are problems of each ticket; a wrong body is one of the request', async () => {
  const client = await bellhop.organization()
  const ids = [(await makeTicket(client)).id]
  const bulk = (body: object) => client.call<OutcomesJson>('POST', '/tickets/bulk', { body })
  const { status, json } = await bulk({ ids, change: { assignedTo: 'nobody@acme.example' } })
  expect([status, json.data[0]?.status, json.data[0]?.problem?.errors?.[0]?.code]).toEqual([
    200,
    400,
    'unknown_agent',
  ])
  for (const body of [
    {},
    { ids },
    { ids: [], change: {} },
    { ids: Array.from({ length: 101 }, () => NO_TICKET), change: {} },
    { ids: ['x'.repeat(65)], change: {} },
    { ids, change: { status: 'new' } },
    { ids, change: { tags: ['a'], addTags: ['b'] } },
    { ids, change: { text: 'x' } },
  ]) {
    const { errors } = problemOf(await bulk(body), 400, 'invalid_request')
    expect(errors?.[0]?.pointer).toMatch(/^\/(ids|change)/)
  }
})

test('the same request with the same key is made once', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  const headers = { 'idempotency-key': 'bulk-1' }
  const body = { ids: [id, 'x'], change: { status: 'resolved' } }
  const first = await client.call('POST', '/tickets/bulk', { body, headers })
  await client.call('PATCH', `/tickets/${id}`, { body: { status: 'open' } })
  const again = await client.call('POST', '/tickets/bulk', { body, headers })
  expect([again.status, again.text]).toEqual([first.status, first.text])
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect((await readTicket(client, id)).status).toBe('open')
})

test('only a key with the scope erase deletes a ticket, and then it is gone for everyone', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client, { externalId: 'a' })
  problemOf(await client.call('DELETE', `/tickets/${id}`), 403, 'missing_scope')
  const eraser = await client.withKey({ scopes: ['erase'] })
  problemOf(await eraser.call('PATCH', `/tickets/${id}`, { body: {} }), 403, 'missing_scope')
  const gone = await eraser.call('DELETE', `/tickets/${id}`)
  expect([gone.status, gone.text]).toEqual([204, ''])
  problemOf(await client.call('GET', `/tickets/${id}`), 404, 'not_found')
  expect((await storedEvents(bellhop.deps, client.orgId)).at(-1)).toMatchObject({
    type: 'ticket.deleted',
    ticketId: id,
  })
  await makeTicket(client, { externalId: 'a' })
  const stranger = await makeTicket(await bellhop.organization('Other'))
  for (const missing of [id, stranger.id, 'x']) {
    problemOf(await eraser.call('DELETE', `/tickets/${missing}`), 404, 'not_found')
  }
})
