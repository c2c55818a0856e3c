import { afterAll, describe, expect, test } from 'bun:test'
import { createApiKey } from '../../server/api-keys/api-keys.ts'
import type { KeyScope } from '../../server/database/tables/api-keys.ts'
import { events } from '../../server/database/tables/events.ts'
import { scheduledMessages } from '../../server/database/tables/scheduled-messages.ts'
import { createId } from '../../server/ids.ts'
import { signInAgent } from '../support/agents.ts'
import { type Client, call, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { makeAndReadTicket, makeTicket, NO_TICKET, problemOf, readTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const SECOND = 1_000
const DAY = 24 * 60 * 60 * SECOND
const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()

interface OutgoingJson {
  id: string
  role: string
  text: string
  format: string
  agentName?: string
  createdAt: string
  delivery?: { state: string; by?: string; sendAt?: string; reason?: string }
}

const newId = () => createId('msg', clock.now())
const at = (milliseconds: number) => new Date(clock.now() + milliseconds).toISOString()
const pathOf = (ticketId: string, id: string) => `/tickets/${ticketId}/messages/${id}`
const put = (client: Client, ticketId: string, id: string, body: object) =>
  client.call<OutgoingJson>('PUT', pathOf(ticketId, id), { body })
const read = async (ticketId: string, id: string) =>
  (await acme.call<OutgoingJson>('GET', pathOf(ticketId, id))).json
const textsOf = async (ticketId: string) =>
  (await readTicket(acme, ticketId)).messages.map(({ text }) => text)

/** Time passes until nothing waits that is due. */
async function untilSent(milliseconds: number): Promise<void> {
  clock.advance(milliseconds)
  await eventually(async () => {
    const rows = await bellhop.deps.database.read.select().from(scheduledMessages)
    return rows.every(({ isHeld, sendAt }) => isHeld || sendAt > clock.now())
  })
}

async function clientWith(scopes: KeyScope[]): Promise<Client> {
  const { secret } = await createApiKey(bellhop.deps, acme.orgId, { name: 'Limited', kind: 'secret', scopes })
  return {
    ...acme,
    call: (method, path, more) => call(method, `${bellhop.url}/v1${path}`, withKey(secret, more)),
  }
}

const withKey = (key: string, more: Parameters<typeof call>[2] = {}) => ({
  ...more,
  headers: { ...more?.headers, authorization: `Bearer ${key}` },
})

test('a message without a time is sent at once, under the id of the client and the name of the key', async () => {
  const { id: ticketId } = await makeTicket(acme)
  const id = newId()
  const answer = await put(acme, ticketId, id, { text: 'It is attached.' })
  expect(answer.status).toBe(201)
  const { agentName } = answer.json
  expect(answer.json).toEqual({
    id,
    role: 'agent',
    text: 'It is attached.',
    format: 'plain',
    agentName,
    createdAt: at(0),
    delivery: { state: 'sent', by: 'webhook' },
  })
  expect((await readTicket(acme, ticketId)).messages.at(-1)).toMatchObject({ id, text: 'It is attached.' })
  expect(await read(ticketId, id)).toEqual(answer.json)
})

test('the same request again changes nothing, before and after the message is sent', async () => {
  const { id: ticketId } = await makeTicket(acme)
  const id = newId()
  const body = { text: 'Tomorrow.', sendAt: at(DAY) }
  const first = await put(acme, ticketId, id, body)
  const again = await put(acme, ticketId, id, body)
  expect([first.status, again.status, again.json]).toEqual([201, 200, first.json])
  expect(first.json.delivery).toEqual({ state: 'waiting', sendAt: body.sendAt })
  await untilSent(3 * DAY)
  const late = await put(acme, ticketId, id, body)
  expect([late.status, late.json.delivery]).toEqual([200, { state: 'sent', by: 'webhook' }])
  expect(await textsOf(ticketId)).toEqual([expect.any(String), 'Tomorrow.'])
})

test('a message has the format it was sent with, while it waits and when it is sent', async () => {
  const { id: ticketId } = await makeTicket(acme)
  const text = '**Done**, see [our guide](https://a.test).'
  const [formatted, plain] = [newId(), newId()]
  const waiting = await put(acme, ticketId, formatted, { text, format: 'markdown', sendAt: at(DAY) })
  expect(waiting.json).toMatchObject({ text, format: 'markdown', delivery: { state: 'waiting' } })
  await untilSent(DAY)
  expect(await read(ticketId, formatted)).toMatchObject({ text, format: 'markdown' })
  await put(acme, ticketId, plain, { text, format: 'plain' })
  expect((await readTicket(acme, ticketId)).messages.map((message) => message.format)).toEqual([
    'plain',
    'markdown',
    'plain',
  ])
})

test('another body under the same id, or the id of another ticket, is refused', async () => {
  const [{ id: ticketId }, { id: otherId }] = [await makeTicket(acme), await makeTicket(acme)]
  const ben = await signInAgent(bellhop, acme.orgId)
  const [sent, waiting] = [newId(), newId()]
  await put(acme, ticketId, sent, { text: 'One.' })
  await put(acme, ticketId, waiting, { text: 'One.', sendAt: at(DAY) })
  for (const id of [sent, waiting]) {
    problemOf(await put(acme, ticketId, id, { text: 'Two.' }), 409, 'message_id_taken')
    problemOf(await put(acme, ticketId, id, { text: 'One.', status: 'open' }), 409, 'message_id_taken')
    problemOf(await put(acme, otherId, id, { text: 'One.' }), 409, 'message_id_taken')
    const byBen = await ben.call('PUT', `/v1${pathOf(ticketId, id)}`, { body: { text: 'One.' } })
    problemOf(byBen, 409, 'message_id_taken')
  }
  const other = await bellhop.organization()
  const { id: foreignTicket } = await makeTicket(other)
  for (const id of [sent, waiting]) {
    problemOf(await put(other, foreignTicket, id, { text: 'One.' }), 409, 'message_id_taken')
  }
  const posted = await acme.call<{ id: string }>('POST', `/tickets/${ticketId}/messages`, {
    body: { text: 'P' },
  })
  problemOf(await put(acme, ticketId, posted.json.id, { text: 'P' }), 409, 'message_id_taken')
  await acme.call('DELETE', pathOf(ticketId, waiting))
})

test('many of the same request at once make one message', async () => {
  const { id: ticketId } = await makeTicket(acme)
  const id = newId()
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => put(acme, ticketId, id, { text: 'Once.' })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201])
  expect(await textsOf(ticketId)).toHaveLength(2)
})

