import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createId } from '../../server/ids.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import type { Bellhop, Client } from '../support/bellhop.ts'
import { type Dovecot, startDovecot } from '../support/mail/dovecot.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'
import { connectMailbox, startBellhopWithMail } from '../support/mail/mailbox-service.ts'
import { type Postfix, startPostfix } from '../support/mail/postfix.ts'
import { type EntryJson, readThread } from '../support/threads.ts'
import { eventually } from '../support/webhooks.ts'

const PASSWORD = 'secret'
const SUPPORT = 'support@helpdesk.test'
const ANA = 'ana@customer.test'
const CY = 'cy@customer.test'
const BOSS = 'boss@customer.test'
const LAWYER = 'lawyer@customer.test'
const USERS = Object.fromEntries([SUPPORT, ANA, CY, BOSS, LAWYER].map((address) => [address, PASSWORD]))
const LONG_TEST_MS = 90_000
const RECIPIENTS = {
  to: [{ address: ANA }],
  cc: [{ address: CY }],
  bcc: [{ name: 'The Boss', address: BOSS }, { address: LAWYER }],
}

describeWithMail('a blind copy', () => {
  let dovecot: Dovecot
  let postfix: Postfix
  let bellhop: Bellhop
  let client: Client
  let ben: SignedInAgent

  beforeAll(async () => {
    dovecot = await startDovecot({ users: USERS })
    postfix = await startPostfix({ dovecot })
    bellhop = await startBellhopWithMail()
    client = await bellhop.organization()
    ben = await signInAgent(bellhop, client.orgId, { role: 'admin' })
    const smtpPort = postfix.submissionPort
    await connectMailbox(bellhop, client, { dovecot, address: SUPPORT, password: PASSWORD, smtpPort })
  })
  afterAll(async () => {
    await bellhop.stop()
    await postfix.stop()
    await dovecot.stop()
  })

  /** Without the receiving server's number for it, which is hexadecimal: it can contain "BCC". */
  async function readNewest(address: string, count: number): Promise<string> {
    const mails = await dovecot.waitForMails(address, count)
    const raw = (await dovecot.read(address, mails.at(-1)?.uid ?? 0)).toString()
    return raw.replaceAll(/ id [0-9A-F]+;/g, '')
  }

  /** Reads the mail with this number of each recipient, and checks that it doesn't show who got a blind copy. */
  async function expectHidden(count: number): Promise<string> {
    const raw = await Promise.all([ANA, CY, BOSS, LAWYER].map((address) => readNewest(address, count)))
    const [toAna = '', toCy = '', toBoss = '', toLawyer = ''] = raw
    for (const seen of [toAna, toCy]) expect(seen).not.toMatch(/boss|lawyer|bcc/i)
    expect(toBoss).not.toMatch(/lawyer|bcc/i)
    expect(toLawyer).not.toMatch(/boss|bcc/i)
    // Their own address is only in the lines that the receiving server adds above the message.
    for (const [own, address] of [
      [toBoss, BOSS],
      [toLawyer, LAWYER],
    ] as const) {
      expect(own.slice(own.indexOf('\r\nFrom:'))).not.toContain(address)
    }
    return toBoss
  }

  async function messagesOf(id: string): Promise<EntryJson[]> {
    return (await readThread(ben, id)).timeline.filter(({ kind }) => kind === 'message')
  }

  test(
    'of a reply, a new ticket and a forward is in no mail of anyone else, and in the thread for agents',
    async () => {
      const started = await ben.call<{ id: string }>('POST', '/console/tickets', {
        body: { messageId: createId('msg', Date.now()), subject: 'Lamp', text: 'Hello', ...RECIPIENTS },
      })
      expect(started.status, started.text).toBe(201)
      const { id } = started.json
      await expectHidden(1)

      const messageId = createId('msg', Date.now())
      const put = await ben.call('PUT', `/v1/tickets/${id}/messages/${messageId}`, {
        body: { text: 'It is on its way.', recipients: RECIPIENTS },
      })
      expect(put.status, put.text).toBe(201)
      expect(put.text).not.toContain(BOSS)
      const toBoss = await expectHidden(2)

      const forwarded = await ben.call('POST', `/console/tickets/${id}/messages/${messageId}/forward`, {
        body: { id: createId('msg', Date.now()), text: '', ...RECIPIENTS },
      })
      expect(forwarded.status, forwarded.text).toBeLessThan(300)
      await expectHidden(3)

      const sent = await eventually(async () => {
        const all = await messagesOf(id)
        return all.every(({ sending }) => sending === 'sent') ? all : undefined
      })
      const bcc = [
        { name: 'The Boss', address: BOSS },
        { name: '', address: LAWYER },
      ]
      expect(sent.map(({ email }) => email?.bcc)).toEqual([bcc, bcc, bcc])

      // The next reply goes only to the open recipients, and an answer to a blind copy is not the customer's.
      const replyTo = /^Reply-To:.*?(support\+[^@\s]+@helpdesk\.test)/im.exec(toBoss)?.[1] ?? ''
      const raw = `From: The Boss <${BOSS}>\r\nTo: ${replyTo}\r\nSubject: Re: Lamp\r\nMessage-ID: <b@customer.test>\r\n\r\nGive them a new one.\r\n`
      await postfix.send({ from: BOSS, to: replyTo, raw })
      const answered = await eventually(async () => {
        const all = await messagesOf(id)
        return all.length === 4 ? all : undefined
      })
      expect(answered.at(-1)).toMatchObject({ author: 'third_party', authorName: 'The Boss' })
      const { reply } = await readThread(ben, id)
      expect(JSON.stringify(reply.recipients)).not.toMatch(/boss|lawyer/)
    },
    LONG_TEST_MS,
  )

  test('counts among the 50 recipients of an email', async () => {
    const bcc = Array.from({ length: 50 }, (_, place) => ({ address: `b${place}@customer.test` }))
    const body = { messageId: createId('msg', Date.now()), subject: 'Lamp', text: 'Hello' }
    const answer = await ben.call('POST', '/console/tickets', {
      body: { ...body, to: [{ address: ANA }], bcc },
    })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('at most 50 recipients')
  })
})
