import { afterAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import PostalMime from 'postal-mime'
import { messageContents } from '../../server/database/tables/messages.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { createManualClock } from '../support/clock.ts'
import { openOutgoing } from '../support/mail/outgoing.ts'
import { storedRows } from '../support/stored-rows.ts'
import { storedEvents, subscribe } from '../support/subscription.ts'
import { readThread } from '../support/threads.ts'
import { type ListJson, problemOf, type TicketJson } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

// Agents write first, and forward what a customer wrote.

const outgoing = await openOutgoing()
afterAll(() => outgoing[Symbol.asyncDispose]())
const { ben, acme, smtp, bellhop } = outgoing
const { deps } = bellhop

const start = (body: object) =>
  ben.call<TicketJson>('POST', '/console/tickets', {
    body: {
      messageId: deps.newId('msg'),
      to: [{ address: 'dan@example.com' }],
      subject: 'Your order',
      text: 'Hello',
      ...body,
    },
  })

async function upload(name: string, bytes: string): Promise<string> {
  const answer = await ben.call<{ id: string }>('POST', `/v1/attachments?name=${name}`, {
    raw: bytes,
    headers: { 'content-type': 'application/octet-stream' },
  })
  expect(answer.status, answer.text).toBe(201)
  return answer.json.id
}

const mailOf = async (messageId: string) => {
  const sent = smtp.messages.find(({ raw }) => raw.includes(messageId))
  if (!sent) throw new Error('The mail server has no such message.')
  return { ...sent, mail: await PostalMime.parse(sent.raw) }
}

test('an agent opens a ticket by writing to any address', async () => {
  await subscribe(deps, acme.orgId)
  const messageId = deps.newId('msg')
  const file = await upload('offer.pdf', '%PDF-1.4')
  const body = {
    messageId,
    to: [{ name: 'Dan Silva', address: 'Dan@Example.com' }],
    cc: [{ address: 'eve@example.com' }],
    text: 'Your order is **ready**.',
    format: 'markdown',
    attachments: [file],
    status: 'pending',
    assignedTo: ben.id,
    tags: ['order'],
  }
  const made = await start(body)
  expect(made.status, made.text).toBe(201)
  const { id } = made.json
  expect(made.json).toMatchObject({
    channel: 'email',
    subject: 'Your order',
    status: 'pending',
    assignedTo: ben.id,
    tags: ['order'],
    customer: { name: 'Dan Silva', email: 'Dan@Example.com' },
  })
  const again = await start(body)
  expect([again.status, again.json.id]).toEqual([200, id])
  problemOf(await start({ ...body, text: 'Something else.' }), 409, 'message_id_taken')
  await outgoing.until(id, messageId, 'sent')
  const { to, mail } = await mailOf(messageId)
  expect(to).toEqual(['Dan@example.com', 'eve@example.com'])
  expect([mail.subject, mail.inReplyTo]).toEqual(['Your order', undefined])
  expect(mail.html).toContain('<strong>ready</strong>')
  expect(mail.attachments.map(({ filename }) => filename)).toEqual(['offer.pdf'])
  expect(smtp.messages).toHaveLength(1)
  const events = (await storedEvents(deps, acme.orgId)).filter(({ ticketId }) => ticketId === id)
  expect(events.map(({ type }) => type).slice(0, 2)).toEqual(['ticket.created', 'message.sent'])
  expect(JSON.parse(events[1]?.body ?? '{}').data.message).toMatchObject({
    role: 'agent',
    agentName: 'Ben Okafor',
  })

  // A second message goes to the same people, as an answer to the first.
  const second = await outgoing.reply(id, 'Are you coming?')
  await outgoing.until(id, second, 'sent')
  const next = await mailOf(second)
  expect(next.to).toEqual(to)
  expect([next.mail.subject, next.mail.inReplyTo]).toEqual(['Re: Your order', mail.messageId])
})

test('wrong input opens nothing', async () => {
  const before = await ben.call<{ all: number }>('GET', '/console/counts')
  const refused = async (body: object, pointer: string) => {
    expect(problemOf(await start(body), 400, 'invalid_request').errors).toMatchObject([{ pointer }])
  }
  await refused({ to: [{ address: 'support@acme.example' }] }, '/to/0/address')
  await refused({ to: [] }, '/to')
  await refused({ text: ' ' }, '/text')
  await refused({ assignedTo: 'agt_00000000000000000000000000' }, '/assignedTo')
  await refused({ mailboxId: 'mbx_00000000000000000000000000' }, '/mailboxId')
  await refused({ attachments: ['att_00000000000000000000000000'] }, '/attachments/0')
  await using unconnected = await openOutgoing({ isConnected: false })
  const body = { messageId: deps.newId('msg'), to: [{ address: 'dan@example.com' }], subject: 'x', text: 'x' }
  problemOf(await unconnected.ben.call('POST', '/console/tickets', { body }), 409, 'no_transport')
  expect((await ben.call('GET', '/console/counts')).json).toEqual(before.json)
})

test('a message is forwarded with its files to someone outside, and the customer learns nothing', async () => {
  const ticketId = await outgoing.ticket({ text: 'My parcel is broken.' })
  const file = await upload('photo.txt', 'a photo')
  const withFile = await outgoing.put(ticketId, { text: 'Look.', attachments: [file] })
  await outgoing.until(ticketId, withFile, 'sent')
  const id = deps.newId('msg')
  const forward = (body: object, messageId = withFile) =>
    ben.call('POST', `/console/tickets/${ticketId}/messages/${messageId}/forward`, { body })
  const body = { id, to: [{ address: 'desk@carrier.example' }], text: 'Can you check?' }
  const answers = [await forward(body), await forward(body)]
  expect(answers.map(({ status }) => status)).toEqual([201, 200])
  const shown = await outgoing.until(ticketId, id, 'sent')
  expect(shown).toMatchObject({ role: 'agent', text: 'Can you check?', agentName: 'Ben Okafor' })
  const { to, mail } = await mailOf(id)
  expect(to).toEqual(['desk@carrier.example'])
  expect(mail.subject).toBe('Fwd: My parcel')
  expect(mail.inReplyTo).toBeUndefined()
  expect(mail.attachments.map(({ filename }) => filename)).toEqual(['photo.txt'])
  expect(mail.text).toStartWith('Can you check?\n\n---------- Forwarded message ----------\nFrom: ')
  expect(mail.text).toContain('Look.')
  expect(mail.text).not.toContain('My parcel is broken')
  const [content] = await deps.database.read
    .select()
    .from(messageContents)
    .where(eq(messageContents.messageId, id))
  expect(content?.quoted).toContain('Look.')

  // The next reply is for the customer, as if nothing had been forwarded.
  const { reply } = await readThread(ben, ticketId)
  expect(reply.recipients?.to.map(({ address }) => address)).toEqual(['ana@example.com'])
  // A forward can be forwarded, with what it passed on.
  const further = { id: deps.newId('msg'), to: [{ address: 'boss@carrier.example' }], text: '' }
  expect((await forward(further, id)).status).toBe(201)
  await outgoing.until(ticketId, further.id, 'sent')
  const { mail: again } = await mailOf(further.id)
  expect(again.text).toMatch(
    /^-+ Forwarded message -+\nFrom: Ben Okafor .+Can you check\?\n\n-+ Forwarded.+Look\.\n$/s,
  )
  expect(again.html).toMatch(/Can you check\?.+Look\./s)
  expect(again.attachments.map(({ filename }) => filename)).toEqual(['photo.txt'])
  const { json: list } = await ben.call<ListJson>('GET', '/console/tickets')
  const row = list.data.find((ticket) => ticket.id === ticketId)
  expect(row).toMatchObject({ preview: { role: 'agent', text: 'Forwarded to boss@carrier.example' } })
  problemOf(await forward({ ...body, id: deps.newId('msg') }, deps.newId('msg')), 404, 'not_found')
  problemOf(await forward({ ...body, id: deps.newId('msg'), to: [{ address: 'x' }] }), 400, 'invalid_request')
})

test('a subject that was pasted with line breaks is one line, and one of nothing else is refused', async () => {
  const messageId = deps.newId('msg')
  const to = [{ address: 'one-line@example.com' }]
  const { json } = await start({ messageId, to, subject: ' Your\r\nBcc: eve@example.com\u0085\u0007order\t' })
  const ticket = (await acme.call<TicketJson>('GET', `/tickets/${json.id}`)).json
  expect(ticket.subject).toBe('Your Bcc: eve@example.com order')
  const refused = await start({ subject: '\r\n\u0007' })
  expect(refused.json).toMatchObject({ status: 400, errors: [{ pointer: '/subject', code: 'blank' }] })
  // The next test compares all rows, and sending the message changes some.
  await outgoing.until(json.id, messageId, 'sent')
})

test('of a new ticket that is undone, no row of any table remains', async () => {
  const before = await storedRows(deps)
  const messageId = deps.newId('msg')
  const to = [{ name: 'Nobody Yet', address: 'nobody-yet@example.com' }]
  expect((await start({ messageId, to, tags: ['never'], canUndo: true })).status).toBe(202)
  expect(await storedRows(deps)).not.toEqual(before)
  expect((await ben.call('DELETE', `/console/new-tickets/${messageId}`)).status).toBe(204)
  expect(await storedRows(deps)).toEqual(before)
})

test('a ticket that can be undone is opened once, when its time is over', async () => {
  type Waiting = { messageId: string; sendAt: string; attachments?: { id: string }[] }
  const waiting = async () => (await ben.call<{ data: Waiting[] }>('GET', '/console/new-tickets')).json.data
  await ben.call('PATCH', '/console/organization', { body: { undoEmailSeconds: 1 } })
  const opened = async () =>
    (await storedEvents(deps, acme.orgId)).filter(({ type }) => type === 'ticket.created').length
  const before = await opened()
  const file = await upload('offer.pdf', '%PDF-1.4')
  const to = [{ address: 'undone@example.com' }]
  const body = { messageId: deps.newId('msg'), to, attachments: [file], tags: ['order'], canUndo: true }
  expect((await start(body)).status).toBe(202)
  expect((await start(body)).status).toBe(202)
  expect(await waiting()).toMatchObject([
    {
      messageId: body.messageId,
      subject: 'Your order',
      text: 'Hello',
      tags: ['order'],
      attachments: [{ id: file }],
    },
  ])
  expect(await opened()).toBe(before)
  expect((await ben.call('DELETE', `/console/new-tickets/${body.messageId}`)).status).toBe(204)
  expect(await waiting()).toEqual([])

  // Its files are uploads again. Under a new id, it is sent.
  const again = { ...body, messageId: deps.newId('msg') }
  expect((await start(again)).status).toBe(202)
  await eventually(async () => {
    await Bun.sleep(50)
    return (await waiting()).length === 0
  })
  const made = await start(again)
  expect(made.status, made.text).toBe(200)
  expect(made.json).toMatchObject({
    subject: 'Your order',
    tags: ['order'],
    customer: { email: 'undone@example.com' },
  })
  const { timeline } = await readThread(ben, made.json.id)
  expect(timeline).toMatchObject([{ id: again.messageId, attachments: [{ id: file }] }])
  problemOf(await ben.call('DELETE', `/console/new-tickets/${again.messageId}`), 409, 'already_sent')
  await ben.call('PATCH', '/console/organization', { body: { undoEmailSeconds: 10 } })
})

test('a new ticket for later is in Scheduled of its author, and nowhere else, until its time', async () => {
  const HOUR_MS = 3_600_000
  const clock = createManualClock()
  await using outgoing = await openOutgoing({ clock })
  const { ben, acme, bellhop } = outgoing
  const ana = await signInAgent(bellhop, acme.orgId, { name: 'Ana Lima' })
  const at = (ms: number) => new Date(clock.now() + ms).toISOString()
  const body = {
    messageId: bellhop.deps.newId('msg'),
    to: [{ name: 'Dan Silva', address: 'dan@example.com' }],
    subject: 'Your order',
    text: 'Good morning.',
    canUndo: true,
  }
  const start = (more: object) =>
    ben.call<TicketJson>('POST', '/console/tickets', { body: { ...body, ...more } })
  const scheduledOf = async (agent: SignedInAgent) => {
    const { views } = (await agent.call<{ views: { scheduled: number } }>('GET', '/console/counts')).json
    return views.scheduled
  }
  const waiting = async () => (await ben.call<{ data: object[] }>('GET', '/console/new-tickets')).json.data
  problemOf(await start({ sendAt: at(31 * 24 * HOUR_MS) }), 400, 'invalid_request')
  const later = { sendAt: at(2 * HOUR_MS) }
  expect((await start(later)).status).toBe(202)
  expect((await start(later)).status).toBe(202)
  problemOf(await start({ sendAt: at(3 * HOUR_MS) }), 409, 'message_id_taken')
  expect(await waiting()).toMatchObject([{ messageId: body.messageId, isLater: true, ...later }])
  expect([await scheduledOf(ben), await scheduledOf(ana)]).toEqual([1, 0])
  expect((await acme.call<ListJson>('GET', '/tickets')).json.data).toEqual([])
  clock.advance(2 * HOUR_MS)
  await eventually(async () => (await waiting()).length === 0)
  const [ticket] = (await acme.call<ListJson>('GET', '/tickets')).json.data
  expect(ticket).toMatchObject({ subject: 'Your order', customer: { name: 'Dan Silva' } })
  expect(await scheduledOf(ben)).toBe(0)
})

test('a customer who is deleted loses the tickets to them that are not open yet', async () => {
  const admin = await signInAgent(bellhop, acme.orgId, { role: 'admin', name: 'Root' })
  const { json } = await start({ to: [{ address: 'gone@example.com' }] })
  const [file, sendAt] = [
    await upload('late.txt', 'Late words'),
    new Date(ben.now() + 3_600_000).toISOString(),
  ]
  const later = (messageId: string, address: string, more: object) =>
    start({ messageId, to: [{ address }], text: 'Late words', sendAt, ...more })
  const [theirs, other] = [deps.newId('msg'), deps.newId('msg')]
  await later(theirs, 'Gone@Example.com', { attachments: [file] })
  await later(other, 'stays@example.com', { cc: [{ address: 'eve@example.com' }] })
  const gone = await admin.call('DELETE', `/console/customers/${json.customer.userId}`)
  expect(gone.status, gone.text).toBe(200)
  const { scheduled_messages: waiting = [], attachments = [] } = await storedRows(deps)
  expect(waiting.filter((row) => row.includes(theirs))).toEqual([])
  expect(attachments.filter((row) => row.includes(file))).toEqual([])
  expect(waiting.filter((row) => row.includes(other))).toHaveLength(1)
})