test('a scheduled message is sent when its time comes on the clock, and its webhook event only then', async () => {
  const { id: ticketId } = await makeTicket(acme)
  const id = newId()
  await put(acme, ticketId, id, { text: 'In a week.', sendAt: at(7 * DAY), status: 'resolved' })
  const typesOf = async () =>
    (await bellhop.deps.database.read.select().from(events))
      .filter((event) => event.ticketId === ticketId)
      .map(({ type }) => type)
  await untilSent(6 * DAY)
  expect(await textsOf(ticketId)).toHaveLength(1)
  expect((await typesOf()).filter((type) => type === 'message.sent')).toHaveLength(1)
  // A clock that is put back an hour sends it an hour later, not at once.
  clock.jump(-3_600_000)
  await untilSent(DAY)
  expect(await read(ticketId, id)).toMatchObject({ delivery: { state: 'waiting' } })
  await untilSent(3_600_000)
  expect(await read(ticketId, id)).toMatchObject({ delivery: { state: 'sent' }, createdAt: at(0) })
  expect((await readTicket(acme, ticketId)).status).toBe('resolved')
  expect((await typesOf()).filter((type) => type === 'message.sent')).toHaveLength(2)
})

describe('what is refused', () => {
  test.each([
    ['an id that is none', () => 'msg_1', {}, 'messageId', 'invalid_id'],
    ['an id of another kind', () => createId('not', clock.now()), {}, 'messageId', 'invalid_id'],
    [
      'an id from two days ago',
      () => createId('msg', clock.now() - 2 * DAY),
      {},
      'messageId',
      'id_out_of_time',
    ],
    [
      'an id from the day after tomorrow',
      () => createId('msg', clock.now() + 60 * DAY),
      {},
      'messageId',
      'id_out_of_time',
    ],
    ['a time in two months', newId, { sendAt: at(61 * DAY) }, '/sendAt', 'too_far_ahead'],
    ['a time that is none', newId, { sendAt: 'tomorrow' }, '/sendAt', 'invalid_format'],
    ['a day that is none', newId, { sendAt: '2026-02-31T09:00:00.000Z' }, '/sendAt', 'invalid_format'],
    ['something that is no message', newId, { after: 'tkt_1' }, '/after', 'invalid_id'],
    ['a status that is none', newId, { status: 'new' }, '/status', 'not_allowed'],
    ['a field it does not know', newId, { subject: 'x' }, '/subject', 'unknown_field'],
  ])('%s', async (_, makeId, more, where, code) => {
    const { id: ticketId } = await makeTicket(acme)
    const answer = await put(acme, ticketId, makeId(), { text: 'Hello', ...more })
    const { errors } = problemOf(answer, 400, 'invalid_request')
    const [fault] = errors ?? []
    expect([fault?.pointer ?? fault?.parameter, fault?.code]).toEqual([where, code])
    expect(await textsOf(ticketId)).toHaveLength(1)
  })

  test('a ticket that is not there', async () => {
    problemOf(await put(acme, NO_TICKET, newId(), { text: 'Hello' }), 404, 'not_found')
    problemOf(await acme.call('GET', pathOf(NO_TICKET, newId())), 404, 'not_found')
    problemOf(await acme.call('DELETE', pathOf(NO_TICKET, newId())), 404, 'not_found')
  })

  test('a key without the scopes', async () => {
    const { id: ticketId } = await makeTicket(acme)
    const [reader, writer] = [await clientWith(['tickets:read']), await clientWith(['messages:write'])]
    const id = newId()
    problemOf(await put(reader, ticketId, id, { text: 'Hello' }), 403, 'missing_scope')
    problemOf(await reader.call('DELETE', pathOf(ticketId, id)), 403, 'missing_scope')
    problemOf(await put(writer, ticketId, id, { text: 'Hello', status: 'resolved' }), 403, 'missing_scope')
    expect((await put(writer, ticketId, id, { text: 'Hello' })).status).toBe(201)
    problemOf(await writer.call('GET', pathOf(ticketId, id)), 403, 'missing_scope')
    expect((await reader.call('GET', pathOf(ticketId, id))).status).toBe(200)
  })
})

