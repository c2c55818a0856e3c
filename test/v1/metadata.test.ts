import { afterAll, expect, test } from 'bun:test'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import {
  changeTicket,
  listTickets,
  makeTicket,
  problemOf,
  readTicket,
  ticketInput,
} from '../support/tickets.ts'

// What other systems keep with a ticket: their own id, and texts by key.

const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())

test('a ticket keeps an external id and metadata, and shows them wherever it is read', async () => {
  const client = await bellhop.organization()
  const metadata = { plan: 'gold', 'Order 👋': '', constructor: '4711' }
  const made = await makeTicket(client, { externalId: 'order-4711', metadata })
  expect(made).toMatchObject({ externalId: 'order-4711', metadata })
  expect(await readTicket(client, made.id)).toMatchObject({ externalId: 'order-4711', metadata })
  expect((await listTickets(client)).data).toMatchObject([{ externalId: 'order-4711', metadata }])
})

test('a ticket without them shows neither', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client, { metadata: {} })
  for (const ticket of [await readTicket(client, id), await changeTicket(client, id, { metadata: {} })]) {
    expect(Object.keys(ticket)).not.toContain('metadata')
    expect(Object.keys(ticket)).not.toContain('externalId')
  }
})

test('a change of metadata sets and removes keys and leaves the others', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client, { metadata: { plan: 'gold', region: 'eu' } })
  const changed = await changeTicket(client, id, { metadata: { plan: 'silver', seats: '5', other: null } })
  expect(changed).toMatchObject({ metadata: { plan: 'silver', region: 'eu', seats: '5' } })
  const removed = await changeTicket(client, id, { metadata: { plan: null, region: null, seats: null } })
  expect(Object.keys(removed)).not.toContain('metadata')
})

test('what is already so changes nothing, not even the version', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client, { externalId: 'a', metadata: { plan: 'gold', region: 'eu' } })
  const before = await client.call('GET', `/tickets/${id}`)
  clock.advance(1_000)
  const same = { externalId: 'a', metadata: { region: 'eu', plan: 'gold', seats: null } }
  await changeTicket(client, id, same)
  expect((await client.call('GET', `/tickets/${id}`)).headers.get('etag')).toBe(before.headers.get('etag'))
})

test('an external id is of one ticket of the organization, and the answer names the one that has it', async () => {
  const [client, other] = [await bellhop.organization(), await bellhop.organization()]
  const first = await makeTicket(client, { externalId: 'a' })
  await makeTicket(other, { externalId: 'a' })
  const body = ticketInput({ externalId: 'a' })
  const refused = problemOf(await client.call('POST', '/tickets', { body }), 409, 'external_id_taken')
  expect(refused).toMatchObject({ id: first.id })
  expect(refused.detail).toContain(first.id)
  const second = await makeTicket(client)
  const path = `/tickets/${second.id}`
  problemOf(await client.call('PATCH', path, { body: { externalId: 'a' } }), 409, 'external_id_taken')
  expect(Object.keys(await readTicket(client, second.id))).not.toContain('externalId')
  await changeTicket(client, first.id, { externalId: null })
  expect(await changeTicket(client, second.id, { externalId: 'a' })).toMatchObject({ externalId: 'a' })
  expect((await listTickets(client)).meta.total).toBe(2)
})

test('of tickets that are created at the same time with one external id, one is kept', async () => {
  const client = await bellhop.organization()
  const body = ticketInput({ externalId: 'same' })
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => client.call<{ id: string }>('POST', '/tickets', { body })),
  )
  const [kept] = answers.filter(({ status }) => status === 201)
  expect(answers.map(({ status, json }) => [status, json.id])).toEqual(
    answers.map(({ status }) => [status === 201 ? 201 : 409, kept?.json.id ?? '']),
  )
  expect((await listTickets(client)).meta.total).toBe(1)
})

