import { afterAll, describe, expect, test } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { openLedger } from '../support/mail/fetched-mail.ts'
import { mailOf } from '../support/mail/mail-parser.ts'
import { indexed } from '../support/search.ts'
import { readThread } from '../support/threads.ts'
import { makeTicket } from '../support/tickets.ts'
import { openWidget } from '../support/visitors.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const ben = await signInAgent(bellhop, acme.orgId)

interface Customer {
  id: string
  name: string
  email?: string
  emails: string[]
  company: string
  tickets: { id: string }[]
}

function newCustomer(body: object) {
  return ben.call<Customer>('POST', '/console/customers', { body })
}

function edit(id: string, body: object) {
  return ben.call<Customer>('PATCH', `/console/customers/${id}`, { body })
}

async function found(q: string): Promise<string[]> {
  await indexed(bellhop)
  const query = new URLSearchParams({ q })
  const { json } = await ben.call<{ data: Customer[] }>('GET', `/console/customers?${query}`)
  return json.data.map(({ name }) => name)
}

async function ticketsFound(q: string): Promise<string[]> {
  await indexed(bellhop)
  const query = new URLSearchParams({ q })
  const { json } = await ben.call<{ data: Customer[] }>('GET', `/console/tickets?${query}`)
  return json.data.map(({ id }) => id)
}

describe('the list of customers', () => {
  test('has the newest first, in pages that leave no one out', async () => {
    const shop = await bellhop.organization()
    const ana = await signInAgent(bellhop, shop.orgId)
    for (let each = 0; each < 120; each += 1) {
      await ana.call('POST', '/console/customers', { body: { name: `Customer ${each}` } })
    }
    for (const [q, limit] of [
      ['', ''],
      ['cust', ''],
      ['', '7'],
      ['cust', '7'],
    ] as const) {
      await indexed(bellhop)
      const names: string[] = []
      let cursor: string | undefined
      do {
        const query = new URLSearchParams({
          q,
          ...(limit && { limit }),
          ...(cursor !== undefined && { cursor }),
        })
        const { json } = await ana.call<{ data: Customer[]; nextCursor?: string }>(
          'GET',
          `/console/customers?${query}`,
        )
        names.push(...json.data.map(({ name }) => name))
        expect(json.data.length).toBeLessThanOrEqual(Number(limit || 50))
        cursor = json.nextCursor
      } while (cursor !== undefined)
      expect(names).toEqual(Array.from({ length: 120 }, (_, each) => `Customer ${119 - each}`))
    }
    expect((await ana.call('GET', '/console/customers?cursor=1.5')).status).toBe(400)
    expect((await ana.call('GET', '/console/customers?q=a&cursor=x')).status).toBe(400)
  })

  test('finds them by name, address, company and phone number, and no one of another organization', async () => {
    const made = await newCustomer({
      name: 'Zoë Quimby',
      emails: ['zoe@quimby.example', 'z.quimby@private.example'],
      company: 'Globex Corporation',
      phone: '+1 555 0134',
    })
    expect(made).toMatchObject({ status: 201, json: { email: 'zoe@quimby.example' } })
    const searches = [
      'zoe',
      'QUIM',
      'z.quimby@private.example',
      'private.exa',
      'globex corp',
      '0134',
      'zoe glob',
    ]
    for (const q of searches) expect(await found(q), q).toEqual(['Zoë Quimby'])
    for (const q of ['zoe acme', '!!!', 'nobody']) expect(await found(q), q).toEqual([])

    for (const [name, typed] of [
      ['李雷', '李'],
      ['김민수', '김'],
      ['さくら', 'さ'],
    ] as const) {
      await newCustomer({ name })
      expect(await found(typed), typed).toEqual([name])
    }

    const other = await signInAgent(bellhop, (await bellhop.organization()).orgId)
    expect((await other.call('GET', '/console/customers?q=zoe')).json.data).toEqual([])
    expect((await other.call('GET', `/console/customers/${made.json.id}`)).status).toBe(404)
  })

  test('says how many tickets each has and when the last message came', async () => {
    const email = 'counted@example.com'
    await makeTicket(acme, { customer: { email } })
    const { customer, createdAt } = await makeTicket(acme, { customer: { email } })
    expect(customer).toBeDefined()
    await indexed(bellhop)
    const { json } = await ben.call<{ data: object[] }>('GET', '/console/customers?q=counted')
    expect(json.data).toMatchObject([{ emails: [email], tickets: 2, hasMoreTickets: false }])
    expect(json.data[0]).toHaveProperty('lastMessageAt', createdAt)
  })
})

