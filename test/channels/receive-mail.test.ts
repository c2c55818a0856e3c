import { afterAll, beforeAll, expect, test } from 'bun:test'
import { countMails } from '../../server/channels/email/mailboxes/mailbox-health.ts'
import { signInAgent } from '../support/agents.ts'
import type { Bellhop, Client } from '../support/bellhop.ts'
import { type Dovecot, startDovecot } from '../support/mail/dovecot.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'
import { connectMailbox, startBellhopWithMail } from '../support/mail/mailbox-service.ts'
import type { TicketJson } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const PASSWORD = 'secret'

interface LedgerRow {
  id: string
  outcome: string
  ticketId: string | null
  canBecomeTicket: boolean
}

describeWithMail('received mail', () => {
  let dovecot: Dovecot
  let bellhop: Bellhop
  let boxes = 0
  beforeAll(async () => {
    dovecot = await startDovecot({ users: {} })
    bellhop = await startBellhopWithMail()
  })
  afterAll(async () => {
    await bellhop.stop()
    await dovecot.stop()
  })

  async function connected(more: object = {}) {
    boxes += 1
    const address = `support${boxes}@helpdesk.test`
    dovecot.addUser(address, PASSWORD)
    const client = await bellhop.organization()
    const mailbox = await connectMailbox(bellhop, client, { dovecot, address, password: PASSWORD, more })
    const settled = async (mails: number) =>
      eventually(async () => {
        const counts = await countMails(bellhop.deps, client.orgId, mailbox.id)
        const { pending, ...done } = counts
        const sum = Object.values(done).reduce((total, count) => total + count, 0)
        return pending === 0 && sum === mails && done
      })
    return { client, mailbox, address, settled }
  }

  test('becomes a ticket with its customer, subject, text and files', async () => {
    const { client, address, settled } = await connected()
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
    await settled(1)
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
    boxes += 1
    const address = `support${boxes}@helpdesk.test`
    dovecot.addUser(address, PASSWORD)
    const old = new Date(Date.now() - 3 * 24 * 3_600_000)
    await dovecot.append(address, mail({ subject: 'Old', to: address }), { at: old })
    const client = await bellhop.organization()
    const { id } = await connectMailbox(bellhop, client, { dovecot, address, password: PASSWORD })
    await dovecot.append(address, mail({ subject: 'Read elsewhere', to: address }), { flags: ['\\Seen'] })
    await eventually(async () => (await countMails(bellhop.deps, client.orgId, id)).message === 1)
    expect((await onlyTicket(client)).subject).toBe('Read elsewhere')
  })

  test('that comes twice is one message', async () => {
    const { client, address, settled } = await connected()
    const raw = mail({ subject: 'Twice', to: address, headers: ['Message-ID: <twice@customer.test>'] })
    dovecot.deliver(address, raw)
    dovecot.deliver(address, raw)
    expect(await settled(2)).toMatchObject({ message: 1, duplicate: 1 })
    expect((await onlyTicket(client)).messages).toHaveLength(1)
  })

  test('that reuses a Message-ID for other content or another file is a message, and one that was re-encoded is a duplicate', async () => {
    const { client, address, settled } = await connected()
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
    dovecot.deliver(address, scan('Page 1', '7bit'))
    dovecot.deliver(address, scan('Page 2', '7bit'))
    await settled(2)
    dovecot.deliver(address, scan('Page 1', 'base64', 'list.test'))
    const text = (body: string) =>
      mail({ to: address, body: [body], headers: ['Message-ID: <form@shop.test>'] })
    for (const body of ['I want a cat', 'I want a dog', 'I  want a dog '])
      dovecot.deliver(address, text(body))
    expect(await settled(6)).toMatchObject({ message: 4, duplicate: 2 })
    const { json } = await client.call<{ meta: { total: number } }>('GET', '/tickets')
    expect(json.meta.total).toBe(4)
  })

  test('of every outcome becomes a ticket when an administrator makes one of it, once, and all of it stays accounted for', async () => {
    const { client, mailbox, address, settled } = await connected()
    const admin = await signInAgent(bellhop, client.orgId, { role: 'admin' })
    const headers = ['Message-ID: <again@customer.test>']
    dovecot.deliver(address, mail({ to: address, subject: 'Known', headers }))
    await settled(1)
    dovecot.deliver(address, mail({ to: address, subject: 'Known', headers }))
    dovecot.deliver(
      address,
      mail({ to: address, subject: 'Away', headers: ['Auto-Submitted: auto-replied'] }),
    )
    dovecot.deliver(address, 'Subject: Nobody\r\n\r\nNobody wrote this')
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

  test('that answers a known mail joins its ticket, if its sender takes part', async () => {
    const { client, address, settled } = await connected()
    dovecot.deliver(
      address,
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
    dovecot.deliver(address, answer('cy@customer.test', 'cy'))
    await settled(2)
    const { id, messages } = await onlyTicket(client)
    expect(messages).toHaveLength(2)
    dovecot.deliver(address, answer('Mallory <mallory@stranger.test>', 'mallory'))
    await settled(3)
    const { json } = await client.call<TicketJson>('GET', `/tickets/${id}`)
    expect(json.messages).toHaveLength(2)
  })

  test('that a program wrote is marked, and opens no resolved ticket', async () => {
    const { client, address, settled } = await connected()
    dovecot.deliver(address, mail({ to: address, headers: ['Message-ID: <a@customer.test>'] }))
    await settled(1)
    const { id } = await onlyTicket(client)
    await client.call('PATCH', `/tickets/${id}`, { body: { status: 'resolved' } })
    const headers = ['Auto-Submitted: auto-replied', 'In-Reply-To: <a@customer.test>']
    dovecot.deliver(address, mail({ to: address, subject: 'Out of office', headers }))
    expect(await settled(2)).toMatchObject({ message: 1, automatic: 1 })
    const ticket = await onlyTicket(client)
    expect(ticket.status).toBe('resolved')
    expect(ticket.messages).toHaveLength(2)
  })

  test('without a sender waits in quarantine, and the next one goes on', async () => {
    const { client, address, settled } = await connected()
    dovecot.deliver(address, 'Subject: Nobody\r\n\r\nHello')
    dovecot.deliver(address, mail({ to: address }))
    expect(await settled(2)).toMatchObject({ message: 1, quarantined: 1 })
    expect((await onlyTicket(client)).subject).toBe('Hello')
  })

  test('is imported once when UIDVALIDITY changes', async () => {
    const { client, address, settled } = await connected()
    dovecot.deliver(address, mail({ to: address, headers: ['Message-ID: <v1@customer.test>'] }))
    await settled(1)
    await dovecot.changeUidValidity(address, { renumber: true })
    dovecot.deliver(
      address,
      mail({ to: address, subject: 'Second', headers: ['Message-ID: <v2@customer.test>'] }),
    )
    expect(await settled(3)).toMatchObject({ message: 2, duplicate: 1 })
    const list = await client.call<{ meta: { total: number } }>('GET', '/tickets')
    expect(list.json.meta.total).toBe(2)
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

async function onlyTicket(client: Client): Promise<TicketJson> {
  const { json } = await client.call<{ data: { id: string }[] }>('GET', '/tickets')
  const [first] = json.data
  return (await client.call<TicketJson>('GET', `/tickets/${first?.id}`)).json
}
