import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { countMails } from '../../server/channels/email/mailboxes/mailbox-health.ts'
import { updateMailbox } from '../../server/channels/email/mailboxes/mailboxes.ts'
import { messageIdOf } from '../../server/channels/email/message-id.ts'
import { signInAgent } from '../support/agents.ts'
import type { Bellhop, Client } from '../support/bellhop.ts'
import { type Dovecot, startDovecot } from '../support/mail/dovecot.ts'
import { openLedger } from '../support/mail/fetched-mail.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'
import { connectMailbox, startBellhopWithMail } from '../support/mail/mailbox-service.ts'
import { storedEvents, subscribe } from '../support/subscription.ts'
import { readThread } from '../support/threads.ts'
import type { TicketJson } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const PASSWORD = 'secret'

interface ThreadJson {
  ticket: { id: string; subject: string }
  timeline: { text?: string; email?: { from: { address: string } } }[]
  reply: { mailbox: { address: string }; mailboxes: { address: string; hasReceived: boolean }[] }
}

interface LedgerRow {
  id: string
  outcome: string
  ticketId: string | null
  canBecomeTicket: boolean
}

// How a mail comes from its server, with a real one; what becomes of it, put into the ledger as if it had been fetched.

let bellhop: Bellhop
let boxes = 0
beforeAll(async () => {
  bellhop = await startBellhopWithMail()
})
afterAll(() => bellhop.stop())

function newAddress(): string {
  boxes += 1
  return `support${boxes}@helpdesk.test`
}

/** Waits until so many mails of a mailbox, or of the organization, have an outcome. Returns how many have which. */
function settledIn({ client, mailbox }: { client: Client; mailbox?: { id: string } }, mails: number) {
  return eventually(async () => {
    const { pending, ...done } = await countMails(bellhop.deps, client.orgId, mailbox?.id)
    const sum = Object.values(done).reduce((total, count) => total + count, 0)
    return pending === 0 && sum === mails && done
  })
}

describeWithMail('mail on a server', () => {
  let dovecot: Dovecot
  beforeAll(async () => {
    dovecot = await startDovecot({ users: {} })
  })
  afterAll(() => dovecot.stop())

  async function connectedToServer() {
    const address = newAddress()
    dovecot.addUser(address, PASSWORD)
    const client = await bellhop.organization()
    const mailbox = await connectMailbox(bellhop, client, { dovecot, address, password: PASSWORD })
    return { client, mailbox, address }
  }

  test('becomes a ticket with its customer, subject, text and files', async () => {
    const box = await connectedToServer()
    const { client, address } = box
    dovecot.deliver(
      address,
      mail({
        from: 'Ana Pires <ana@customer.test>',
        to: address,
        subject: 'Invoice missing',
        type: 'multipart/mixed; boundary=b',
        body: [
          '--b',
          'Content-Type: text/plain',
          '',
          'Where is my invoice?',
          '--b',
          'Content-Type: text/plain; name=order.txt',
          'Content-Disposition: attachment; filename=order.txt',
          '',
          'Order 42',
          '--b--',
        ],
      }),
    )
    await settledIn(box, 1)
    const ticket = await onlyTicket(client)
    expect(ticket).toMatchObject({
      channel: 'email',
      status: 'open',
      subject: 'Invoice missing',
      customer: { name: 'Ana Pires', email: 'ana@customer.test' },
      messages: [{ role: 'customer', text: 'Where is my invoice?' }],
    })
    expect(ticket.messages[0]).toMatchObject({ attachments: [{ name: 'order.txt', type: 'text/plain' }] })
  })

  test('that arrived before the mailbox was connected is not imported, and mail that was read elsewhere is', async () => {
    const address = newAddress()
    dovecot.addUser(address, PASSWORD)
    const old = new Date(Date.now() - 3 * 24 * 3_600_000)
    await dovecot.append(address, mail({ subject: 'Old', to: address }), { at: old })
    const client = await bellhop.organization()
    const { id } = await connectMailbox(bellhop, client, { dovecot, address, password: PASSWORD })
    await dovecot.append(address, mail({ subject: 'Read elsewhere', to: address }), { flags: ['\\Seen'] })
    await eventually(async () => (await countMails(bellhop.deps, client.orgId, id)).message === 1)
    expect((await onlyTicket(client)).subject).toBe('Read elsewhere')
  })

  test('is imported once when UIDVALIDITY changes', async () => {
    const box = await connectedToServer()
    const { client, address } = box
    dovecot.deliver(address, mail({ to: address, headers: ['Message-ID: <v1@customer.test>'] }))
    await settledIn(box, 1)
    await dovecot.changeUidValidity(address, { renumber: true })
    dovecot.deliver(
      address,
      mail({ to: address, subject: 'Second', headers: ['Message-ID: <v2@customer.test>'] }),
    )
    expect(await settledIn(box, 3)).toMatchObject({ message: 2, duplicate: 1 })
    const list = await client.call<{ meta: { total: number } }>('GET', '/tickets')
    expect(list.json.meta.total).toBe(2)
  })
})

