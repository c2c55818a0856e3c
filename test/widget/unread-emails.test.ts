import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { sends } from '../../server/database/tables/sends.ts'
import { widgetConversations } from '../../server/database/tables/widgets.ts'
import { createId } from '../../server/ids.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import type { Bellhop, Client } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { type Dovecot, startDovecot } from '../support/mail/dovecot.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'
import { connectMailbox, startBellhopWithMail } from '../support/mail/mailbox-service.ts'
import { type Postfix, startPostfix } from '../support/mail/postfix.ts'
import { readThread } from '../support/threads.ts'
import { openWidget, type TestWidget, type VisitorPage } from '../support/visitors.ts'
import { eventually } from '../support/webhooks.ts'

const SUPPORT = 'support@helpdesk.test'
const VISITORS = ['ana', 'cy', 'dan'].map((name) => `${name}@customer.test`)
const [ANA = '', CY = '', DAN = ''] = VISITORS
const PASSWORD = 'secret'
const MINUTE_MS = 60_000
const LONG_TEST_MS = 90_000

describeWithMail('answers that a visitor of the widget has not read', () => {
  const clock = createManualClock()
  let dovecot: Dovecot
  let postfix: Postfix
  let bellhop: Bellhop
  let client: Client
  let ben: SignedInAgent
  let widget: TestWidget

  beforeAll(async () => {
    const users = Object.fromEntries([SUPPORT, ...VISITORS].map((address) => [address, PASSWORD]))
    dovecot = await startDovecot({ users })
    postfix = await startPostfix({ dovecot })
    bellhop = await startBellhopWithMail({ clock })
    client = await bellhop.organization()
    ben = await signInAgent(bellhop, client.orgId, { role: 'admin', name: 'Ben' })
    await connectMailbox(bellhop, client, {
      dovecot,
      address: SUPPORT,
      password: PASSWORD,
      smtpPort: postfix.submissionPort,
    })
    widget = await openWidget(bellhop, client.orgId)
  })
  afterAll(async () => {
    await bellhop.stop()
    await postfix.stop()
    await dovecot.stop()
  })

  async function conversationOf(email: string): Promise<{ page: VisitorPage; id: string }> {
    const page = await widget.visit()
    const sent = await page.write('Where is my order?', { body: { name: 'Ana', email } })
    expect(sent.status, sent.text).toBe(201)
    return { page, id: sent.json.conversation.id }
  }

  async function answer(id: string, body: object): Promise<string> {
    const messageId = createId('msg', clock.now())
    const sent = await ben.call('PUT', `/v1/tickets/${id}/messages/${messageId}`, { body })
    expect(sent.status, sent.text).toBe(201)
    return messageId
  }

  /** Moves the clock, and waits until nothing is planned for that time. */
  async function wait(id: string, minutes: number): Promise<void> {
    clock.advance(minutes * MINUTE_MS)
    await eventually(async () => {
      const dueAt = await dueOf(id)
      return dueAt === null || dueAt > clock.now()
    })
  }

  async function dueOf(id: string): Promise<number | null> {
    const [row] = await bellhop.deps.database.read
      .select({ dueAt: widgetConversations.emailDueAt })
      .from(widgetConversations)
      .where(eq(widgetConversations.ticketId, id))
    if (!row) throw new Error(`There is no conversation ${id}.`)
    return row.dueAt
  }

  async function emailsOf(id: string): Promise<number> {
    const rows = await bellhop.deps.database.read
      .select({ id: sends.id })
      .from(sends)
      .where(eq(sends.ticketId, id))
    return rows.length
  }

  /** What the log of events says of messages whose delivery changed. */
  async function updatedMessages(id: string): Promise<string[]> {
    const path = `/events?ticket=${id}&types=message.updated`
    const { json } = await client.call<{ data: { messageId: string }[] }>('GET', path)
    return json.data.map(({ messageId }) => messageId)
  }

  test(
    'go to the address they left after ten minutes, and what they write back is in the widget',
    async () => {
      const { page, id } = await conversationOf(ANA)
      const file = await ben.call<{ id: string }>('POST', '/v1/attachments?name=label.txt', {
        raw: new TextEncoder().encode('Parcel 17'),
      })
      await answer(id, { text: 'It is **on its way**.', format: 'markdown', attachments: [file.json.id] })
      const newest = await answer(id, { text: 'It arrives on Friday.' })
      await wait(id, 9)
      expect(await emailsOf(id)).toBe(0)
      await wait(id, 1)
      const first = await newestMail(ANA, 1)
      expect(first.header('Subject')).toBe('Re: Where is my order?')
      expect(first.header('From')).toBe(`"Ben (Support)" <${SUPPORT}>`)
      expect(first.raw).toContain('Ben:\r\nIt is on its way.\r\n\r\nBen:\r\nIt arrives on Friday.')
      expect(first.raw).toContain('filename=label.txt')
      expect((await page.messages(id)).messages.map(({ isEmailed }) => isEmailed)).toEqual([
        false,
        true,
        true,
      ])

      // It waited, and was sent.
      await eventually(async () => Bun.deepEquals(await updatedMessages(id), [newest, newest]))

      const to = /<(.+)>/.exec(first.header('Reply-To'))?.[1] ?? ''
      const head = [`From: ${ANA}`, `To: ${to}`, 'Message-ID: <a1@customer.test>', 'Subject: Re: Where']
      await postfix.send({ from: ANA, to, raw: `${head.join('\r\n')}\r\n\r\nThanks!\r\n` })
      await eventually(async () => {
        await Bun.sleep(50)
        return (await page.messages(id)).messages.length === 4
      })
      expect((await page.messages(id)).messages.at(-1)).toMatchObject({
        from: 'visitor',
        text: 'Thanks!',
        isEmailed: true,
      })
      const thread = await readThread(ben, id)
      // Nobody else: the thread names only other writers.
      expect(thread.timeline.at(-1)).toMatchObject({ role: 'customer', text: 'Thanks!' })
      expect(thread.timeline.at(-1)).not.toHaveProperty('author')
      expect(thread.ticket.customer).not.toHaveProperty('email')

      // They have left the page: the next answer goes as soon as it may.
      await answer(id, { text: 'You are welcome.' })
      await wait(id, 15)
      const second = await newestMail(ANA, 2)
      expect(second.header('In-Reply-To')).toBe('<a1@customer.test>')
      expect(second.raw).toContain('You are welcome.')
      expect(second.raw).not.toContain('on its way')
    },
    LONG_TEST_MS,
  )

  test('are not emailed when they are read in between', async () => {
    const { page, id } = await conversationOf(CY)
    const messageId = await answer(id, { text: 'It is on its way.' })
    clock.advance(9 * MINUTE_MS)
    const seen = await page.call('POST', `/conversations/${id}/seen`, { body: { messageId } })
    expect(seen.status).toBe(204)
    await wait(id, 1)
    expect([await dueOf(id), await emailsOf(id)]).toEqual([null, 0])
  })

  test('go to an address that never answers three times', async () => {
    const { page, id } = await conversationOf(DAN)
    for (const count of [1, 2, 3, 3]) {
      await answer(id, { text: 'Are you still there?' })
      await wait(id, 15)
      expect(await emailsOf(id)).toBe(count)
    }
    expect((await page.conversations()).data[0]?.unread).toBe(4)
  })

  test('go out once an address is known', async () => {
    const page = await widget.visit()
    const { conversation } = await page.say('Hello?')
    await answer(conversation.id, { text: 'Good morning.' })
    await wait(conversation.id, 10)
    expect([await dueOf(conversation.id), await emailsOf(conversation.id)]).toEqual([null, 0])
    const changed = await page.call('PATCH', '/visitor', { body: { email: CY } })
    expect(changed.status, changed.text).toBe(200)
    await wait(conversation.id, 10)
    expect(await emailsOf(conversation.id)).toBe(1)
  })

  /** The newest mail of a user, once they have so many. */
  async function newestMail(address: string, count: number) {
    const mails = await dovecot.waitForMails(address, count)
    const raw = (await dovecot.read(address, mails.at(-1)?.uid ?? 0)).toString()
    const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ')
    const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim() ?? ''
    return { raw, header }
  }
})