const LONG_KEY = 'k'.repeat(41)
const many = (length: number) => Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, 'x']))

test.each<[string, object, string, string]>([
  ['an empty external id', { externalId: '' }, '/externalId', 'too_short'],
  ['a blank one', { externalId: '  ' }, '/externalId', 'blank'],
  ['one that is too long', { externalId: 'x'.repeat(256) }, '/externalId', 'too_long'],
  ['a number as external id', { externalId: 4711 }, '/externalId', 'wrong_type'],
  ['a list', { metadata: [] }, '/metadata', 'wrong_type'],
  ['too many keys', { metadata: many(101) }, '/metadata', 'too_many'],
  ['more keys than it can have', { metadata: many(51) }, '/metadata', 'too_many'],
  ['a number', { metadata: { plan: 5 } }, '/metadata/plan', 'wrong_type'],
  ['an object', { metadata: { plan: {} } }, '/metadata/plan', 'wrong_type'],
  ['a text that is too long', { metadata: { plan: 'x'.repeat(501) } }, '/metadata/plan', 'too_long'],
  ['an empty key', { metadata: { '': 'x' } }, '/metadata/', 'too_short'],
  ['a key that is too long', { metadata: { [LONG_KEY]: 'x' } }, `/metadata/${LONG_KEY}`, 'too_long'],
])('%s is refused', async (_what, change, pointer, code) => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  const { headers } = await client.call('GET', `/tickets/${id}`)
  const path = `/tickets/${id}`
  const { errors } = problemOf(await client.call('PATCH', path, { body: change }), 400, 'invalid_request')
  expect(errors?.map((fault) => [fault.pointer, fault.code])).toEqual([[pointer, code]])
  expect((await client.call('GET', path)).headers.get('etag')).toBe(headers.get('etag'))
})

test('as many new keys as are removed take their place in one change', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client, { metadata: many(50) })
  const removed = Object.fromEntries(Object.keys(many(50)).map((key) => [key, null]))
  const changed = await changeTicket(client, id, { metadata: { ...removed, plan: 'gold', seats: '5' } })
  expect(changed).toMatchObject({ id })
  const { json } = await client.call<{ metadata: object }>('GET', `/tickets/${id}`)
  expect(json.metadata).toEqual({ plan: 'gold', seats: '5' })
})

test('a new ticket has texts only', async () => {
  const client = await bellhop.organization()
  const body = ticketInput({ externalId: null, metadata: { plan: null } })
  const { errors } = problemOf(await client.call('POST', '/tickets', { body }), 400, 'invalid_request')
  expect(errors?.map(({ pointer }) => pointer)).toEqual(['/externalId', '/metadata/plan'])
})

test('the limits hold for the characters that people see, and for what several changes add up to', async () => {
  const client = await bellhop.organization()
  const long = { ['👋'.repeat(40)]: '👋'.repeat(500) }
  const { id } = await makeTicket(client, { externalId: '👋'.repeat(255), metadata: long })
  const found = await listTickets(client, `?externalId=${encodeURIComponent('👋'.repeat(255))}`)
  expect(found.data).toMatchObject([{ id }])
  await changeTicket(client, id, { metadata: many(49) })
  const path = `/tickets/${id}`
  const { errors } = problemOf(
    await client.call('PATCH', path, { body: { metadata: { one: 'more' } } }),
    400,
    'invalid_request',
  )
  expect(errors).toMatchObject([{ pointer: '/metadata', code: 'too_many' }])
  await changeTicket(client, id, { metadata: { k0: null, one: 'more' } })
})

test('a key that every object has is a key like any other', async () => {
  const client = await bellhop.organization()
  const raw = JSON.stringify(ticketInput({ metadata: { plan: 'gold' } })).replace('"plan"', '"__proto__"')
  const { text } = await client.call('POST', '/tickets', { raw })
  expect(text).toContain('"metadata":{"__proto__":"gold"}')
})