describe('received mail', () => {
  async function connected(change: Parameters<typeof updateMailbox>[2]['change'] = {}) {
    const address = newAddress()
    const client = await bellhop.organization()
    const ledger = await openLedger(bellhop, client.orgId, address)
    const mailbox = { id: ledger.mailboxId }
    await updateMailbox(bellhop.deps, client.orgId, { ...mailbox, change })
    return {
      client,
      mailbox,
      address,
      deliver: (raw: string) => ledger.put([raw]),
      settled: (mails: number) => settledIn({ client, mailbox }, mails),
    }
  }

  test('that comes twice is one message', async () => {
    const { client, address, settled, deliver } = await connected()
    const raw = mail({ subject: 'Twice', to: address, headers: ['Message-ID: <twice@customer.test>'] })
    await deliver(raw)
    await deliver(raw)
    expect(await settled(2)).toMatchObject({ message: 1, duplicate: 1 })
    expect((await onlyTicket(client)).messages).toHaveLength(1)
  })

  test('that reuses a Message-ID for other content or another file is a message, and one that was re-encoded is a duplicate', async () => {
    const { client, address, settled, deliver } = await connected()
    const scan = (page: string, encoding: 'base64' | '7bit', received = '') =>
      mail({
        to: address,
        subject: 'Scan',
        headers: [...(received ? [`Received: from ${received}`] : []), 'Message-ID: <scan@scanner.test>'],
        type: 'multipart/mixed; boundary=b',
        body: [
          ...['--b', 'Content-Type: text/plain', '', 'Scanned for you.'],
          ...['--b', 'Content-Type: text/csv', `Content-Transfer-Encoding: ${encoding}`],
          ...['Content-Disposition: attachment; filename=page.csv', ''],
          ...[encoding === 'base64' ? btoa(page) : page, '--b--'],
        ],
      })
    await deliver(scan('Page 1', '7bit'))
    await deliver(scan('Page 2', '7bit'))
    await settled(2)
    await deliver(scan('Page 1', 'base64', 'list.test'))
    const text = (body: string) =>
      mail({ to: address, body: [body], headers: ['Message-ID: <form@shop.test>'] })
    for (const body of ['I want a cat', 'I want a dog', 'I  want a dog ']) await deliver(text(body))
    expect(await settled(6)).toMatchObject({ message: 4, duplicate: 2 })
    const { json } = await client.call<{ meta: { total: number } }>('GET', '/tickets')
    expect(json.meta.total).toBe(4)
  })

  test('of every outcome becomes a ticket when an administrator makes one of it, once, and all of it stays accounted for', async () => {
    const { client, mailbox, address, settled, deliver } = await connected()
    const admin = await signInAgent(bellhop, client.orgId, { role: 'admin' })
    const headers = ['Message-ID: <again@customer.test>']
    await deliver(mail({ to: address, subject: 'Known', headers }))
    await settled(1)
    await deliver(mail({ to: address, subject: 'Known', headers }))
    await deliver(mail({ to: address, subject: 'Away', headers: ['Auto-Submitted: auto-replied'] }))
    await deliver('Subject: Nobody\r\n\r\nNobody wrote this')
    await settled(4)
    const call = (method: string, path: string) =>
      admin.call<{ data: LedgerRow[] } & LedgerRow>(method, `/console${path}`)
    const rows = async () => (await call('GET', `/mails?mailboxId=${mailbox.id}`)).json.data
    const others = (await rows()).filter(({ canBecomeTicket }) => canBecomeTicket)
    expect(others.map(({ outcome }) => outcome).sort()).toEqual(['automatic', 'duplicate', 'quarantined'])
    for (const { id } of others) {
      const path = `/mails/${id}/ticket`
      const answers = await Promise.all([call('POST', path), call('POST', path)])
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 409])
    }
    expect(await settled(4)).toMatchObject({ message: 4, automatic: 0, duplicate: 0, quarantined: 0 })
    const ticketIds = (await rows()).map(({ ticketId }) => ticketId)
    expect(new Set(ticketIds).size).toBe(4)
    const tickets = await Promise.all(
      ticketIds.map(async (id) => (await client.call<TicketJson>('GET', `/tickets/${id}`)).json),
    )
    expect(tickets.map(({ subject }) => subject).sort()).toEqual(['Away', 'Known', 'Known', 'Nobody'])
    const nobody = tickets.find(({ subject }) => subject === 'Nobody')
    expect(nobody).toMatchObject({
      customer: { name: 'Unknown sender' },
      messages: [{ text: 'Nobody wrote this', attachments: [{ name: 'original.eml' }] }],
    })
  })

  test('that two mailboxes get is one ticket, which either answers, and a copy with other words is another', async () => {
    const { client, mailbox, address, deliver } = await connected()
    const admin = await signInAgent(bellhop, client.orgId, { role: 'admin' })
    const sales = `sales${boxes}@helpdesk.test`
    const other = await openLedger(bellhop, client.orgId, sales)
    const deliverToSales = (raw: string) => other.put([raw])
    const settled = (mails: number) => settledIn({ client }, mails)
    const copy = (given: { id: string; by: string; words?: string; reply?: string }) =>
      mail({
        to: `${address}, ${sales}`,
        subject: given.id,
        headers: [
          `Received: from relay.test by ${given.by}`,
          `Message-ID: <${given.id}@customer.test>`,
          ...(given.reply ? [`In-Reply-To: <${given.reply}@customer.test>`] : []),
        ],
        body: [given.words ?? 'Hello'],
      })
    // At the same time, and one after the other, in both orders.
    for (const id of ['one', 'two', 'three']) {
      await deliver(copy({ id, by: 'mx1.test' }))
      await deliverToSales(copy({ id, by: 'mx2.test' }))
    }
    await deliverToSales(copy({ id: 'late', by: 'mx2.test' }))
    await settled(7)
    await deliver(copy({ id: 'late', by: 'mx1.test' }))
    await deliverToSales(copy({ id: 'answer', by: 'mx2.test', reply: 'late' }))
    await deliver(copy({ id: 'answer', by: 'mx1.test', reply: 'late' }))
    await deliver(copy({ id: 'late', by: 'mx1.test', words: 'Other words' }))
    expect(await settled(11)).toMatchObject({ message: 6, duplicate: 5 })
    const { json: list } = await client.call<{ data: { id: string; subject: string }[] }>('GET', '/tickets')
    expect(list.data.map(({ subject }) => subject).sort()).toEqual(['late', 'late', 'one', 'three', 'two'])

    const threads = await Promise.all(
      list.data.map(async ({ id }) => (await admin.call<ThreadJson>('GET', `/console/tickets/${id}`)).json),
    )
    const shared = threads.filter(({ reply }) => reply.mailboxes.every(({ hasReceived }) => hasReceived))
    expect(shared.map(({ ticket }) => ticket.subject).sort()).toEqual(['late', 'one', 'three', 'two'])
    const late = shared.find(({ ticket }) => ticket.subject === 'late')
    const ticket = `/tickets/${late?.ticket.id}`
    for (const [id, from] of [
      [mailbox.id, address],
      [other.mailboxId, sales],
    ]) {
      await admin.call('PUT', `/console${ticket}/mailbox`, { body: { mailboxId: id } })
      await client.call('POST', `${ticket}/messages`, { body: { text: `From ${from}` } })
      const { json } = await admin.call<ThreadJson>('GET', `/console${ticket}`)
      expect(json.reply.mailbox).toMatchObject({ address: from })
      expect(json.timeline.find(({ text }) => text === `From ${from}`)?.email?.from.address).toBe(from)
    }
  })

  test('that answers a known mail joins its ticket, if its sender takes part', async () => {
    const { client, address, settled, deliver } = await connected()
    await deliver(
      mail({ to: address, cc: 'cy@customer.test', headers: ['Message-ID: <first@customer.test>'] }),
    )
    await settled(1)
    const answer = (from: string, id: string) =>
      mail({
        from,
        to: address,
        subject: 'Re: Hello',
        headers: [`Message-ID: <${id}@x.test>`, 'In-Reply-To: <first@customer.test>'],
      })
    await deliver(answer('cy@customer.test', 'cy'))
    await settled(2)
    const { id, messages } = await onlyTicket(client)
    expect(messages).toHaveLength(2)
    await deliver(answer('Mallory <mallory@stranger.test>', 'mallory'))
    await settled(3)
    const { json } = await client.call<TicketJson>('GET', `/tickets/${id}`)
    expect(json.messages).toHaveLength(2)
  })

  test('that a program wrote is marked, and opens no resolved ticket', async () => {
    const { client, address, settled, deliver } = await connected()
    await deliver(mail({ to: address, headers: ['Message-ID: <a@customer.test>'] }))
    await settled(1)
    const { id } = await onlyTicket(client)
    await client.call('PATCH', `/tickets/${id}`, { body: { status: 'resolved' } })
    const headers = ['Auto-Submitted: auto-replied', 'In-Reply-To: <a@customer.test>']
    await deliver(mail({ to: address, subject: 'Out of office', headers }))
    expect(await settled(2)).toMatchObject({ message: 1, automatic: 1 })
    const ticket = await onlyTicket(client)
    expect(ticket.status).toBe('resolved')
    expect(ticket.messages).toHaveLength(2)
  })

  test('from one of our own addresses is read, unless it has our signature', async () => {
    const { client, mailbox, address, settled, deliver } = await connected()
    const change = { aliases: ['billing@helpdesk.test'] }
    await updateMailbox(bellhop.deps, client.orgId, { id: mailbox.id, change })
    const replyTo = 'Reply-To: Eva Lind <eva@customer.test>'
    await deliver(mail({ from: address, to: address, subject: 'Form', headers: [replyTo] }))
    const subject = 'Refund 12'
    await deliver(mail({ from: 'Billing <billing@helpdesk.test>', to: address, subject }))
    const test = messageIdOf(bellhop.deps.encryption, bellhop.deps.newId('msg'), 'helpdesk.test')
    const signed = [`Message-ID: ${test}`]
    await deliver(mail({ from: address, to: address, subject: 'Test', headers: signed }))
    expect(await settled(3)).toMatchObject({ message: 2, own: 1 })
    expect(await customersOf(client)).toEqual({
      Form: { name: 'Eva Lind', email: 'eva@customer.test' },
      'Refund 12': { name: 'Billing', email: 'billing@helpdesk.test' },
    })
  })

  test('of a form or a group is from the person that it names', async () => {
    const { client, address, settled, deliver } = await connected()
    const receive = (subject: string, from: string, ...headers: string[]) =>
      deliver(mail({ subject, from, to: address, headers }))
    await receive('Form', 'WordPress <wordpress@shop.test>', 'Reply-To: ana@customer.test')
    await receive('No reply', 'Shop <noreply@shop.test>', 'Reply-To: Cy <cy@customer.test>')
    const both = 'Reply-To: help@groups.test, flo@customer.test'
    await receive('Group', "'Flo' via Help <help@groups.test>", both, 'List-Id: <help.groups.test>')
    await receive('List', 'Gil via Help <list@groups.test>', 'X-Original-From: Gil O <gil@customer.test>')
    await receive('Person', 'Dan <dan@customer.test>', 'Reply-To: Dan at home <dan@home.test>')
    expect(await settled(5)).toMatchObject({ message: 5 })
    expect(await customersOf(client)).toEqual({
      Form: { name: 'ana', email: 'ana@customer.test' },
      'No reply': { name: 'Cy', email: 'cy@customer.test' },
      Group: { name: 'Flo', email: 'flo@customer.test' },
      List: { name: 'Gil', email: 'gil@customer.test' },
      Person: { name: 'Dan', email: 'dan@customer.test' },
    })
  })

  test('by a colleague who answers with another program is an agent’s message, if it isn’t forged', async () => {
    const { client, address, settled, deliver } = await connected({ authservId: 'mx.helpdesk.test' })
    await subscribe(bellhop.deps, client.orgId)
    const ben = await signInAgent(bellhop, client.orgId, { name: 'Ben Okafor' })
    await deliver(mail({ to: address, headers: ['Message-ID: <lamp@customer.test>'] }))
    await settled(1)
    const results = (said: string) => `Authentication-Results: mx.helpdesk.test; ${said}`
    const answer = (from: string, to: string, id: string, ...more: string[]) => {
      const headers = [`Message-ID: <${id}@outlook.test>`, 'References: <lamp@customer.test>', ...more]
      return mail({ from, to, cc: address, subject: 'Re: Hello', headers, body: [`This is ${id}.`] })
    }
    await deliver(answer(`Support <${address}>`, 'ana@customer.test', 'support', results('dmarc=pass')))
    await deliver(
      answer(
        `B. Okafor <${ben.email}>`,
        'ana@customer.test',
        'ben',
        results(`spf=pass smtp.mailfrom=${ben.email}`),
      ),
    )
    await deliver(
      answer(
        `Ben <${ben.email}>`,
        'Supplier <desk@supplier.test>',
        'supplier',
        results(`dkim=pass header.d=mail.${ben.email.split('@')[1]}`),
      ),
    )
    const failed = results('dmarc=fail; spf=fail')
    await deliver(answer(`Support <${address}>`, 'ana@customer.test', 'forged', failed))
    const others = 'spf=pass smtp.mailfrom=evil.test; dkim=none; dmarc=none'
    await deliver(answer(`Support <${address}>`, 'ana@customer.test', 'sent', results(others)))
    const signed = results('dkim=pass header.d=evil.test')
    await deliver(answer(`Ben <${ben.email}>`, 'ana@customer.test', 'signed', signed))
    await deliver(answer(`Ben <${ben.email}>`, 'ana@customer.test', 'unchecked'))
    const both = `Ben <${ben.email}>, evil@evil.test`
    await deliver(answer(both, 'ana@customer.test', 'shared', results('dmarc=pass')))
    const thanks = ['Message-ID: <thanks@customer.test>', 'In-Reply-To: <support@outlook.test>']
    await settled(9)
    await deliver(mail({ to: address, subject: 'AW: Hello', headers: thanks, body: ['Thanks.'] }))
    await settled(10)
    const { id, messages } = await onlyTicket(client)
    const shown = messages.map(({ role, text, agentName, thirdParty, delivery }) => [
      ...[role, text, agentName, thirdParty, delivery?.state],
    ])
    expect(shown).toEqual([
      ['customer', 'Hello', undefined, undefined, undefined],
      ['agent', 'This is support.', 'Support', undefined, 'sent'],
      ['agent', 'This is ben.', 'Ben Okafor', undefined, 'sent'],
      ['agent', 'This is supplier.', 'Ben Okafor', true, 'sent'],
      ['customer', 'This is forged.', undefined, undefined, undefined],
      ['customer', 'This is sent.', undefined, undefined, undefined],
      ['customer', 'This is signed.', undefined, undefined, undefined],
      ['customer', 'This is unchecked.', undefined, undefined, undefined],
      ['customer', 'This is shared.', undefined, undefined, undefined],
      ['customer', 'Thanks.', undefined, undefined, undefined],
    ])
    const sent = (await storedEvents(bellhop.deps, client.orgId)).filter(
      ({ type }) => type === 'message.sent',
    )
    expect(sent.map(({ body }) => JSON.parse(body).data.message.agentName)).toEqual([
      ...[undefined, 'Support', 'Ben Okafor', 'Ben Okafor', undefined, undefined],
      ...[undefined, undefined, undefined, undefined],
    ])
    const { timeline } = await readThread(ben, id)
    const unverified = timeline.filter(({ email }) => email?.isUnverified).map(({ text }) => text)
    expect(unverified).toEqual([
      ...['This is forged.', 'This is sent.', 'This is signed.', 'This is unchecked.', 'This is shared.'],
    ])
  })

  test('that answers us is a person’s although rules and lists mark it, unless a program answers', async () => {
    const { client, address, settled, deliver } = await connected({ autoReply: 'We got it.' })
    await deliver(mail({ to: address, headers: ['List-Id: <team.customer.test>'] }))
    expect(await settled(1)).toMatchObject({ message: 1 })
    const { id, messages } = await onlyTicket(client)
    // A list gets no automatic reply.
    expect(messages).toHaveLength(1)
    const posted = await client.call<{ id: string }>('POST', `/tickets/${id}/messages`, {
      body: { text: 'Which one?' },
    })
    const ours = messageIdOf(bellhop.deps.encryption, posted.json.id, 'helpdesk.test')
    let mails = 1
    async function answered(...headers: string[]) {
      await client.call('PATCH', `/tickets/${id}`, { body: { status: 'resolved' } })
      await deliver(mail({ to: address, subject: 'Re: Hello', headers }))
      mails += 1
      await settled(mails)
      return (await onlyTicket(client)).status
    }
    const reference = `In-Reply-To: ${ours}`
    expect(await answered(reference, 'Auto-Submitted: auto-generated')).toBe('open')
    expect(await answered(reference, 'Precedence: bulk', 'List-Id: <team.customer.test>')).toBe('open')
    expect(await answered(reference, 'Return-Path: <>')).toBe('open')
    expect(await answered(reference, 'Auto-Submitted: auto-replied')).toBe('resolved')
    expect(await answered(reference, 'Auto-Submitted: auto-generated', 'X-Autoreply: yes')).toBe('resolved')
  })

  test('without a sender waits in quarantine, and the next one goes on', async () => {
    const { client, address, settled, deliver } = await connected()
    await deliver('Subject: Nobody\r\n\r\nHello')
    await deliver(mail({ to: address }))
    expect(await settled(2)).toMatchObject({ message: 1, quarantined: 1 })
    expect((await onlyTicket(client)).subject).toBe('Hello')
  })
})

function mail(given: {
  from?: string
  to?: string
  cc?: string
  subject?: string
  headers?: string[]
  type?: string
  body?: string[]
}): string {
  return [
    `From: ${given.from ?? 'Ana Pires <ana@customer.test>'}`,
    `To: ${given.to ?? 'support@helpdesk.test'}`,
    ...(given.cc ? [`Cc: ${given.cc}`] : []),
    `Subject: ${given.subject ?? 'Hello'}`,
    'MIME-Version: 1.0',
    `Content-Type: ${given.type ?? 'text/plain; charset=utf-8'}`,
    ...(given.headers ?? []),
    '',
    ...(given.body ?? ['Hello']),
    '',
  ].join('\r\n')
}

/** By the subjects of their tickets. */
async function customersOf(client: Client) {
  const { json } = await client.call<{ data: { subject: string; customer: object }[] }>('GET', '/tickets')
  return Object.fromEntries(json.data.map(({ subject, customer }) => [subject, customer]))
}

async function onlyTicket(client: Client): Promise<TicketJson> {
  const { json } = await client.call<{ data: { id: string }[] }>('GET', '/tickets')
  const [first] = json.data
  return (await client.call<TicketJson>('GET', `/tickets/${first?.id}`)).json
}
