import { afterAll, expect, test } from 'bun:test'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import {
  type ListedTicketJson,
  makeAndReadTicket,
  makeTicket,
  problemOf,
  readTicket,
  ticketInput,
} from '../support/tickets.ts'

// Specification, sections 2, 3 and 4: POST /tickets.

const clock = createManualClock(Date.parse('2026-03-01T09:30:00.007Z'))
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())

test('returns 201 with the ticket as lists show it: its messages are for GET', async () => {
  const client = await bellhop.organization()
  const body = {
    channel: 'api',
    subject: 'Missing invoice',
    customer: { name: 'Ana Pires', email: 'ana@example.com' },
    message: 'My invoice is missing.\nSecond line — “ü” 👋',
    tags: ['billing', 'vip'],
  }
  const answer = await client.call<ListedTicketJson>('POST', '/tickets', { body })
  expect(answer.status).toBe(201)
  expect(answer.headers.get('content-type')).toStartWith('application/json')
  const time = '2026-03-01T09:30:00.007Z'
  expect(answer.json).toEqual({
    id: expect.stringMatching(/^tkt_[0-9a-z]{26}$/),
    orgId: client.orgId,
    status: 'open',
    channel: 'api',
    subject: body.subject,
    createdAt: time,
    updatedAt: time,
    lastMessageAt: time,
    waitingSince: time,
    customer: body.customer,
    customerId: expect.stringMatching(/^usr_[0-9a-z]{26}$/),
    tags: body.tags,
    spam: false,
  })
  expect((await readTicket(client, answer.json.id)).messages[0]?.text).toBe(body.message)
})

test('says where the ticket is, with the ETag that this address has', async () => {
  const client = await bellhop.organization()
  const made = await client.call<ListedTicketJson>('POST', '/tickets', { body: ticketInput() })
  expect(made.headers.get('location')).toBe(`/v1/tickets/${made.json.id}`)
  const read = await client.call('GET', `/tickets/${made.json.id}`)
  expect(read.json).toMatchObject(made.json)
  expect(read.headers.get('etag')).toBe(made.headers.get('etag'))
  expect(made.headers.get('etag')).toMatch(/^"[^"]+"$/)
})

test('needs subject, message and the address of the customer, and says so about all three at once', async () => {
  const client = await bellhop.organization()
  const empty = problemOf(await client.call('POST', '/tickets', { body: {} }), 400, 'invalid_request')
  expect(empty.errors?.map(({ pointer, code }) => [pointer, code])).toEqual([
    ['/subject', 'required'],
    ['/customer', 'required'],
    ['/message', 'required'],
  ])
  const noAddress = await client.call('POST', '/tickets', {
    body: ticketInput({ customer: { name: 'Ana' } }),
  })
  expect(problemOf(noAddress, 400, 'invalid_request').errors).toEqual([
    { pointer: '/customer/email', code: 'required', detail: 'This field is required.' },
  ])
})

test('takes a ticket of the required fields only; the part before the @ becomes the name', async () => {
  const client = await bellhop.organization()
  const ticket = await makeTicket(client, { customer: { email: 'Jo.Van+x@example.com' } })
  expect(ticket.customer).toMatchObject({ name: 'Jo.Van+x', email: 'Jo.Van+x@example.com' })
  expect(ticket).toMatchObject({ channel: 'api', tags: [] })
  expect(ticket).not.toHaveProperty('assignedTo')
})

test.each(['widget', 'email', 'telegram', 'API', ''])('refuses the channel %p', async (channel) => {
  const client = await bellhop.organization()
  const answer = await client.call('POST', '/tickets', { body: ticketInput({ channel }) })
  expect(problemOf(answer, 400, 'invalid_request').errors).toEqual([
    { pointer: '/channel', code: 'not_allowed', detail: 'Must be api.' },
  ])
})

test('trims tags, keeps each once in the order given, and keeps their case', async () => {
  const client = await bellhop.organization()
  const { id, tags } = await makeTicket(client, { tags: [' vip ', 'Billing', 'vip', 'billing'] })
  expect(tags).toEqual(['vip', 'Billing', 'billing'])
  expect((await readTicket(client, id)).tags).toEqual(tags)
})

test('knows a customer by the address whatever its case; a new name replaces the old one everywhere', async () => {
  const client = await bellhop.organization()
  const first = await makeAndReadTicket(client, { customer: { name: 'Ana', email: 'ANA@Example.com' } })
  const second = await makeAndReadTicket(client, {
    customer: { name: 'Ana Pires', email: 'ana@example.COM' },
  })
  expect(second.customer.userId).toBe(first.customer.userId)
  expect(second.customer).toMatchObject({ name: 'Ana Pires', email: 'ANA@Example.com' })
  expect((await readTicket(client, first.id)).customer).toEqual(second.customer)
  const third = await makeAndReadTicket(client, { customer: { email: 'ana@example.com' } })
  expect(third.customer).toEqual(second.customer)
})

test.each([
  ['subject', ticketInput({ subject: 's'.repeat(255) })],
  ['name', ticketInput({ customer: { name: 'n'.repeat(255), email: 'a@example.com' } })],
  ['e-mail', ticketInput({ customer: { email: longAddress(254) } })],
  ['text', ticketInput({ message: '€'.repeat(65_536) })],
  ['list of tags', ticketInput({ tags: Array.from({ length: 50 }, (_, n) => `${n}`.padStart(64, 't')) })],
])('takes the longest %s', async (_, body) => {
  const client = await bellhop.organization()
  const made = await makeTicket(client, body)
  const { messages, ...rest } = await readTicket(client, made.id)
  expect(rest).toMatchObject({ subject: body.subject ?? '', tags: body.tags ?? [] })
  expect(messages[0]?.text).toBe(String(body.message))
})

test.each([
  ['/subject', 'too_long', ticketInput({ subject: 's'.repeat(256) })],
  [
    '/customer/name',
    'too_long',
    ticketInput({ customer: { name: 'n'.repeat(256), email: 'a@example.com' } }),
  ],
  ['/customer/email', 'too_long', ticketInput({ customer: { email: longAddress(255) } })],
  ['/message', 'too_long', ticketInput({ message: 'm'.repeat(65_537) })],
  ['/tags', 'too_many', ticketInput({ tags: Array.from({ length: 51 }, (_, n) => `t${n}`) })],
  ['/tags/1', 'too_long', ticketInput({ tags: ['ok', 't'.repeat(65)] })],
  ['/tags/0', 'too_short', ticketInput({ tags: [''] })],
  ['/subject', 'blank', ticketInput({ subject: ' \t\n' })],
  ['/message', 'too_short', ticketInput({ message: '' })],
])('refuses %s as %s', async (pointer, code, body) => {
  const client = await bellhop.organization()
  const problem = problemOf(await client.call('POST', '/tickets', { body }), 400, 'invalid_request')
  expect(problem.errors).toEqual([{ pointer, code, detail: expect.any(String) }])
  expect(problem.detail).toStartWith(pointer)
})

/** An address of so many characters whose parts keep to their own limits (RFC 1035: 63 a label). */
function longAddress(length: number): string {
  const start = `${'a'.repeat(60)}@${`${'b'.repeat(60)}.`.repeat(3)}`
  return `${start}${'c'.repeat(length - start.length - 3)}.de`
}
