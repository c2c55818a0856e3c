import { afterAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { tickets } from '../../server/database/tables/tickets.ts'
import { startBellhop } from '../support/bellhop.ts'
import { openLedger } from '../support/mail/fetched-mail.ts'
import { mergeTickets, undoMove } from '../support/moves.ts'
import { problemOf, readTicket } from '../support/tickets.ts'
import { openWidget } from '../support/visitors.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const ledger = await openLedger(bellhop, acme.orgId, 'support@acme.example')
const widget = await openWidget(bellhop, acme.orgId)

const merge = (into: string, from: string) => mergeTickets(acme, into, from)

/** As merging two customers does. */
async function makeOneCustomer([customerId = '', other = '']: string[]): Promise<void> {
  await bellhop.deps.database.write(acme.orgId, async (tx) => {
    await tx.update(tickets).set({ customerId }).where(eq(tickets.customerId, other))
  })
}

type Page = Awaited<ReturnType<typeof widget.visit>>

const textsOn = async (page: Page, conversation: string) =>
  (await page.messages(conversation)).messages.map(({ text }) => text)

const textsIn = async (id: string) => (await readTicket(acme, id)).messages.map(({ text }) => text)

test('chats of one visitor become one on their page, and two again', async () => {
  const page = await widget.visit()
  const one = (await page.say('One')).conversation.id
  const two = (await page.say('Two')).conversation.id
  await acme.call('POST', `/tickets/${two}/messages`, { body: { text: 'An answer' } })
  const merged = await merge(one, two)
  expect(merged.status, merged.text).toBe(200)
  expect((await page.conversations()).data.map(({ id }) => id)).toEqual([one])
  expect(await textsOn(page, one)).toEqual(['One', 'Two', 'An answer'])
  const sent = await page.say('To the old one', two)
  expect([sent.conversation.id, sent.message.conversationId]).toEqual([one, one])
  expect((await undoMove(acme, merged.json.id)).status).toBe(200)
  expect(await textsOn(page, two)).toEqual(['Two', 'An answer'])
  expect(await textsOn(page, one)).toEqual(['One', 'To the old one'])
})

test('a chat that continues by email shows its visitor nothing of the emails', async () => {
  const page = await widget.visit({ email: 'eve@x.test' })
  const chat = (await page.say('From the page')).conversation.id
  const raw = [
    'From: eve@x.test',
    'To: support@acme.example',
    'Subject: Mail',
    'Message-ID: <1@x.test>',
    '',
    'A secret',
  ]
  const mail = (await ledger.fetched(raw.join('\r\n'))).ticketId ?? ''
  problemOf(await merge(mail, chat), 409, 'cannot_merge')
  const customers = [
    (await readTicket(acme, mail)).customer.userId,
    (await readTicket(acme, chat)).customer.userId,
  ]
  await makeOneCustomer(customers)
  const merged = await merge(mail, chat)
  expect(merged.status, merged.text).toBe(200)
  expect((await textsIn(mail)).sort()).toEqual(['A secret', 'From the page'])
  expect(await textsOn(page, chat)).toEqual(['From the page'])
  const sent = await page.say('And more', chat)
  expect(sent.conversation.id).toBe(chat)
  expect(await textsOn(page, chat)).toEqual(['From the page', 'And more'])
  expect((await textsIn(mail)).sort()).toEqual(['A secret', 'And more', 'From the page'])
  const answer = await acme.call('POST', `/tickets/${mail}/messages`, { body: { text: 'By email' } })
  expect(answer.status).toBe(201)
  expect(await textsOn(page, chat)).toEqual(['From the page', 'And more'])
  expect((await undoMove(acme, merged.json.id)).status).toBe(200)
  expect(await textsIn(chat)).toEqual(['From the page'])
})

test('chats of two browsers of one customer stay apart', async () => {
  const [one, other] = [await widget.visit(), await widget.visit()]
  const [first, second] = [(await one.say('One')).conversation.id, (await other.say('Two')).conversation.id]
  await makeOneCustomer([
    (await readTicket(acme, first)).customer.userId,
    (await readTicket(acme, second)).customer.userId,
  ])
  const { detail } = problemOf(await merge(first, second), 409, 'cannot_merge')
  expect(detail).toContain('different browsers')
})
