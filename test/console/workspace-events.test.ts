import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { type OpenStream, openLive } from '../support/live.ts'
import { addNote, newestMessage, replyPath, sendNow, sendReply } from '../support/threads.ts'
import { makeTicket } from '../support/tickets.ts'

let bellhop: Bellhop
let acme: Client
let ben: SignedInAgent
let admin: SignedInAgent
let page: OpenStream

beforeAll(async () => {
  bellhop = await startBellhop()
  acme = await bellhop.organization()
  ben = await signInAgent(bellhop, acme.orgId)
  admin = await signInAgent(bellhop, acme.orgId, { role: 'admin', name: 'Root' })
  page = await openLive(bellhop.url, admin)
  await page.next('hello')
})
afterAll(async () => {
  await page.close()
  await bellhop.stop()
})

/** The types of the first events that the other agent's page gets for a ticket. */
async function eventsOf(ticketId: string, howMany: number): Promise<unknown[]> {
  const types: unknown[] = []
  while (types.length < howMany) {
    const { data } = await page.next('changed', (change) => change.ticketId === ticketId)
    types.push(data.type)
  }
  return types
}

test('an open page gets events for notes, waiting replies, their undo, changes, and deletion', async () => {
  const { id } = await makeTicket(acme)
  await addNote(ben, id, 'A note.')
  const undone = await sendReply(ben, id, { text: 'First.' })
  await ben.call('DELETE', replyPath(id, undone.id))
  const sent = await sendReply(ben, id, { text: 'Second.', status: 'resolved' })
  await sendNow(ben, id, sent.id)
  await ben.call('PATCH', `/console/tickets/${id}`, { body: { isSpam: true } })
  await admin.call('DELETE', `/console/tickets/${id}`)
  expect(await eventsOf(id, 9)).toEqual([
    'ticket.created',
    'message.sent',
    'note.added',
    'reply.waiting',
    'reply.waiting',
    'reply.waiting',
    'message.sent',
    'ticket.updated',
    'ticket.updated',
  ])
  expect(await eventsOf(id, 1)).toEqual(['ticket.deleted'])
})

test('drafts and read marks send no events to other agents', async () => {
  const { id } = await makeTicket(acme)
  const messageId = await newestMessage(ben, id)
  await ben.call('PUT', `/console/tickets/${id}/draft`, { body: { kind: 'reply', text: 'Dear' } })
  await ben.call('PUT', `/console/tickets/${id}/read`, { body: { messageId } })
  await addNote(ben, id, 'The end.')
  expect(await eventsOf(id, 3)).toEqual(['ticket.created', 'message.sent', 'note.added'])
})

test('changing a saved reply reaches every open page of the workspace', async () => {
  await ben.call('POST', '/console/saved-replies', { body: { name: 'Hello', text: 'Hello' } })
  const { data } = await page.next('changed', ({ type }) => type === 'workspace.changed')
  expect(data.ticketId).toBe('')
})

test('open settings get an event when another administrator changes keys or endpoints', async () => {
  const ada = await signInAgent(bellhop, acme.orgId, { role: 'admin', name: 'Ada' })
  const change = async <Json>(method: string, path: string, body?: object) => {
    const answer = await ada.call<Json>(method, `/console${path}`, body ? { body } : {})
    expect(answer.status, answer.text).toBeLessThan(300)
    await page.next('changed', ({ type }) => type === 'workspace.changed')
    return answer.json
  }
  const { key } = await change<{ key: { id: string } }>('POST', '/keys', { name: 'Shop' })
  await change('DELETE', `/keys/${key.id}`)
  const { endpoint } = await change<{ endpoint: { id: string } }>('POST', '/endpoints', {
    url: 'https://hooks.example.com/bellhop',
    events: ['ticket.created'],
  })
  const place = `/endpoints/${endpoint.id}`
  await change('PATCH', place, { description: 'Billing' })
  await change('POST', `${place}/disable`)
  await change('POST', `${place}/enable`)
  await change('POST', `${place}/secret`, { step: 'rotate' })
  await change('DELETE', place)
})
