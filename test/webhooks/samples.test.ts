import { afterAll, expect, test } from 'bun:test'
import { KEY_SCOPES } from '../../server/database/tables/api-keys.ts'
import { WEBHOOK_EVENTS } from '../../server/database/tables/events.ts'
import { recordEvents } from '../../server/events/events.ts'
import { createEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { suggest, useSuggestion } from '../support/suggestions.ts'
import { makeTicket } from '../support/tickets.ts'

const bellhop = await startBellhop({ settings: { BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8' } })
afterAll(() => bellhop.stop())

/** A sample has these, although not every ticket and message has them. */
const OPTIONAL = /^(ticket\.(assignedTo|waitingSince)|message\.delivery\..*)$/

test('a sample of an event has the fields of a real one', async () => {
  const organization = await bellhop.organization()
  const own = await organization.withKey({ scopes: [...KEY_SCOPES] })
  const ben = await signInAgent(bellhop, own.orgId, { name: 'Ben' })
  const { id: assignedTo } = ben
  await suggest(own, (await makeTicket(own, { tags: ['vip'] })).id, { text: 'Yes' })
  const { id: ticketId, customerId } = await makeTicket(own, { tags: ['vip'] })
  await useSuggestion(ben, await suggest(own, ticketId, { text: 'Yes' }))
  await ben.call('POST', `/v1/tickets/${ticketId}/messages`, { body: { text: 'Yes' } })
  await own.call('PATCH', `/tickets/${ticketId}`, { body: { assignedTo } })
  const body = { text: 'It is attached.' }
  const { json: sent } = await own.call<{ id: string }>('POST', `/tickets/${ticketId}/messages`, { body })
  await own.call('PATCH', `/tickets/${ticketId}`, { body: { status: 'pending' } })
  await own.call('POST', `/tickets/${ticketId}/notes`, { body: { text: 'She called.' } })
  await bellhop.deps.database.write(own.orgId, async (tx) => {
    const event = { ticketId, messageId: sent.id, createdAt: bellhop.deps.clock.now() }
    recordEvents({ ...bellhop.deps, actor: { kind: 'agent', id: assignedTo, name: 'Ben' } }, tx, own.orgId, [
      { type: 'message.updated', ...event },
    ])
  })
  const text = { externalId: 'm1', role: 'customer', text: 'Hello', createdAt: '2020-01-01T00:00:00Z' }
  const old = { externalId: 'old-1', subject: 'Old', customer: { email: 'bo@example.com' }, messages: [text] }
  const tickets = [{ ...old, status: 'open', channel: 'api', tags: ['vip'], createdAt: text.createdAt }]
  await own.call('POST', '/imports', { body: { tickets } })
  const other = (await makeTicket(own, { customer: { email: 'cy@example.com' } })).customerId
  await own.call('PATCH', `/customers/${customerId}`, { body: { name: 'Ana P.' } })
  await own.call('POST', `/customers/${customerId}/merge`, { body: { from: other } })
  const gone = await makeTicket(own, { customer: { email: 'di@example.com' } })
  await own.call('DELETE', `/tickets/${gone.id}`)
  await own.call('DELETE', `/customers/${gone.customerId}`)
  const log = await own.call<{ data: { event: string; body?: string }[] }>('GET', '/events?include=body')

  const url = 'https://127.0.0.1:9/'
  const { endpoint } = await createEndpoint(bellhop.deps, own.orgId, { url, events: [...WEBHOOK_EVENTS] })
  for (const event of WEBHOOK_EVENTS) {
    const test = { body: { event } }
    const { json } = await own.call<{ deliveryId: string }>('POST', `/endpoints/${endpoint.id}/test`, test)
    const shown = await own.call<{ body: string }>('GET', `/deliveries/${json.deliveryId}`)
    const sample = fieldsOf(JSON.parse(shown.json.body).data)
    const bodies = log.json.data.flatMap((one) => (one.event === event && one.body) || [])
    const real = fieldsOf(JSON.parse(bodies[0] ?? '').data)
    expect([event, real.filter((field) => !sample.includes(field))]).toEqual([event, []])
    const more = sample.filter((field) => !real.includes(field) && !OPTIONAL.test(field))
    expect([event, more]).toEqual([event, []])
  }
})

/** Such as `ticket.customer.name`. What changed is one field. */
function fieldsOf(data: object, before = ''): string[] {
  return Object.entries(data).flatMap(([name, value]) => {
    const field = before + name
    const isInner = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isInner && field !== 'changes' ? fieldsOf(value, `${field}.`) : field
  })
}
