import { afterAll, afterEach, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { SignJWT } from 'jose'
import { pauseMailbox } from '../../server/channels/email/mailboxes/mailbox-state.ts'
import { createMailbox } from '../../server/channels/email/mailboxes/mailboxes.ts'
import { pauseWidget } from '../../server/channels/widget/widgets/widget-state.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import type { OpenStream } from '../support/live.ts'
import { newMailbox } from '../support/mailboxes.ts'
import { ORIGIN, openWidget } from '../support/visitors.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await startBellhop({ settings: { BELLHOP_TRUST_PROXY: '127.0.0.0/8,::1/128' } })
const { deps } = bellhop
const { orgId } = await bellhop.organization()
const fields = [
  { key: 'plan', label: 'Your plan', isRequired: false },
  { key: 'order', label: 'Order number', isRequired: false },
]
const widget = await openWidget(bellhop, orgId, {
  questions: { name: 'optional', email: 'optional', fields },
})
const ben = await signInAgent(bellhop, orgId, { name: 'Ben', role: 'agent' })
const open: OpenStream[] = []
afterEach(async () => {
  for (const stream of open.splice(0)) await stream.close()
})
afterAll(() => bellhop.stop())

/** A look at the API must leave room for others: it allows a few hundred requests a minute. */
const LOOK_EVERY_MS = 25
const ADDRESS = '203.0.113.7'
const FROM = {
  'x-forwarded-for': ADDRESS,
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
}

interface TicketVisitor {
  isVerified: boolean
  typedName: string
  typedEmail: string
  lastSeenAt: string
  isBlocked: boolean
  isAddressBlocked: boolean
  [more: string]: unknown
}

interface Blocked {
  visitors: {
    id: string
    isVerified: boolean
    name: string
    email: string
    widgetName: string
    ticketId: string | null
  }[]
  addresses: { address: string; agentName: string | null }[]
}

const visitorOf = (ticketId: string) => ben.call<TicketVisitor>('GET', `/console/tickets/${ticketId}/visitor`)
const block = (ticketId: string, body: object) =>
  ben.call<TicketVisitor>('PATCH', `/console/tickets/${ticketId}/visitor`, { body })
const replyOf = async (ticketId: string) =>
  (await ben.call<{ reply: Record<string, unknown> }>('GET', `/console/tickets/${ticketId}`)).json.reply

test('agents see who writes, what they answered and where they are; typed details are not verified', async () => {
  const page = await widget.visit(
    {
      page: { url: `${ORIGIN}/pricing`, title: 'Pricing' },
      language: 'pt-PT',
      timeZone: 'Europe/Lisbon',
    },
    FROM,
  )
  const given = { name: 'Ana', email: 'ana@example.com', fields: { order: 'PB-7', plan: 'Team' } }
  const { conversation } = (await page.write('Hello', { body: given })).json
  const { status, json } = await visitorOf(conversation.id)
  expect(status).toBe(200)
  expect(json).toMatchObject({
    id: page.id,
    widget: { id: widget.id, name: 'Shop' },
    isVerified: false,
    userId: null,
    typedName: 'Ana',
    typedEmail: 'ana@example.com',
    answers: [
      { label: 'Your plan', text: 'Team' },
      { label: 'Order number', text: 'PB-7' },
    ],
    page: { url: `${ORIGIN}/pricing`, title: 'Pricing' },
    browser: 'Firefox on Linux',
    language: 'pt-PT',
    timeZone: 'Europe/Lisbon',
    address: ADDRESS,
    isBlocked: false,
    isAddressBlocked: false,
  })
  expect(Date.parse(json.lastSeenAt)).toBeLessThanOrEqual(deps.clock.now())

  const isOnline = async () => (await visitorOf(conversation.id)).json.isOnline
  expect(await isOnline()).toBe(false)
  const stream = await page.stream()
  expect(await isOnline()).toBe(true)
  await stream.close()
  await eventually(async () => {
    await Bun.sleep(LOOK_EVERY_MS)
    return !(await isOnline())
  })

  const { conversation: own } = await (await widget.visit()).say('Not from the same person')
  expect((await visitorOf(own.id)).json).toMatchObject({ typedName: '', typedEmail: '', answers: [] })
  const api = await ben.call<{ id: string }>('POST', '/v1/tickets', {
    body: { subject: 'x', message: 'x', customer: { email: 'x@example.com' } },
  })
  expect((await visitorOf(api.json.id)).status).toBe(404)
})

test('a user whom the website signs in is verified, and is shown where they were last', async () => {
  const jwt = await new SignJWT({ email: 'cy@example.com', name: 'Cy' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('42')
    .setExpirationTime('10m')
    .sign(Buffer.from(widget.identitySecret))
  const phone = await widget.visit({ jwt, page: { url: `${ORIGIN}/a`, title: 'On the phone' } })
  const { conversation } = await phone.say('Hello')
  expect((await visitorOf(conversation.id)).json).toMatchObject({
    isVerified: true,
    userId: '42',
    page: { title: 'On the phone' },
  })
  await widget.visit({ jwt, page: { url: `${ORIGIN}/b`, title: 'On the laptop' } })
  expect((await visitorOf(conversation.id)).json.page).toEqual({
    url: `${ORIGIN}/b`,
    title: 'On the laptop',
  })
})

test('an agent blocks a visitor or their address from the ticket, and lets them write again', async () => {
  const page = await widget.visit({}, FROM)
  const neighbor = await widget.visit({}, FROM)
  const { conversation } = await page.say('Buy now')
  const stream = await page.stream()
  open.push(stream)
  await stream.next('hello')
  const first = await block(conversation.id, { isBlocked: true })
  expect(first.json).toMatchObject({ isBlocked: true, isAddressBlocked: false })
  await stream.next('blocked')
  await stream.ended
  expect((await page.write('Again')).json).toMatchObject({ code: 'visitor_blocked' })
  expect((await neighbor.write('Hello')).status).toBe(201)

  const second = await block(conversation.id, { isBlocked: false, isAddressBlocked: true })
  expect(second.json).toMatchObject({ isBlocked: false, isAddressBlocked: true })
  expect((await neighbor.write('Hello')).json).toMatchObject({ code: 'visitor_blocked' })
  expect((await (await widget.visit()).write('From elsewhere')).status).toBe(201)
  // Nothing to change, nothing to record.
  await block(conversation.id, { isAddressBlocked: true })
  await block(conversation.id, { isAddressBlocked: false })
  expect((await neighbor.write('Hello')).status).toBe(201)

  const admin = await signInAgent(bellhop, orgId, { name: 'Ana', role: 'admin' })
  const log = await admin.call<{ data: { action: string; actor: { name: string } }[] }>(
    'GET',
    '/console/audit',
  )
  const blocks = log.json.data.filter(({ action }) => /^(?:visitor|address)\./.test(action))
  expect(blocks.map(({ action, actor }) => `${actor.name} ${action}`)).toEqual([
    'Ben address.unblocked',
    'Ben address.blocked',
    'Ben visitor.unblocked',
    'Ben visitor.blocked',
  ])
})

test('the thread says up to which answer the visitor has seen', async () => {
  const page = await widget.visit()
  const { conversation } = await page.say('Hello')
  const answer = () =>
    ben.call<{ id: string }>('POST', `/v1/tickets/${conversation.id}/messages`, { body: { text: 'Hi' } })
  const [{ json: first }] = [await answer(), await answer()]
  const read = () =>
    ben.call<{ seen?: { messageId: string; at: string } }>('GET', `/console/tickets/${conversation.id}`)
  const before = await read()
  const metrics = await (await fetch(`${bellhop.url}/metrics`)).text()
  expect(metrics).toContain('bellhop_unread_answers_waiting 1\n')
  expect(metrics).toContain('bellhop_unread_answer_oldest_due_seconds 0\n')
  expect(before.json.seen).toBeUndefined()
  await page.call('POST', `/conversations/${conversation.id}/seen`, { body: { messageId: first.id } })
  const after = await read()
  expect(after.json.seen).toMatchObject({ messageId: first.id })
})

test('administrators see who is blocked, each user once, and let them write again', async () => {
  const ana = await signInAgent(bellhop, orgId, { name: 'Ana', role: 'admin' })
  const list = async () => (await ana.call<Blocked>('GET', '/console/blocked')).json
  expect(await list()).toEqual({ visitors: [], addresses: [] })
  const from = (last: number) => ({ 'x-forwarded-for': `198.51.100.${last}` })
  const anonymous = await widget.visit({ name: 'Bo', email: 'bo@example.com' }, from(1))
  const { conversation } = await anonymous.say('Hello')
  const user = {
    userId: '7',
    userHash: createHmac('sha256', widget.identitySecret).update('7').digest('hex'),
  }
  const [first, second] = [await widget.visit(user, from(2)), await widget.visit(user, from(3))]
  const ofUser = (await first.say('Hello')).conversation
  await block(conversation.id, { isBlocked: true, isAddressBlocked: true })
  await block(ofUser.id, { isBlocked: true })
  const { visitors, addresses } = await list()
  expect(addresses).toMatchObject([{ address: '198.51.100.1', agentName: 'Ben' }])
  expect(visitors.map(({ isVerified, name, email }) => [isVerified, name, email]).sort()).toEqual([
    [false, 'Bo', 'bo@example.com'],
    [true, '', ''],
  ])
  const [bo] = visitors.filter(({ isVerified }) => !isVerified)
  expect(bo).toMatchObject({ widgetName: 'Shop', ticketId: conversation.id })
  expect((await second.write('Hello?')).json).toMatchObject({ code: 'visitor_blocked' })

  for (const { id } of visitors)
    expect((await ana.call('DELETE', `/console/blocked/visitors/${id}`)).status).toBe(204)
  expect((await second.write('Hello?')).status).toBe(201)
  expect((await anonymous.write('Hello?')).json).toMatchObject({ code: 'visitor_blocked' })
  const address = '/console/blocked/addresses/198.51.100.1'
  expect((await ana.call('DELETE', address)).status).toBe(204)
  expect((await ana.call('DELETE', address)).status).toBe(404)
  expect((await anonymous.write('Hello?')).status).toBe(201)
  expect(await list()).toEqual({ visitors: [], addresses: [] })
})

test('an address that a visitor typed does not link them to a customer', async () => {
  const page = await widget.visit({ name: 'Eve', email: 'ana@example.com' }, FROM)
  const { conversation } = await page.say('I am Ana')
  const made = await ben.call('POST', `/console/tickets/${conversation.id}/customer`, {
    body: { email: 'ana@example.com' },
  })
  expect([made.status, made.json]).toMatchObject([409, { code: 'customer_fixed' }])
})

test('a reply says whether it will be emailed if it stays unread, and to which address', async () => {
  const page = await widget.visit()
  const { conversation } = await page.say('Hello')
  expect(await replyOf(conversation.id)).toEqual({
    by: 'widget',
    undoSeconds: 0,
    ifUnread: { without: 'address' },
  })
  await page.call('PATCH', '/visitor', { body: { name: 'Dee', email: 'dee@example.com' } })
  expect(await replyOf(conversation.id)).toEqual({
    by: 'widget',
    undoSeconds: 0,
    ifUnread: { without: 'mailbox' },
  })
  const mailbox = await createMailbox(deps, orgId, newMailbox())
  await pauseMailbox(deps, orgId, mailbox.id)
  const typed = { name: 'Dee', address: 'dee@example.com', isVerified: false }
  expect(await replyOf(conversation.id)).toEqual({ by: 'widget', undoSeconds: 0, ifUnread: typed })
  await pauseWidget(deps, orgId, widget.id)
  expect(await replyOf(conversation.id)).toMatchObject({
    by: 'nothing',
    problem: { reason: 'The website widget is not connected.', setting: 'widget' },
  })
})

test('visitors are counted, and what they typed is not verified in lists, tickets, and events', async () => {
  const other = await bellhop.organization()
  const counted = await openWidget(bellhop, other.orgId)
  const customerOf = async (ticketId: string) =>
    (await other.call<{ customer: object; updatedAt: string }>('GET', `/tickets/${ticketId}`)).json.customer
  const tickets = []
  for (const page of await Promise.all([1, 2, 3].map(() => counted.visit()))) {
    const { conversation } = await page.say('Hello')
    await page.say('Again', conversation.id)
    tickets.push({ page, id: conversation.id })
  }
  const userId = expect.stringMatching(/^usr_/)
  const [first, second, third] = tickets
  expect(await Promise.all(tickets.map(({ id }) => customerOf(id)))).toEqual(
    [1, 2, 3].map((number) => ({ name: `Visitor ${number}`, userId })),
  )
  // A typed address, then a name: neither is proof, and both are marked.
  const before = await other.call('GET', `/tickets/${first?.id}`)
  await first?.page.call('PATCH', '/visitor', { body: { email: 'ceo@example.com' } })
  const typed = { unverifiedEmail: 'ceo@example.com', unverified: true }
  expect(await customerOf(first?.id ?? '')).toEqual({ name: 'Visitor 1', ...typed, userId })
  const after = await other.call('GET', `/tickets/${first?.id}`)
  expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
  await first?.page.write('I am Ana', { conversation: first.id, body: { name: 'Ana' } })
  await second?.page.call('PATCH', '/visitor', { body: { name: 'Support' } })
  const { json } = await other.call<{ data: { customer: object }[] }>('GET', '/tickets?sort=created_asc')
  expect(json.data.map(({ customer }) => customer)).toEqual([
    { name: 'Ana', ...typed },
    { name: 'Support', unverified: true },
    { name: 'Visitor 3' },
  ])
  // An agent who believes the address makes it theirs.
  const cleo = await signInAgent(bellhop, other.orgId, { name: 'Cleo' })
  const { userId: customerId = '' } = (await customerOf(first?.id ?? '')) as { userId?: string }
  await cleo.call('PATCH', `/console/customers/${customerId}`, { body: { emails: ['ana@example.com'] } })
  expect(await customerOf(first?.id ?? '')).toEqual({ name: 'Ana', email: 'ana@example.com', userId })
  await third?.page.call('PATCH', '/visitor', {
    body: { page: { url: `${ORIGIN}/cart?step=2`, title: 'Your cart' } },
  })
  await eventually(async () => {
    await Bun.sleep(LOOK_EVERY_MS)
    const list = await cleo.call<{ data: { id: string; page?: object }[] }>('GET', '/console/tickets')
    const row = list.json.data.find(({ id }) => id === third?.id)
    return Bun.deepEquals(row?.page, { url: `${ORIGIN}/cart?step=2`, title: 'Your cart' })
  })
})
