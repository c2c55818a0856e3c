import type { AlsoSave } from '../../database/database.ts'
import type { WebhookEvent } from '../../database/tables/events.ts'
import { deliveries } from '../../database/tables/webhooks.ts'
import { isoTime } from '../../dates.ts'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../errors.ts'
import { scheduleEndpoint } from '../../events/outbox.ts'
import { isId } from '../../ids.ts'
import { AT_ONCE } from '../deliveries/schedule.ts'
import { endpointAccounts } from './endpoints.ts'
import { requireWebhookEvent } from './validate.ts'

/**
 * Sends a sample event like a real one, once, marked `X-Service-Test: true`. It is also sent to an endpoint that is off,
 * to test a repaired receiver before enabling it. It is sent before pending deliveries and does not count for the
 * endpoint's health. Returns the id of the delivery in the log. Throws 404, or 400 for an unknown event.
 */
export async function testEndpoint(
  deps: Deps,
  orgId: string,
  input: { id: string; event: string },
  alsoSave?: AlsoSave<{ deliveryId: string }>,
): Promise<{ deliveryId: string }> {
  const eventType = requireWebhookEvent(input.event, { pointer: '/event' })
  if (!isId('whe', input.id)) throw notFound('endpoint')
  const createdAt = deps.clock.now()
  const deliveryId = deps.newId('dlv')
  const testBody = Buffer.from(JSON.stringify(sampleOf(deps, orgId, eventType, createdAt)))
  await deps.database.write(orgId, async (tx) => {
    const endpoint = await endpointAccounts.lock(tx, orgId, input.id)
    if (!endpoint) throw notFound('endpoint')
    await tx.insert(deliveries).values({
      id: deliveryId,
      orgId,
      endpointId: endpoint.id,
      eventNumber: 0,
      eventType,
      testBody,
      state: 'pending',
      dueAt: AT_ONCE,
      createdAt,
    })
    await scheduleEndpoint(tx, { endpointId: endpoint.id, at: createdAt })
    await alsoSave?.(tx, { deliveryId })
  })
  return { deliveryId }
}

/** Has the fields of a real event (section 6 of the specification, and the bodies of the other events). */
function sampleOf(deps: Deps, orgId: string, event: WebhookEvent, createdAt: number): object {
  return { event, createdAt: isoTime(createdAt), data: sampleData(deps, orgId, event, isoTime(createdAt)) }
}

function sampleData(deps: Deps, orgId: string, event: WebhookEvent, time: string): object {
  const customerId = deps.newId('usr')
  const customer = { name: 'Sam Sample', email: 'sam@example.com' }
  const opened = {
    id: deps.newId('tkt'),
    orgId,
    status: 'open',
    channel: 'email',
    subject: 'A sample ticket',
    createdAt: time,
    customer,
  }
  const sent = { ...opened, updatedAt: time, assignedTo: deps.newId('agt'), tags: ['sample'], spam: false }
  const ticket = {
    ...sent,
    lastMessageAt: time,
    waitingSince: time,
    customer: { ...customer, id: customerId },
    customerId,
  }
  const author = { kind: 'customer', id: customerId, name: customer.name }
  const by = { kind: 'agent', id: deps.newId('agt'), name: 'Ada Agent' }
  const written = { id: deps.newId('msg'), text: 'A sample message.', format: 'plain', createdAt: time }
  switch (event) {
    case 'ticket.created':
      return { ticket: opened }
    case 'message.sent':
      return { ticket: sent, message: { ...written, role: 'customer', author } }
    case 'ticket.updated':
      return { ticket, changes: { status: { from: 'pending', to: 'open' } }, by }
    case 'ticket.imported':
      return { ticket: { ...ticket, externalId: 'sample-1' }, by }
    case 'ticket.deleted':
      return { ticket: { id: ticket.id, orgId }, by }
    case 'message.updated': {
      const delivery = { state: 'sent', by: 'email' }
      return { ticket, message: { ...written, role: 'agent', agentName: by.name, delivery }, by }
    }
    case 'note.added': {
      const note = { ...written, id: deps.newId('not'), text: 'A sample note.', agentName: by.name }
      return { ticket, note, by }
    }
    case 'suggestion.added':
    case 'suggestion.closed': {
      const suggestion = { ...sampleSuggestion(deps, time), ticketId: ticket.id, answers: written.id }
      const closed = { state: 'sent', messageId: deps.newId('msg'), similarity: 1, closedAt: time }
      return { ticket, suggestion: { ...suggestion, ...(event === 'suggestion.closed' && closed) }, by }
    }
    case 'customer.updated': {
      const times = { createdAt: time, updatedAt: time }
      return { customer: { id: customerId, ...customer, emails: [customer.email], ...times }, by }
    }
    case 'customer.deleted':
      return { customer: { id: customerId }, by }
    case 'customer.merged':
      return { customer: { id: customerId }, into: deps.newId('usr'), by }
  }
}

function sampleSuggestion(deps: Deps, createdAt: string) {
  return {
    id: deps.newId('sug'),
    state: 'open',
    by: { kind: 'program', id: deps.newId('agt'), name: 'Sample program' },
    text: 'A sample answer.',
    format: 'plain',
    sources: [],
    confidence: null,
    createdAt,
    closedAt: null,
  }
}
