import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import PostalMime from 'postal-mime'
import { messages } from '../../server/database/tables/messages.ts'
import { tickets } from '../../server/database/tables/tickets.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import type { Bellhop, Client } from '../support/bellhop.ts'
import { PNG } from '../support/images.ts'
import { type Dovecot, startDovecot } from '../support/mail/dovecot.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'
import { connectMailbox, startBellhopWithMail } from '../support/mail/mailbox-service.ts'
import { type Postfix, startPostfix } from '../support/mail/postfix.ts'
import { richMail } from '../support/mail/rich-mail.ts'
import { type SmtpFaults, startSmtpFaults } from '../support/mail/smtp-faults.ts'
import { readThread } from '../support/threads.ts'
import { type ListJson, listTickets, type TicketJson } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

// Conversations between a customer and an agent, over real mail servers.

const SUPPORT = 'support@helpdesk.test'
const ANA = 'ana@customer.test'
const PASSWORD = 'secret'

describeWithMail('a conversation by email', () => {
  let dovecot: Dovecot
  let postfix: Postfix
  let elsewhere: SmtpFaults
  let bellhop: Bellhop
  let client: Client
  let ben: SignedInAgent
  let mailbox: { id: string }

  beforeAll(async () => {
    elsewhere = await startSmtpFaults()
    dovecot = await startDovecot({ users: { [SUPPORT]: PASSWORD, [ANA]: PASSWORD } })
    postfix = await startPostfix({ dovecot, routes: { 'elsewhere.test': elsewhere.port } })
    bellhop = await startBellhopWithMail()
    client = await bellhop.organization()
    ben = await signInAgent(bellhop, client.orgId, { role: 'admin' })
    const smtpPort = postfix.submissionPort
    const more = { sentFolder: 'Sent', autoReply: 'We got your **mail**.' }
    mailbox = await connectMailbox(bellhop, client, {
      dovecot,
      address: SUPPORT,
      password: PASSWORD,
      smtpPort,
      more,
    })
  })
  afterAll(async () => {
    await bellhop.stop()
    await postfix.stop()
    await dovecot.stop()
    await elsewhere.stop()
  })

  // Asked in the database: the API would refuse so many questions.
  const newestTicket = (subject: string) =>
    eventually(async () => {
      const [found] = await bellhop.deps.database.read
        .select()
        .from(tickets)
        .where(eq(tickets.subject, subject))
      return found
    })
  const messagesOf = (ticketId: string) =>
    bellhop.deps.database.read
      .select()
      .from(messages)
      .where(eq(messages.ticketId, ticketId))
      .orderBy(messages.createdAt, messages.id)
  const untilMessages = (ticketId: string, count: number) =>
    eventually(async () => {
      const found = await messagesOf(ticketId)
      return found.length >= count ? found : undefined
    })
  async function newestMail(address: string, subject: string, count = 1) {
    const mails = await eventually(async () => {
      const found = (await dovecot.mails(address)).filter((mail) => mail.subject === subject)
      return found.length >= count ? found : undefined
    })
    return PostalMime.parse(await dovecot.read(address, mails.at(-1)?.uid ?? 0))
  }
  const send = (subject: string, text: string, headers: string[] = [], from = ANA, to = SUPPORT) =>
    postfix.send({
      from,
      to,
      raw: [`From: ${from}`, `To: ${to}`, `Subject: ${subject}`, ...headers, '', text].join('\r\n'),
    })
  async function reply(ticketId: string, text: string): Promise<string> {
    const answer = await ben.call<{ id: string }>('POST', `/v1/tickets/${ticketId}/messages`, {
      body: { text },
    })
    expect(answer.status, answer.text).toBe(201)
    return answer.json.id
  }
  const untilState = (ticketId: string, id: string, sending: string) =>
    eventually(async () =>
      (await messagesOf(ticketId)).find((one) => one.id === id && one.sending === sending),
    )

  test('goes back and forth in one ticket, with an automatic reply and copies of sent mail', async () => {
    await send('Parcel', 'Where is it?', ['Message-ID: <parcel@customer.test>'])
    const { id } = await newestTicket('Parcel')
    // Ana is new: the subject could be anyone's words.
    const automatic = await newestMail(ANA, 'Re: Support')
    expect(automatic.text).toContain('We got your mail.')
    expect(automatic.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-replied')
    expect(automatic.inReplyTo).toBe('<parcel@customer.test>')
    // The automatic reply is no answer: the ticket is still unread.
    const unread = await ben.call<ListJson>('GET', '/console/tickets?q=is%3Aunread')
    expect(unread.json.data.map((ticket) => ticket.id)).toContain(id)

    const messageId = await reply(id, 'It arrives tomorrow.')
    await untilState(id, messageId, 'sent')
    const answer = await newestMail(ANA, 'Re: Parcel')
    expect(answer.text).toStartWith('It arrives tomorrow.')
    const copies = await dovecot.waitForMails(SUPPORT, 2, 'Sent')
    expect(copies.every(({ flags }) => flags.has('\\Seen'))).toBe(true)

    const replyTo = answer.replyTo?.[0]?.address ?? ''
    await send('Re: Parcel', 'Thank you!', [`In-Reply-To: ${answer.messageId}`], ANA, replyTo)
    const thread = await untilMessages(id, 4)
    expect(thread.map(({ role, text }) => [role, text])).toEqual([
      ['customer', 'Where is it?'],
      ['agent', 'We got your **mail**.'],
      ['agent', 'It arrives tomorrow.'],
      ['customer', 'Thank you!'],
    ])
    expect((await listTickets(client)).data).toHaveLength(1)
  })

  test('is never sent to an alias, which is suggested from the mail that arrives through it', async () => {
    await postfix.addAlias('info@helpdesk.test', [SUPPORT])
    const copied = ['Cc: info+shop@helpdesk.test, Cy <cy@elsewhere.test>']
    await send('Alias', 'To your other address.', copied, 'dora@elsewhere.test', 'info@helpdesk.test')
    const { id } = await newestTicket('Alias')
    const recipients = async () => {
      const { to = [], cc = [] } = (await readThread(ben, id)).reply.recipients ?? {}
      return [to, cc].map((list) => list.map(({ address }) => address))
    }
    expect(await recipients()).toEqual([
      ['dora@elsewhere.test'],
      ['info@helpdesk.test', 'info+shop@helpdesk.test', 'cy@elsewhere.test'],
    ])
    const path = `/console/mailboxes/${mailbox.id}`
    const suggested = await ben.call<{ data: object[] }>('GET', `${path}/suggested-aliases`)
    expect(suggested.json.data).toContainEqual({ address: 'info@helpdesk.test', mails: 1 })
    const accepted = await ben.call('PATCH', path, { body: { aliases: ['Info@helpdesk.test'] } })
    expect(accepted.status, accepted.text).toBe(200)
    expect(await recipients()).toEqual([['dora@elsewhere.test'], ['cy@elsewhere.test']])
    expect((await ben.call('GET', `${path}/suggested-aliases`)).json).toEqual({ data: [] })
  })

  test('marks the message that a server elsewhere refused after ours had taken it', async () => {
    await send('Bounce', 'Write to me.', [], 'eva@elsewhere.test')
    const { id } = await newestTicket('Bounce')
    // The automatic reply.
    await eventually(() => elsewhere.messages.some(({ to }) => to.includes('eva@elsewhere.test')))
    elsewhere.fail({
      at: 'recipient',
      does: { code: 550, text: '5.1.1 No eva here' },
      recipient: 'eva@elsewhere.test',
    })
    const messageId = await reply(id, 'Hello Eva.')
    const bounced = await untilState(id, messageId, 'bounced')
    expect(bounced.sendError).toBe('550 5.1.1 No eva here')
    // A report is no message, and changes no other one.
    const [, automatic, ...others] = await messagesOf(id)
    expect([automatic?.sending, others.length]).toEqual(['sent', 1])
    elsewhere.heal()
  })

  test('forwards a mail with its formatting, its images in their places, and its files', async () => {
    const headers = [`From: Ana <${ANA}>`, `To: ${SUPPORT}`, 'Subject: Claim 1001']
    await postfix.send({ from: ANA, to: SUPPORT, raw: richMail(headers) })
    const { id } = await newestTicket('Claim 1001')
    const [first] = await untilMessages(id, 2)
    expect(first?.text).toBe(
      '[image: logo.png]\nClaim 1001\n\nThe parcel arrived broken\n\nPlease see the photo, and the claim<https://customer.test/claims/1001>.\n\n[image: photo.png]\n\n\nAna',
    )
    const upload = async (query: string, raw: string | Uint8Array<ArrayBuffer>) => {
      const answer = await ben.call<{ id: string }>('POST', `/v1/attachments?${query}`, {
        raw,
        headers: { 'content-type': 'application/octet-stream' },
      })
      return answer.json.id
    }
    const attachments = [
      await upload('name=pasted.png&inline=true', PNG),
      await upload('name=attached.png', PNG),
    ]
    const forwardId = bellhop.deps.newId('msg')
    const path = `/console/tickets/${id}/messages/${first?.id}/forward`
    const body = { id: forwardId, to: [{ address: 'claims@elsewhere.test' }], text: 'Please check **this**.' }
    const answer = await ben.call('POST', path, { body: { ...body, format: 'markdown', attachments } })
    expect(answer.status, answer.text).toBe(201)
    const forwarded = await eventually(() => elsewhere.messages.find(({ raw }) => raw.includes(forwardId)))
    const mail = await PostalMime.parse(forwarded.raw)

    expect(mail.text).toStartWith(
      'Please check this.\n\n---------- Forwarded message ----------\nFrom: Ana <ana@customer.test>\nDate: ',
    )
    expect(mail.text).toContain(
      'Subject: Claim 1001\nTo: support@helpdesk.test\n\n[image: logo.png]\nClaim 1001',
    )
    const html = mail.html ?? ''
    const places = [
      'Please check <strong>this</strong>.',
      `<img src="cid:${attachments[0]}@bellhop"`,
      'Forwarded message',
      'From: Ana',
      `<img alt="Customer Ltd" width="120" height="40" src="cid:${forwardId}.1@bellhop"`,
      'The parcel arrived <em>broken</em>',
      'href="https://customer.test/claims/1001?a=1&amp;b=2"',
      `<img alt="The box" width="240" height="160" src="cid:${forwardId}.2@bellhop"`,
      'src="https://tracker.example/pixel.png?id=7&amp;x=1"',
    ].map((words) => html.indexOf(words))
    expect(places.toSorted((one, other) => one - other)).toEqual(places)
    expect(places).not.toContain(-1)
    expect(html).not.toMatch(/data-|How can I help|brand\.woff/)
    // Its styles don't reach the agent's words.
    expect(html).toContain('.bellhop-forwarded p,.bellhop-forwarded .note > a{color: rgb(150, 0, 0)')
    const [, styles = ''] = /<style>(.*?)<\/style>/s.exec(html) ?? []
    const selectors = [...styles.matchAll(/([^{}]+)\{[^{}]*\}/g)].flatMap(([, list = '']) => list.split(','))
    expect(selectors.filter((selector) => !selector.startsWith('.bellhop-forwarded'))).toEqual([])
    expect(
      mail.attachments.map(({ filename, disposition, contentId }) => [filename, disposition, contentId]),
    ).toEqual([
      ['pasted.png', 'inline', `<${attachments[0]}@bellhop>`],
      ['logo.png', 'inline', `<${forwardId}.1@bellhop>`],
      ['photo.png', 'inline', `<${forwardId}.2@bellhop>`],
      ['attached.png', 'attachment', undefined],
      ['claim.pdf', 'attachment', undefined],
    ])

    // The thread shows what went out.
    const { timeline } = await readThread(ben, id)
    const shown = timeline.find((entry) => entry.id === forwardId)
    expect(shown).toMatchObject({ hasQuote: true, html: 'formatted', hasRemoteImages: true })
    const frame = await ben.call('GET', `/console/tickets/${id}/messages/${forwardId}/frame`)
    expect(frame.text).toContain('From: Ana')
    expect(frame.text).toContain('The parcel arrived <em>broken</em>')
    const photo = shown?.attachments?.find(({ name }) => name === 'photo.png')
    expect(frame.text).toContain(`src="/v1/attachments/${photo?.id}"`)
    expect(frame.text).not.toContain('Please check')
  })

  test('files the answer to a forward as a third party’s; the next reply still goes to the customer', async () => {
    await send('Broken', 'It is broken.')
    const { id } = await newestTicket('Broken')
    const [first] = await untilMessages(id, 2)
    const forwardId = bellhop.deps.newId('msg')
    const body = { id: forwardId, to: [{ address: 'desk@elsewhere.test' }], text: 'Can you check?' }
    const path = `/console/tickets/${id}/messages/${first?.id}/forward`
    expect((await ben.call('POST', path, { body })).status).toBe(201)
    const forwarded = await eventually(() => elsewhere.messages.find(({ raw }) => raw.includes(forwardId)))
    const mail = await PostalMime.parse(forwarded.raw)
    await send('AW: Broken', 'It is on its way.', [], 'desk@elsewhere.test', mail.replyTo?.[0]?.address)
    const thread = await untilMessages(id, 4)
    expect(thread.at(-1)).toMatchObject({ author: 'third_party', text: 'It is on its way.' })
    // An integration must not show either to the customer.
    const shown = (await client.call<TicketJson>('GET', `/tickets/${id}`)).json.messages
    expect(shown.map(({ thirdParty }) => thirdParty)).toEqual([undefined, undefined, true, true])
    const { reply: destination } = await readThread(ben, id)
    expect(destination.recipients?.to.map(({ address }) => address)).toEqual([ANA])
    expect(destination.recipients?.cc).toEqual([])
    const count = elsewhere.messages.length
    const posted = await client.call<{ id: string }>('POST', `/tickets/${id}/messages`, {
      body: { text: 'A new one is on its way.' },
    })
    await untilState(id, posted.json.id, 'sent')
    expect((await newestMail(ANA, 'Re: Broken')).text).toStartWith('A new one is on its way.')
    expect(elsewhere.messages).toHaveLength(count)
  })
})