describe('after the newest message its author has seen', () => {
  test('another agent message holds it, and a program sends it anyway under another id', async () => {
    const { id: ticketId, messages } = await makeAndReadTicket(acme)
    const seen = messages[0]?.id ?? ''
    const ben = await signInAgent(bellhop, acme.orgId)
    clock.advance(1)
    await ben.call('PUT', `/v1${pathOf(ticketId, newId())}`, { body: { text: 'From Ben.' } })
    const id = newId()
    const held = await put(acme, ticketId, id, { text: 'From the shop.', after: seen })
    expect(held.json.delivery).toMatchObject({ state: 'held', reason: expect.any(String) })
    expect((await put(acme, ticketId, id, { text: 'From the shop.', after: seen })).status).toBe(200)
    await untilSent(DAY)
    expect(await textsOf(ticketId)).toHaveLength(2)
    expect((await acme.call('DELETE', pathOf(ticketId, id))).status).toBe(204)
    await put(acme, ticketId, newId(), { text: 'From the shop.' })
    expect(await textsOf(ticketId)).toHaveLength(3)
  })
})

describe('taking back', () => {
  test('works until the message is sent, and the id may be used again', async () => {
    const { id: ticketId } = await makeTicket(acme)
    const id = newId()
    const remove = () => acme.call('DELETE', pathOf(ticketId, id))
    problemOf(await remove(), 404, 'not_found')
    await put(acme, ticketId, id, { text: 'One.', sendAt: at(DAY) })
    expect((await remove()).status).toBe(204)
    problemOf(await remove(), 404, 'not_found')
    problemOf(await acme.call('GET', pathOf(ticketId, id)), 404, 'not_found')
    expect((await put(acme, ticketId, id, { text: 'Two.' })).status).toBe(201)
    problemOf(await remove(), 409, 'already_sent')
  })

  test('a key leaves an agent’s waiting message alone, and only administrators take back a key’s', async () => {
    const { id: ticketId } = await makeTicket(acme)
    const ben = await signInAgent(bellhop, acme.orgId)
    const admin = await signInAgent(bellhop, acme.orgId, { name: 'Root', role: 'admin' })
    const [bens, keys] = [newId(), newId()]
    await ben.call('PUT', `/v1${pathOf(ticketId, bens)}`, { body: { text: 'Ben’s.', sendAt: at(DAY) } })
    await put(acme, ticketId, keys, { text: 'The key’s.', sendAt: at(DAY) })
    problemOf(await acme.call('DELETE', pathOf(ticketId, bens)), 403, 'not_yours')
    problemOf(await ben.call('DELETE', `/v1${pathOf(ticketId, keys)}`), 403, 'not_yours')
    for (const id of [bens, keys]) {
      expect((await admin.call('DELETE', `/v1${pathOf(ticketId, id)}`)).status).toBe(204)
    }
  })
})

