import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createId } from '../../server/ids.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { type Dovecot, startDovecot } from '../support/mail/dovecot.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'
import { connectMailbox, mailSettings } from '../support/mail/mailbox-service.ts'
import { type Postfix, startPostfix } from '../support/mail/postfix.ts'
import { type SmtpFaults, startSmtpFaults } from '../support/mail/smtp-faults.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { type EntryJson, readThread } from '../support/threads.ts'
import { eventually } from '../support/webhooks.ts'

const PASSWORD = 'secret'
const SUPPORT = 'support@helpdesk.test'
const ANA = 'ana@customer.test'
const CY = 'cy@customer.test'
const DAN = 'dan@customer.test'
const HELP = 'help@helpdesk.test'
const USERS = Object.fromEntries([SUPPORT, HELP, ANA, CY, DAN].map((address) => [address, PASSWORD]))
const LONG_TEST_MS = 90_000
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

describeWithMail('a conversation by email', () => {
  let dovecot: Dovecot
  let postfix: Postfix
  let elsewhere: SmtpFaults
  let receiver: Receiver
  let bellhop: Bellhop
  let client: Client
  let ben: SignedInAgent

  beforeAll(async () => {
    dovecot = await startDovecot({ users: USERS })
    elsewhere = await startSmtpFaults()
    postfix = await startPostfix({ dovecot, routes: { 'elsewhere.test': elsewhere.port } })
    receiver = await startReceiver()
    const mail = await mailSettings()
    bellhop = await startBellhop({
      settings: {
        ...mail,
        BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8',
        BELLHOP_WEBHOOK_CA: mail.BELLHOP_MAIL_CA ?? '',
      },
    })
    client = await bellhop.organization()
    ben = await signInAgent(bellhop, client.orgId, { role: 'admin' })
    const smtpPort = postfix.submissionPort
    await connectMailbox(bellhop, client, { dovecot, address: SUPPORT, password: PASSWORD, smtpPort })
    const events = ['ticket.created', 'message.sent']
    const endpoint = await ben.call('POST', '/console/endpoints', { body: { url: receiver.url, events } })
    expect(endpoint.status, endpoint.text).toBe(201)
  })
  afterAll(async () => {
    await bellhop.stop()
    await receiver.stop()
    await postfix.stop()
    await dovecot.stop()
    await elsewhere.stop()
  })

  /** The newest mail of a user, once they have so many. */
  async function newestMail(
    address: string,
    count: number,
  ): Promise<{ raw: string; header(name: string): string }> {
    const mails = await dovecot.waitForMails(address, count)
    const raw = (await dovecot.read(address, mails.at(-1)?.uid ?? 0)).toString()
    const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ')
    return { raw, header: (name) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim() ?? '' }
  }

  async function ticketIds(): Promise<string[]> {
    const { json } = await client.call<{ data: { id: string }[] }>('GET', '/tickets')
    return json.data.map(({ id }) => id)
  }

  async function messagesOf(id: string): Promise<EntryJson[]> {
    return (await readThread(ben, id)).timeline.filter(({ kind }) => kind === 'message')
  }

  async function untilMessages(id: string, count: number): Promise<EntryJson[]> {
    return soon(async () => {
      const found = await messagesOf(id)
      return found.length === count ? found : undefined
    })
  }

  async function upload(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const answer = await ben.call<{ id: string }>('POST', `/v1/attachments?name=${name}`, { raw: bytes })
    expect(answer.status, answer.text).toBe(201)
    return answer.json.id
  }

  async function reply(id: string, body: object): Promise<string> {
    const messageId = createId('msg', Date.now())
    const answer = await ben.call('PUT', `/v1/tickets/${id}/messages/${messageId}`, { body })
    expect(answer.status, answer.text).toBe(201)
    return messageId
  }

  test(
    'of six mails is one ticket with the right people, files and events',
    async () => {
      const first = mail({
        from: `Ana Pires <${ANA}>`,
        to: SUPPORT,
        cc: CY,
        subject: 'Broken lamp',
        headers: ['Message-ID: <first@customer.test>'],
        text: 'My lamp is broken.',
      })
      await postfix.send({ from: ANA, to: SUPPORT, raw: first })
      await soon(async () => (await ticketIds()).length === 1)
      const [id = ''] = await ticketIds()

      // The agent answers with formatting, a file and a picture.
      const attachments = [
        await upload('manual.txt', Buffer.from('Turn it on.')),
        await upload('lamp.png', new Uint8Array(PIXEL)),
      ]
      await reply(id, { text: 'Please try **this**.', format: 'markdown', attachments })
      const received = await newestMail(ANA, 1)
      await newestMail(CY, 1)
      expect(received.header('In-Reply-To')).toBe('<first@customer.test>')
      expect(received.header('Subject')).toBe('Re: Broken lamp')
      expect(received.header('To')).toContain(ANA)
      expect(received.header('To') + received.header('Cc')).toContain(CY)
      expect(received.header('Reply-To')).toMatch(/support\+[0-9a-z]{22}@helpdesk\.test/)
      expect(received.raw).toContain('<strong>this</strong>')
      expect(received.raw).toContain('filename=manual.txt')
      expect(received.raw).toContain('lamp.png')

      // The customer answers below the quote.
      const replyTo = /support\+[^@\s]+@helpdesk\.test/.exec(received.header('Reply-To'))?.[0] ?? ''
      const answer = mail({
        from: `Ana Pires <${ANA}>`,
        to: replyTo,
        subject: 'Re: Broken lamp',
        headers: [
          'Message-ID: <second@customer.test>',
          `In-Reply-To: ${received.header('Message-ID')}`,
          `References: <first@customer.test> ${received.header('Message-ID')}`,
        ],
        text: 'It works now, thank you.\r\n\r\nOn Sun, Nov 22, 2026 at 10:00, Ben wrote:\r\n> Please try this.',
      })
      await postfix.send({ from: ANA, to: replyTo, raw: answer })
      const three = await untilMessages(id, 3)
      expect(three[2]).toMatchObject({ role: 'customer', text: 'It works now, thank you.', hasQuote: true })
      // People see the address of the mailbox, without the token.
      expect(three[2]?.email).toMatchObject({ to: [{ name: '', address: SUPPORT }] })
      expect(JSON.stringify(await readThread(ben, id))).not.toContain('support+')

      // Someone in copy answers to all, and a third person writes to the address of the conversation.
      const toAll = mail({
        from: `Cy <${CY}>`,
        to: `${replyTo}, ${ANA}`,
        subject: 'Re: Broken lamp',
        headers: [`In-Reply-To: ${received.header('Message-ID')}`, 'Message-ID: <third@customer.test>'],
        text: 'Mine is broken too.',
      })
      await postfix.send({ from: CY, to: replyTo, raw: toAll })
      await untilMessages(id, 4)
      const stranger = mail({
        from: `Dan <${DAN}>`,
        to: replyTo,
        subject: 'Lamp',
        headers: ['Message-ID: <fourth@customer.test>'],
        text: 'I can help.',
      })
      await postfix.send({ from: DAN, to: replyTo, raw: stranger })
      const five = await untilMessages(id, 5)
      expect(five.slice(3).map(({ author, authorName }) => [author, authorName])).toEqual([
        ['participant', 'Cy'],
        ['participant', 'Dan'],
      ])

      // The next reply goes to who wrote last, the others on that mail, and the customer.
      await reply(id, { text: 'Thank you, Dan.' })
      const toDan = await newestMail(DAN, 1)
      expect(toDan.header('To')).toContain(DAN)
      expect(toDan.header('To')).toContain(ANA)

      expect(await ticketIds()).toEqual([id])
      const events = await soon(() => {
        const bodies = receiver.requests.map(({ body }) => JSON.parse(Buffer.from(body).toString()))
        return bodies.length >= 7 ? bodies : undefined
      })
      expect(events.filter(({ event }) => event === 'ticket.created')).toHaveLength(1)
      const sent = events.filter(({ event }) => event === 'message.sent')
      expect(sent.map(({ data }) => data.message.role).sort()).toEqual([
        'agent',
        'agent',
        ...Array(4).fill('customer'),
      ])
      expect(sent.every(({ data }) => data.ticket.id === id && data.ticket.channel === 'email')).toBe(true)
    },
    LONG_TEST_MS,
  )

  test(
    'marks a vacation notice, which opens nothing and gets no answer',
    async () => {
      const [id = ''] = await ticketIds()
      await client.call('PATCH', `/tickets/${id}`, { body: { status: 'resolved' } })
      const before = (await messagesOf(id)).length
      const notice = mail({
        from: `Ana Pires <${ANA}>`,
        to: SUPPORT,
        subject: 'Automatic reply: Broken lamp',
        headers: [
          'Auto-Submitted: auto-replied',
          'In-Reply-To: <first@customer.test>',
          'Message-ID: <v@customer.test>',
        ],
        text: 'I am away.',
      })
      await postfix.send({ from: ANA, to: SUPPORT, raw: notice })
      const messages = await untilMessages(id, before + 1)
      expect(messages.at(-1)).toMatchObject({ isAutomatic: true })
      expect((await client.call<{ status: string }>('GET', `/tickets/${id}`)).json.status).toBe('resolved')
    },
    LONG_TEST_MS,
  )

  test(
    'two help desks that answer automatically stop at once',
    async () => {
      const other = await bellhop.organization()
      const cara = await signInAgent(bellhop, other.orgId, { role: 'admin' })
      const mailbox = { dovecot, password: PASSWORD, smtpPort: postfix.submissionPort }
      const more = { autoReply: 'We received your message.' }
      await connectMailbox(bellhop, other, { ...mailbox, address: HELP, more })
      const ours = await ben.call<{ data: { id: string }[] }>('GET', '/console/mailboxes')
      const own = `/console/mailboxes/${ours.json.data[0]?.id}`
      expect((await ben.call('PATCH', own, { body: more })).status).toBe(200)

      const messageId = createId('msg', Date.now())
      const to = [{ name: '', address: SUPPORT }]
      const body = { messageId, to, subject: 'From one help desk to the other', text: 'Hello' }
      const opened = await cara.call<{ id: string }>('POST', '/console/tickets', { body })
      expect(opened.status, opened.text).toBeLessThan(300)
      const theirs = await soon(async () => {
        const { json } = await other.call<{ data: { id: string }[] }>('GET', '/tickets')
        const [{ id } = { id: '' }] = json.data
        const { timeline } = await readThread(cara, id)
        const messages = timeline.filter(({ kind }) => kind === 'message')
        return messages.length > 1 ? messages : undefined
      })
      expect(theirs.map(({ role, isAutomatic }) => [role, isAutomatic === true])).toEqual([
        ['agent', false],
        ['customer', true],
      ])
      await postfix.waitUntilEmpty()
      const list = await other.call<{ data: object[] }>('GET', '/tickets')
      expect(list.json.data).toHaveLength(1)
    },
    LONG_TEST_MS,
  )
})

/** Looks a few times a second: a key may ask 300 times a minute. */
function soon<T>(look: () => T | Promise<T>): Promise<NonNullable<T>> {
  return eventually(async () => {
    const seen = await look()
    if (!seen) await Bun.sleep(200)
    return seen
  })
}

function mail(given: {
  from: string
  to: string
  cc?: string
  subject: string
  headers: string[]
  text: string
}): string {
  return [
    `From: ${given.from}`,
    `To: ${given.to}`,
    ...(given.cc === undefined ? [] : [`Cc: ${given.cc}`]),
    `Subject: ${given.subject}`,
    ...given.headers,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    '',
    given.text,
    '',
  ].join('\r\n')
}
