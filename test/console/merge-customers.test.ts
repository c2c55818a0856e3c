import { afterAll, expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import { customerEmails, customerIdentities, customers } from '../../server/database/tables/customers.ts'
import { messages } from '../../server/database/tables/messages.ts'
import { tickets } from '../../server/database/tables/tickets.ts'
import { visitors } from '../../server/database/tables/widgets.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { openLedger } from '../support/mail/fetched-mail.ts'
import { mailOf } from '../support/mail/mail-parser.ts'
import { indexed } from '../support/search.ts'
import { readThread } from '../support/threads.ts'
import { makeTicket } from '../support/tickets.ts'
import { openWidget } from '../support/visitors.ts'

const DAY_MS = 86_400_000
const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

interface Customer {
  id: string
  name: string
  emails: string[]
  totalTickets: number
  merges: { id: string; name: string }[]
}

async function openShop(server = bellhop) {
  const shop = await server.organization()
  const ben = await signInAgent(server, shop.orgId, { role: 'admin' })
  const made = async (body: object) => (await ben.call<Customer>('POST', '/console/customers', { body })).json
  const read = async (id: string) => (await ben.call<Customer>('GET', `/console/customers/${id}`)).json
  const merge = (from: string, into: string) =>
    ben.call<{ id: string }>('POST', `/console/customers/${into}/merge`, { body: { from } })
  const undo = (id: string) => ben.call('POST', `/console/moves/${id}/undo`)
  const customerOf = async (ticketId: string) => (await readThread(ben, ticketId)).ticket.customer
  const found = async (path: string) => {
    await indexed(bellhop)
    return (await ben.call<{ data: { id: string }[] }>('GET', path)).json.data.map(({ id }) => id)
  }
  return { shop, ben, made, read, merge, undo, customerOf, found }
}

/** What a merge may change, without versions and times of changes. */
async function rowsOf(orgId: string) {
  const { read } = bellhop.deps.database
  const inOrder = <Row extends object>(rows: Row[]) =>
    rows.map((row) => JSON.stringify({ ...row, version: 0, updatedAt: 0, reindexAfter: null })).sort()
  return {
    customers: inOrder(await read.select().from(customers).where(eq(customers.orgId, orgId))),
    emails: inOrder(await read.select().from(customerEmails).where(eq(customerEmails.orgId, orgId))),
    identities: inOrder(
      await read.select().from(customerIdentities).where(eq(customerIdentities.orgId, orgId)),
    ),
    visitors: inOrder(await read.select().from(visitors).where(eq(visitors.orgId, orgId))),
    tickets: inOrder(await read.select().from(tickets).where(eq(tickets.orgId, orgId))),
    messages: inOrder(await read.select().from(messages).where(eq(messages.orgId, orgId))),
  }
}

test('a customer who writes from two addresses and the website becomes one, and is two again after Undo', async () => {
  const { shop, ben, made, read, merge, undo, customerOf, found } = await openShop()
  const ledger = await openLedger(bellhop, shop.orgId, 'help@acme.example')
  const into = await made({ name: 'Ana Pires', emails: ['ana@example.com'], note: 'Likes tea.' })
  const from = await made({
    name: 'A. Pires',
    emails: ['ana@work.example', 'pires@work.example'],
    company: 'Globex',
    note: 'Pays late.',
  })
  const byApi = await makeTicket(shop, { customer: { email: 'ana@example.com' } })
  const mail = await ledger.fetched(
    mailOf(
      'From: ana@work.example',
      'To: help@acme.example',
      'Subject: Hi',
      'Message-ID: <w1@work.example>',
      '',
      'Hi',
    ),
  )
  const byMail = mail.ticketId ?? ''
  // Someone else's ticket in which the other one took part.
  const opened = await ledger.fetched(
    mailOf(
      'From: ana@example.com',
      'To: help@acme.example',
      'Cc: ana@work.example',
      'Subject: Both',
      'Message-ID: <b1@example.com>',
      '',
      'Both',
    ),
  )
  await ledger.fetched(
    mailOf(
      'From: A. Pires <ana@work.example>',
      'To: help@acme.example',
      'Subject: Re: Both',
      'In-Reply-To: <b1@example.com>',
      'Message-ID: <b2@work.example>',
      '',
      'Me too',
    ),
  )
  const authorsOf = async (id: string) =>
    (await readThread(ben, id)).timeline.flatMap(({ kind, author }) => (kind === 'message' ? [author] : []))
  expect(await authorsOf(opened.ticketId ?? '')).toEqual([undefined, 'participant'])
  const widget = await openWidget(bellhop, shop.orgId)
  const visitor = await widget.visit()
  const { conversation } = await visitor.say('Hello from the shop')
  const visitorId = (await customerOf(conversation.id)).userId
  const before = await rowsOf(shop.orgId)

  const mails = await merge(from.id, into.id)
  expect(mails, mails.text).toMatchObject({
    status: 200,
    json: { kind: 'customer', from: from.id, into: into.id },
  })
  const chats = await merge(visitorId, into.id)
  expect(chats.status, chats.text).toBe(200)
  const merged = await read(into.id)
  expect(merged).toMatchObject({
    name: 'Ana Pires',
    emails: ['ana@example.com', 'ana@work.example', 'pires@work.example'],
    company: 'Globex',
    note: 'Likes tea.\n\nPays late.',
    totalTickets: 4,
    merges: [{ id: chats.json.id }, { id: mails.json.id, name: 'A. Pires' }],
  })
  expect(await read(from.id)).toEqual(merged)
  for (const id of [byMail, conversation.id]) expect((await customerOf(id)).userId).toBe(into.id)
  expect(await authorsOf(opened.ticketId ?? '')).toEqual([undefined, undefined])
  expect((await found('/console/customers?q=pires')).toSorted()).toEqual([into.id])
  expect((await found('/console/tickets?q=from:pires@work.example')).toSorted()).toEqual(
    [byApi.id, byMail, opened.ticketId ?? '', conversation.id].sort(),
  )

  // What comes later reaches the one who stays, by any address and in the chat, and stays with them after Undo.
  const later = await makeTicket(shop, { customer: { email: 'pires@work.example' } })
  expect((await customerOf(later.id)).userId).toBe(into.id)
  await bellhop.deps.database.write(shop.orgId, async (tx) => {
    // As if it had not been: the rows are compared below.
    await tx.delete(messages).where(and(eq(messages.orgId, shop.orgId), eq(messages.ticketId, later.id)))
    await tx.delete(tickets).where(and(eq(tickets.orgId, shop.orgId), eq(tickets.id, later.id)))
  })

  expect((await undo(mails.json.id)).status).toBe(200)
  expect((await undo(chats.json.id)).status).toBe(200)
  expect(await rowsOf(shop.orgId)).toEqual(before)
  expect(await found('/console/tickets?q=from:pires@work.example')).toEqual([byMail])
  expect((await found('/console/customers?q=pires')).toSorted()).toEqual([into.id, from.id].sort())
  expect(await undo(mails.json.id)).toMatchObject({ status: 409, json: { code: 'already_undone' } })
  expect((await makeTicket(shop, { customer: { email: 'pires@work.example' } })).customer).toMatchObject({
    name: 'A. Pires',
  })
})

test('what was changed since a merge stays after Undo, and merges of merges are undone in any order', async () => {
  const { shop, ben, made, read, merge, undo, customerOf } = await openShop()
  const [one, two, three] = [
    await made({ name: 'One', emails: ['one@x.example'], phone: '1' }),
    await made({ name: 'Two', emails: ['two@x.example'] }),
    await made({ name: 'Three', emails: ['three@x.example'] }),
  ]
  const ticket = await makeTicket(shop, { customer: { email: 'one@x.example' } })
  const first = await merge(one.id, two.id)
  const second = await merge(two.id, three.id)
  expect((await customerOf(ticket.id)).userId).toBe(three.id)
  await ben.call('PATCH', `/console/customers/${three.id}`, {
    body: { phone: '3', emails: ['one@x.example', 'three@x.example', 'two@x.example'] },
  })
  await undo(first.json.id)
  expect(await read(one.id)).toMatchObject({
    id: one.id,
    emails: ['one@x.example'],
    phone: '1',
    totalTickets: 1,
  })
  expect(await read(three.id)).toMatchObject({ emails: ['three@x.example', 'two@x.example'], phone: '3' })
  await undo(second.json.id)
  expect(await read(two.id)).toMatchObject({ id: two.id, emails: ['two@x.example'] })
  expect(await read(three.id)).toMatchObject({ emails: ['three@x.example'], phone: '3' })
})

test('a merge is undone for 30 days', async () => {
  const clock = createManualClock()
  const server = await startBellhop({ clock })
  const { shop, made, merge } = await openShop(server)
  const [one, two] = [await made({ name: 'One' }), await made({ name: 'Two' })]
  const { json } = await merge(one.id, two.id)
  clock.advance(30 * DAY_MS + 1)
  const cy = await signInAgent(server, shop.orgId)
  expect((await cy.call<Customer>('GET', `/console/customers/${two.id}`)).json.merges).toEqual([])
  const late = await cy.call('POST', `/console/moves/${json.id}/undo`)
  expect(late).toMatchObject({ status: 409, json: { code: 'undo_expired' } })
  await server.stop()
})

test('a customer isn’t merged with themselves, nobody, or someone of another organization', async () => {
  const { made, merge } = await openShop()
  const [one, two] = [await made({ name: 'One' }), await made({ name: 'Two' })]
  const elsewhere = await (await openShop()).made({ name: 'Elsewhere' })
  expect((await merge(one.id, one.id)).status).toBe(400)
  expect((await merge(elsewhere.id, one.id)).status).toBe(404)
  expect((await merge('usr_nobody', one.id)).status).toBe(404)
  expect((await merge(one.id, two.id)).status).toBe(200)
  expect((await merge(one.id, two.id)).status).toBe(404)
})

test('erasing a customer erases those who were merged into them', async () => {
  const { shop, ben, made, merge, found } = await openShop()
  const one = await made({ name: 'Quentin Vanish', emails: ['quentin@vanish.example'], note: 'Secret' })
  const two = await made({ name: 'Two' })
  await makeTicket(shop, { customer: { email: 'quentin@vanish.example' } })
  await merge(one.id, two.id)
  await indexed(bellhop)
  const erased = await ben.call('DELETE', `/console/customers/${two.id}`)
  expect(erased).toMatchObject({ status: 200, json: { deletedTickets: 1 } })
  expect(await found('/console/customers?q=vanish')).toEqual([])
  const rows = JSON.stringify(await rowsOf(shop.orgId))
  for (const word of ['Quentin', 'quentin@', 'Secret']) expect(rows).not.toContain(word)
  expect((await ben.call('GET', `/console/customers/${one.id}`)).status).toBe(404)
})

test('a program merges customers and undoes it', async () => {
  const { shop, made, read } = await openShop()
  const [one, two] = [await made({ name: 'One' }), await made({ name: 'Two', emails: ['two@p.example'] })]
  const merged = await shop.call<{ id: string }>('POST', `/customers/${one.id}/merge`, {
    body: { from: two.id },
  })
  expect(merged, merged.text).toMatchObject({ status: 200, json: { from: two.id, into: one.id } })
  expect((await read(one.id)).emails).toEqual(['two@p.example'])
  expect((await shop.call('POST', `/moves/${merged.json.id}/undo`)).status).toBe(200)
  expect((await read(one.id)).emails).toEqual([])
})
