import { afterAll, expect, test } from 'bun:test'
import { createEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { signInAgent } from '../support/agents.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { writeCaFile } from '../support/certificates.ts'
import { startReceiver } from '../support/receiver.ts'
import { storedEvents } from '../support/subscription.ts'
import { programOf, suggest, useSuggestion } from '../support/suggestions.ts'
import { changeTicket, makeTicket, problemOf } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

// Events beside the two of the specification: their bodies are made after the commit.

const bellhop = await startBellhop({
  settings: { BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8', BELLHOP_WEBHOOK_CA: await writeCaFile() },
})
afterAll(() => bellhop.stop())

interface Sent {
  event: string
  createdAt: string
  data: Record<string, Record<string, unknown>>
}

/** An organization with a receiver of these events, and what it got, oldest first. */
async function subscribed(events: string[]) {
  const client = await (await bellhop.organization()).withKey({
    scopes: [
      'tickets:read',
      'tickets:write',
      'messages:write',
      'customers:read',
      'customers:write',
      'erase',
      'endpoints:read',
    ],
  })
  const receiver = await startReceiver()
  await createEndpoint(bellhop.deps, client.orgId, { url: receiver.url, events })
  const sent = (): Sent[] => receiver.requests.map(({ body }) => JSON.parse(Buffer.from(body).toString()))
  return {
    client,
    receiver,
    sent,
    next: (count: number) => eventually(() => (sent().length >= count ? sent() : undefined)),
    [Symbol.asyncDispose]: () => receiver.stop(),
  }
}

async function newestPosition(client: Client): Promise<string> {
  const { json } = await client.call<{ meta: { newest: string } }>('GET', '/events?limit=1000')
  return json.meta.newest
}

test('a changed ticket is sent with what changed and who did it, once a change', async () => {
  await using at = await subscribed(['ticket.updated', 'ticket.deleted'])
  const { id } = await makeTicket(at.client)
  await changeTicket(at.client, id, { status: 'resolved', tags: ['vip'] })
  const position = await newestPosition(at.client)
  const [updated] = await at.next(1)
  expect(updated).toMatchObject({
    event: 'ticket.updated',
    data: {
      ticket: { id, status: 'resolved', tags: ['vip'], customer: { email: 'ana@example.com' } },
      changes: { status: { from: 'open', to: 'resolved' }, tags: { from: [], to: ['vip'] } },
      by: { kind: 'key', name: 'Website' },
    },
  })
  expect(at.receiver.requests[0]?.headers['x-service-event-position']).toBe(position)
  expect((await at.client.call('DELETE', `/tickets/${id}`)).status).toBe(204)
  const all = await at.next(2)
  expect(all[1]?.event).toBe('ticket.deleted')
  expect(all[1]?.data.ticket).toEqual({ id, orgId: at.client.orgId })
})

test('an event of an erased ticket is not sent, and nothing of it stays in the log', async () => {
  await using at = await subscribed([
    'ticket.updated',
    'ticket.deleted',
    'customer.updated',
    'customer.deleted',
  ])
  const { id } = await makeTicket(at.client)
  await changeTicket(at.client, id, { status: 'resolved' })
  const { json } = await at.client.call<{ data: { id: string }[] }>('GET', '/customers')
  const customerId = json.data[0]?.id ?? ''
  await at.client.call('PATCH', `/customers/${customerId}`, { body: { name: 'Ana Secret' } })
  await eventually(() => at.sent().some(({ event }) => event === 'customer.updated'))
  expect((await at.client.call('DELETE', `/customers/${customerId}`)).status).toBe(204)
  const sent = await eventually(() =>
    at.sent().some(({ event }) => event === 'customer.deleted') ? at.sent() : undefined,
  )
  expect(sent.find(({ event }) => event === 'customer.deleted')?.data.customer).toEqual({ id: customerId })
  const log = await at.client.call('GET', '/events?include=body&limit=1000')
  expect(log.text).not.toContain('Ana Secret')
  expect(log.text).not.toContain('ana@example.com')
  const hooks = await at.client.withKey({ scopes: ['endpoints:read', 'endpoints:write'] })
  const deliveries = async (event: string) =>
    (await hooks.call<{ data: { id: string; state: string }[] }>('GET', `/deliveries?event=${event}`)).json
      .data
  const [erased] = await deliveries('customer.updated')
  expect(Object.keys(erased ?? { ticketId: '' })).not.toContain('ticketId')
  problemOf(await hooks.call('POST', `/deliveries/${erased?.id}/resend`), 409, 'body_not_kept')
  const kept = await eventually(async () =>
    (await deliveries('customer.deleted')).find(({ state }) => state === 'succeeded'),
  )
  expect((await hooks.call('POST', `/deliveries/${kept.id}/resend`)).status).toBe(202)
})

test('what is suggested is sent, and what an agent made of it; erasing its ticket erases the bodies', async () => {
  await using at = await subscribed(['suggestion.added', 'suggestion.closed'])
  const bot = await programOf(bellhop, at.client, 'Answer bot')
  const ben = await signInAgent(bellhop, at.client.orgId)
  const { id } = await makeTicket(at.client)
  const made = await suggest(bot, id, { text: 'A zebrafish' })
  const [added] = await at.next(1)
  expect(added).toMatchObject({
    event: 'suggestion.added',
    createdAt: made.createdAt,
    data: { ticket: { id } },
  })
  expect(added?.data.suggestion).toEqual({ ...made })
  expect(added?.data.by).toEqual(made.by)
  await useSuggestion(ben, made)
  await ben.call('POST', `/v1/tickets/${id}/messages`, { body: { text: 'Two zebrafish' } })
  const closed = (await at.next(2))[1]
  expect(closed?.data.suggestion).toMatchObject({ id: made.id, state: 'edited', similarity: 0.5 })
  expect(closed?.data.by).toEqual({ kind: 'agent', id: ben.id, name: ben.name })
  await eventually(async () => {
    const { json } = await at.client.call<{ data: { state: string }[] }>('GET', '/deliveries')
    return json.data.every(({ state }) => state === 'succeeded')
  })
  expect((await at.client.call('DELETE', `/tickets/${id}`)).status).toBe(204)
  const rows = await storedEvents(bellhop.deps, at.client.orgId)
  const logged = rows.filter(({ type }) => type.startsWith('suggestion.'))
  expect(logged.map(({ type, body }) => [type, body])).toEqual([
    ['suggestion.added', ''],
    ['suggestion.used', ''],
    ['suggestion.closed', ''],
  ])
})

test('a reply that is held for an answer meanwhile is sent as an update with the reason', async () => {
  await using at = await subscribed(['message.updated'])
  const { id } = await makeTicket(at.client)
  const { json } = await at.client.call<{ data: { id: string }[] }>('GET', `/tickets/${id}/messages`)
  const after = json.data[0]?.id
  const other = await at.client.withKey({ name: 'Other', scopes: ['messages:write'] })
  await other.call('POST', `/tickets/${id}/messages`, { body: { text: 'First.' } })
  const messageId = bellhop.deps.newId('msg')
  const body = { text: 'Second.', after }
  const put = await at.client.call('PUT', `/tickets/${id}/messages/${messageId}`, { body })
  expect(put.status).toBe(201)
  const [held] = await at.next(1)
  expect(held).toMatchObject({
    event: 'message.updated',
    data: { message: { id: messageId, text: 'Second.', delivery: { state: 'held' } }, ticket: { id } },
  })
})
