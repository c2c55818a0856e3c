import { afterAll, expect, test } from 'bun:test'
import { and, asc, eq, gt } from 'drizzle-orm'
import { events } from '../../server/database/tables/events.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { openLedger } from '../support/mail/fetched-mail.ts'
import { mailOf } from '../support/mail/mail-parser.ts'
import { makeTicket } from '../support/tickets.ts'
import { openWidget } from '../support/visitors.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

interface Customer {
  id: string
}

async function openShop() {
  const shop = await bellhop.organization()
  const ben = await signInAgent(bellhop, shop.orgId, { role: 'admin' })
  let read = 0
  /** What the log says of customers since the last call. */
  const news = async () => {
    const rows = await bellhop.deps.database.read
      .select()
      .from(events)
      .where(and(eq(events.orgId, shop.orgId), gt(events.number, read)))
      .orderBy(asc(events.number))
    read = rows.at(-1)?.number ?? read
    return rows
      .filter(({ type }) => type.startsWith('customer.'))
      .map(({ type, customerId, ticketId, changes }) => {
        expect(ticketId).toBe('')
        return [type, customerId, ...(changes?.into ? [changes.into] : [])]
      })
  }
  const made = async (body: object) =>
    (await ben.call<Customer>('POST', '/console/customers', { body })).json.id
  return { shop, ben, news, made }
}

test('a customer who changes is in the log once, and not when nothing has changed', async () => {
  const { shop, ben, news, made } = await openShop()
  const ana = await made({ name: 'Ana', emails: ['ana@example.com'] })
  expect(await news()).toEqual([['customer.updated', ana]])
  const edit = (body: object) => ben.call('PATCH', `/console/customers/${ana}`, { body })
  for (const body of [{}, { name: 'Ana', company: '' }, { emails: ['ana@example.com'] }]) await edit(body)
  expect(await news()).toEqual([])
  await edit({ emails: ['ana@example.com', 'pires@example.com'], note: 'Likes tea.' })
  expect(await news()).toEqual([['customer.updated', ana]])

  const customer = (name?: string) => ({ customer: { email: 'Pires@example.com', ...(name && { name }) } })
  await makeTicket(shop, customer())
  await makeTicket(shop, customer('Ana'))
  expect(await news()).toEqual([])
  await makeTicket(shop, customer('Ana Pires'))
  expect(await news()).toEqual([['customer.updated', ana]])
})

test('a name in a mail changes a customer whose name was a guess, and no other', async () => {
  const { shop, news } = await openShop()
  const ledger = await openLedger(bellhop, shop.orgId, 'help@acme.example')
  const write = (name: string) =>
    ledger.fetched(
      mailOf(`From: ${name} <eva@example.com>`, 'To: help@acme.example', 'Subject: Hi', '', 'Hello'),
    )
  await makeTicket(shop, { customer: { email: 'eva@example.com' } })
  expect(await news()).toEqual([])
  await write('Eva Lind')
  expect(await news()).toEqual([['customer.updated', expect.stringMatching(/^usr_/)]])
  await write('Someone else')
  expect(await news()).toEqual([])
})

test('a visitor who tells their name changes the customer that their message made', async () => {
  const { shop, news } = await openShop()
  const widget = await openWidget(bellhop, shop.orgId)
  const visitor = await widget.visit()
  await visitor.say('Hello')
  expect(await news()).toEqual([])
  await visitor.call('PATCH', '/visitor', { body: { name: 'Mia' } })
  expect(await news()).toEqual([['customer.updated', expect.stringMatching(/^usr_/)]])
})

test('a merge, its undoing and a deletion name the customers', async () => {
  const { ben, news, made } = await openShop()
  const [from, into] = [
    await made({ name: 'A. Pires', emails: ['a@example.com'] }),
    await made({ name: 'Ana' }),
  ]
  await news()
  const path = `/console/customers/${into}/merge`
  const { json } = await ben.call<{ id: string }>('POST', path, { body: { from } })
  expect(await news()).toEqual([
    ['customer.merged', from, into],
    ['customer.updated', into],
  ])
  await ben.call('POST', `/console/moves/${json.id}/undo`)
  expect(await news()).toEqual([
    ['customer.updated', from],
    ['customer.updated', into],
  ])
  await ben.call('DELETE', `/console/customers/${from}`)
  expect(await news()).toEqual([['customer.deleted', from]])
})
