import { afterAll, expect, test } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { openLedger } from '../support/mail/fetched-mail.ts'
import { indexed } from '../support/search.ts'
import { readThread } from '../support/threads.ts'
import { makeTicket } from '../support/tickets.ts'
import { openWidget } from '../support/visitors.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const ben = await signInAgent(bellhop, acme.orgId, { name: 'Ben Okafor' })
const ledger = await openLedger(bellhop, acme.orgId, 'support@acme.example')

function mail(from: string, subject: string, ...headers: string[]): string {
  return [
    `From: ${from}`,
    'To: support@acme.example',
    `Subject: ${subject}`,
    ...headers,
    '',
    `Written by ${from}`,
  ].join('\r\n')
}

/** A mail that a colleague of the customer joined. */
async function openConversation(): Promise<string> {
  const id = crypto.randomUUID()
  const first = await ledger.fetched(
    mail('Ana Pires <ana@customer.test>', id, `Message-ID: <${id}@customer.test>`, 'Cc: cy@customer.test'),
  )
  await ledger.fetched(
    mail(
      'Cy Ortega <cy@customer.test>',
      id,
      `In-Reply-To: <${id}@customer.test>`,
      `Message-ID: <re.${id}@customer.test>`,
    ),
  )
  return first.ticketId ?? ''
}

async function authors(ticketId: string): Promise<(string | undefined)[][]> {
  const { timeline } = await readThread(ben, ticketId)
  return timeline.flatMap(({ kind, author, authorName }) =>
    kind === 'message' ? [[author, authorName]] : [],
  )
}

function change(ticketId: string, body: Record<string, unknown>) {
  return ben.call<Record<string, unknown>>('POST', `/console/tickets/${ticketId}/customer`, { body })
}

test('a participant becomes the customer, and the former customer a participant', async () => {
  const ticketId = await openConversation()
  expect(await authors(ticketId)).toEqual([
    [undefined, undefined],
    ['participant', 'Cy Ortega'],
  ])
  const before = await readThread(ben, ticketId)
  const changed = await change(ticketId, { email: 'cy@customer.test', name: 'Cy Ortega' })
  expect(changed.status, changed.text).toBe(200)
  expect(changed.json).toMatchObject({ customer: { name: 'Cy Ortega' }, version: before.ticket.version + 1 })
  expect(await authors(ticketId)).toEqual([
    ['participant', 'Ana Pires'],
    [undefined, undefined],
  ])
  const { timeline } = await readThread(ben, ticketId)
  expect(timeline.at(-1)).toMatchObject({
    actor: { name: 'Ben Okafor' },
    changes: [{ field: 'customer', from: 'Ana Pires', to: 'Cy Ortega' }],
  })
  const { json } = await acme.call<{ customer: object }>('GET', `/tickets/${ticketId}`)
  expect(json.customer).toMatchObject({ name: 'Cy Ortega', email: 'cy@customer.test' })

  expect((await change(ticketId, { email: 'ANA@customer.test' })).status).toBe(200)
  expect(await authors(ticketId)).toEqual([
    [undefined, undefined],
    ['participant', 'Cy Ortega'],
  ])
})

test('the ticket is found by its new customer', async () => {
  const ticketId = await openConversation()
  await change(ticketId, { email: 'zoe@zebra.test', name: 'Zoe Zebra' })
  await indexed(bellhop)
  const found = await ben.call<{ data: { id: string }[] }>('GET', '/console/tickets?q=from:zebra')
  expect(found.json.data.map(({ id }) => id)).toEqual([ticketId])
})

test('choosing the same customer again changes nothing, and a name in a mail renames no one', async () => {
  const ticketId = await openConversation()
  const before = await readThread(ben, ticketId)
  const again = await change(ticketId, { email: 'ana@customer.test', name: 'Somebody Else' })
  expect(again.json).toEqual({ ...before.ticket })
})

test('an API ticket can get another customer and the first one back', async () => {
  const { id } = await makeTicket(acme, { customer: { name: 'Web Form', email: 'form@customer.test' } })
  await change(id, { email: 'dana@customer.test', name: 'Dana' })
  expect(await authors(id)).toEqual([['participant', 'Web Form']])
  await change(id, { email: 'form@customer.test' })
  expect(await authors(id)).toEqual([[undefined, undefined]])
})

test('one of our own mailboxes and an invalid address are refused', async () => {
  const ticketId = await openConversation()
  for (const [email, code] of [
    ['Support+x@acme.example', 'own_address'],
    ['ana', 'invalid_address'],
  ]) {
    const refused = await change(ticketId, { email })
    expect([refused.status, refused.json.errors]).toMatchObject([400, [{ pointer: '/email', code }]])
  }
  expect((await change('tkt_00000000000000000000000000', { email: 'a@b.test' })).status).toBe(404)
})

test('an agent adds the address that a customer without one has given them', async () => {
  const known = `known.${crypto.randomUUID()}@example.com`
  await makeTicket(acme, { customer: { email: known } })
  const widget = await openWidget(bellhop, acme.orgId)
  const { conversation } = await (await widget.visit()).say('My address is zoe@example.com')
  const customer = async () => (await readThread(ben, conversation.id)).ticket.customer
  const { userId } = await customer()
  const add = (email: string, id = userId) =>
    ben.call('PATCH', `/console/customers/${id}`, { body: { emails: [email] } })

  expect(await add('nonsense')).toMatchObject({ status: 400 })
  expect(await add('support@acme.example')).toMatchObject({ status: 400 })
  expect(await add(known.toUpperCase())).toMatchObject({ status: 409, json: { code: 'email_taken' } })
  expect(await customer()).not.toHaveProperty('email')
  const added = await add(' Zoe@example.com ')
  expect(added).toMatchObject({ status: 200, json: { id: userId, email: 'Zoe@example.com' } })
  expect(await customer()).toMatchObject({ userId, email: 'Zoe@example.com' })

  const elsewhere = await signInAgent(bellhop, (await bellhop.organization()).orgId)
  const body = { emails: ['x@example.com'] }
  expect((await elsewhere.call('PATCH', `/console/customers/${userId}`, { body })).status).toBe(404)
  expect((await add('x@example.com', 'usr_nobody')).status).toBe(404)
})