describe('an agent', () => {
  test('changes a customer, who is soon found by it and not by what they were called before', async () => {
    const { id: ticketId, customer } = await makeTicket(acme, {
      customer: { name: 'Old Name', email: 'renamed@example.com' },
    })
    expect(customer).toBeDefined()
    const { userId } = (await readThread(ben, ticketId)).ticket.customer
    const change = { name: 'New Name', company: 'Initech', phone: '030 1234', note: 'Pays late.\r\nBe kind.' }
    const changed = await edit(userId, change)
    expect(changed).toMatchObject({ status: 200, json: { ...change, note: 'Pays late.\nBe kind.' } })
    expect(await found('new name')).toEqual(['New Name'])
    expect(await found('old name')).toEqual([])
    expect(await ticketsFound('from:"new name"')).toEqual([ticketId])
    expect(await ticketsFound('company:initech')).toEqual([ticketId])
    expect(await ticketsFound('-company:initech from:renamed')).toEqual([])
    await edit(userId, { company: '' })
    expect(await ticketsFound('company:initech')).toEqual([])
    // Anyone can put any name into a mail or a form, but not over one that an agent gave.
    expect((await acme.call('GET', `/tickets/${ticketId}`)).json).toMatchObject({
      customer: { name: 'New Name' },
    })
  })

  test('makes a customer by name or address, but not without either', async () => {
    expect(await newCustomer({ emails: ['solo@example.com'] })).toMatchObject({ json: { name: 'solo' } })
    expect(await newCustomer({ name: 'Only Name' })).toMatchObject({ status: 201, json: { emails: [] } })
    expect(await newCustomer({ name: ' ' })).toMatchObject({ status: 400 })
    expect(await newCustomer({ emails: ['nonsense'] })).toMatchObject({ status: 400 })
    expect(await newCustomer({ emails: ['A@example.com', 'a@example.com'] })).toMatchObject({ status: 400 })
    const taken = await newCustomer({ name: 'Twin', emails: ['SOLO@example.com'] })
    expect(taken).toMatchObject({ status: 409, json: { code: 'email_taken' } })
  })

  test('can’t take the last address from a customer with tickets by email or API', async () => {
    const { id } = await makeTicket(acme, { customer: { email: 'needed@example.com' } })
    const { userId } = (await readThread(ben, id)).ticket.customer
    expect(await edit(userId, { emails: [] })).toMatchObject({
      status: 409,
      json: { code: 'email_required' },
    })
    expect(await edit(userId, { emails: ['instead@example.com'] })).toMatchObject({ status: 200 })
  })

  test('gives a visitor the address they typed, and takes it back', async () => {
    const widget = await openWidget(bellhop, acme.orgId)
    const visitor = await widget.visit()
    await visitor.call('PATCH', '/visitor', { body: { email: 'typed@example.com' } })
    const { conversation } = await visitor.say('Hello')
    const customer = async () => (await readThread(ben, conversation.id)).ticket.customer
    const before = await customer()
    expect(before).toMatchObject({ unverified: true, unverifiedEmail: 'typed@example.com' })
    await edit(before.userId, { emails: ['typed@example.com'] })
    expect(await customer()).toEqual({
      userId: before.userId,
      name: before.name,
      email: 'typed@example.com',
    })
    await edit(before.userId, { emails: [] })
    expect(await customer()).toEqual(before)
  })
})

describe('each address of a customer', () => {
  test('finds them on every channel, and the name in a mail doesn’t replace theirs', async () => {
    const ledger = await openLedger(bellhop, acme.orgId, 'help@acme.example')
    const { json } = await newCustomer({
      name: 'Mara Lind',
      emails: ['mara@lind.example', 'mara@work.example'],
    })
    const byApi = await makeTicket(acme, { customer: { email: 'MARA@work.example' } })
    expect((await readThread(ben, byApi.id)).ticket.customer).toEqual({
      userId: json.id,
      name: 'Mara Lind',
      email: 'mara@lind.example',
    })
    const mail = await ledger.fetched(
      mailOf(
        'From: Someone Else <mara@work.example>',
        'To: help@acme.example',
        'Subject: Hi',
        'Message-ID: <m1@work.example>',
        '',
        'Hi',
      ),
    )
    const { ticket, reply } = await readThread(ben, mail.ticketId ?? '')
    expect(ticket.customer).toMatchObject({ userId: json.id, name: 'Mara Lind' })
    // The answer goes where they wrote from, and not to their other addresses besides.
    expect(reply.recipients).toMatchObject({ to: [{ address: 'mara@work.example' }], cc: [] })
    expect(await ticketsFound('from:mara@work.example')).toEqual([mail.ticketId ?? '', byApi.id])

    const answer = mailOf(
      'From: Mara <mara@lind.example>',
      'To: help@acme.example',
      'In-Reply-To: <m1@work.example>',
      'Message-ID: <m2@lind.example>',
      '',
      'From my other address',
    )
    expect((await ledger.fetched(answer)).ticketId).toBe(mail.ticketId)
    const { timeline } = await readThread(ben, mail.ticketId ?? '')
    expect(timeline.filter(({ author }) => author !== undefined)).toEqual([])
  })

  test('is another’s only after it was taken from them', async () => {
    const one = await newCustomer({ name: 'One', emails: ['one@pair.example', 'shared@pair.example'] })
    const two = await newCustomer({ name: 'Two', emails: ['two@pair.example'] })
    const wanted = { emails: ['two@pair.example', 'shared@pair.example'] }
    expect(await edit(two.json.id, wanted)).toMatchObject({ status: 409, json: { code: 'email_taken' } })
    await edit(one.json.id, { emails: ['one@pair.example'] })
    expect(await edit(two.json.id, wanted)).toMatchObject({ status: 200, json: wanted })
    const reordered = { emails: wanted.emails.toReversed() }
    expect(await edit(two.json.id, reordered)).toMatchObject({
      json: { email: 'shared@pair.example', ...reordered },
    })
  })

  test('is erased with them', async () => {
    const root = await signInAgent(bellhop, acme.orgId, { role: 'admin' })
    const { json } = await newCustomer({ name: 'Gone', emails: ['gone@x.example', 'gone@y.example'] })
    expect(await root.call('DELETE', `/console/customers/${json.id}`)).toMatchObject({ status: 200 })
    expect(await found('gone')).toEqual([])
    expect(await newCustomer({ name: 'New', emails: ['gone@y.example'] })).toMatchObject({ status: 201 })
  })
})