test('a message of a key that is revoked meanwhile is held', async () => {
  const { id: ticketId } = await makeTicket(acme)
  const made = await createApiKey(bellhop.deps, acme.orgId, { name: 'Leaked', kind: 'secret' })
  const id = newId()
  const body = { text: 'Spam.', sendAt: at(DAY) }
  await call('PUT', `${bellhop.url}/v1${pathOf(ticketId, id)}`, withKey(made.secret, { body }))
  const admin = await signInAgent(bellhop, acme.orgId, { name: 'Root', role: 'admin' })
  expect((await admin.call('DELETE', `/console/keys/${made.key.id}`)).status).toBeLessThan(300)
  await untilSent(2 * DAY)
  expect((await read(ticketId, id)).delivery).toMatchObject({ state: 'held' })
})

describe('an unassigned ticket', () => {
  const assigneeOf = async (ticketId: string) => (await readTicket(acme, ticketId)).assignedTo

  test('is assigned to the agent who replies, when the reply is sent', async () => {
    const { id: ticketId } = await makeTicket(acme)
    const [ben, ana] = [await signInAgent(bellhop, acme.orgId), await signInAgent(bellhop, acme.orgId)]
    await put(acme, ticketId, newId(), { text: 'From the shop.' })
    expect(await assigneeOf(ticketId)).toBeUndefined()
    const body = { text: 'From Ben.', sendAt: at(10 * SECOND) }
    await ben.call('PUT', `/v1${pathOf(ticketId, newId())}`, { body })
    expect(await assigneeOf(ticketId)).toBeUndefined()
    await untilSent(11 * SECOND)
    expect(await assigneeOf(ticketId)).toBe(ben.id)
    await ana.call('PUT', `/v1${pathOf(ticketId, newId())}`, { body: { text: 'From Ana.' } })
    expect(await assigneeOf(ticketId)).toBe(ben.id)
    const { json } = await ben.call<{ timeline: object[] }>('GET', `/console/tickets/${ticketId}`)
    expect(json.timeline).toContainEqual(
      expect.objectContaining({
        kind: 'activity',
        actor: { kind: 'agent', id: ben.id, name: ben.name },
        changes: [{ field: 'assignedTo', from: '', to: ben.id }],
      }),
    )
    const list = await acme.call<{ meta: { total: number } }>('GET', `/tickets?assignedTo=${ben.id}`)
    expect(list.json.meta.total).toBe(1)
  })

  test('stays unassigned when the organization does not want that', async () => {
    const admin = await signInAgent(bellhop, acme.orgId, { name: 'Root', role: 'admin' })
    await admin.call('PATCH', '/console/organization', { body: { assignOnReply: false } })
    const { id: ticketId } = await makeTicket(acme)
    const reply = await admin.call('PUT', `/v1${pathOf(ticketId, newId())}`, { body: { text: 'Hello' } })
    expect(reply.status).toBe(201)
    expect(await assigneeOf(ticketId)).toBeUndefined()
  })
})
