import { afterAll, beforeAll, expect, test } from 'bun:test'
import { and, eq, isNull } from 'drizzle-orm'
import PostalMime from 'postal-mime'
import { createAgent } from '../../server/agents/agents.ts'
import { notificationSettings, notifications } from '../../server/database/tables/notifications.ts'
import { notes } from '../../server/database/tables/threads.ts'
import { mentionMark } from '../../server/formatting/inline.ts'
import { seeTicket } from '../../server/notifications/seen.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import type { Bellhop, Client } from '../support/bellhop.ts'
import { type Dovecot, startDovecot } from '../support/mail/dovecot.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'
import { connectMailbox, startBellhopWithMail } from '../support/mail/mailbox-service.ts'
import { type Postfix, startPostfix } from '../support/mail/postfix.ts'
import { addNote } from '../support/threads.ts'
import { makeTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const SUPPORT = 'support@helpdesk.test'
const NORA = 'nora@acme.test'
const ANA = 'ana@customer.test'
const PASSWORD = 'secret'

describeWithMail('emails about notifications', () => {
  let dovecot: Dovecot
  let postfix: Postfix
  let bellhop: Bellhop
  let client: Client
  let ben: SignedInAgent
  let nora: { id: string; name: string }

  beforeAll(async () => {
    dovecot = await startDovecot({ users: { [SUPPORT]: PASSWORD, [NORA]: PASSWORD, [ANA]: PASSWORD } })
    postfix = await startPostfix({ dovecot })
    bellhop = await startBellhopWithMail()
    client = await bellhop.organization()
    ben = await signInAgent(bellhop, client.orgId, { role: 'admin', name: 'Ben Weber' })
    nora = await createAgent(bellhop.deps, client.orgId, { name: 'Nora Lind', email: NORA, role: 'agent' })
    const smtpPort = postfix.submissionPort
    await connectMailbox(bellhop, client, { dovecot, address: SUPPORT, password: PASSWORD, smtpPort })
  })
  afterAll(async () => {
    await bellhop.stop()
    await postfix.stop()
    await dovecot.stop()
  })

  const mention = (ticketId: string, words = 'please look.') =>
    addNote(ben, ticketId, `${mentionMark({ of: 'agent', ...nora })} ${words}`, 'markdown')

  /** How many notifications Nora has not seen that are in no email yet. */
  async function unsent(): Promise<number> {
    const isUnsent = and(
      eq(notifications.agentId, nora.id),
      isNull(notifications.seenAt),
      isNull(notifications.emailId),
    )
    return (await bellhop.deps.database.read.select().from(notifications).where(isUnsent)).length
  }

  /** Waits until Nora has so many notifications, makes her email due, and waits until it was sent or found needless. */
  async function passTime(count: number): Promise<void> {
    await eventually(async () => (await unsent()) === count)
    const isNora = eq(notificationSettings.agentId, nora.id)
    const settings = async () =>
      (await bellhop.deps.database.read.select().from(notificationSettings).where(isNora))[0]
    await eventually(async () => (await settings())?.emailDueAt != null)
    await bellhop.deps.database.write(undefined, async (tx) => {
      await tx
        .update(notificationSettings)
        .set({ emailDueAt: bellhop.deps.clock.now(), lastEmailedAt: null })
        .where(isNora)
    })
    await eventually(async () => (await settings())?.emailDueAt === null)
  }

  async function newestMail(count: number) {
    const mails = await dovecot.waitForMails(NORA, count)
    return PostalMime.parse(await dovecot.read(NORA, mails.at(-1)?.uid ?? 0))
  }

  const notesOf = (ticketId: string) =>
    bellhop.deps.database.read.select().from(notes).where(eq(notes.ticketId, ticketId))
  const answer = (from: string, to: string, text: string, headers: string[] = [], envelope = from) =>
    postfix.send({
      from: envelope,
      to,
      raw: [`From: ${from}`, `To: ${to}`, 'Subject: Re: Parcel', ...headers, '', text].join('\r\n'),
    })
  const received = async () => {
    const { json } = await ben.call<{ data: { outcome: string; reason: string }[] }>('GET', '/console/mails')
    return json.data
  }

  test('thirty mentions are one email, and an answer to it becomes a note that no customer gets', async () => {
    const customer = { name: 'Ana', email: ANA }
    const { id } = await makeTicket(client, { subject: 'Parcel', customer })
    for (let number = 1; number <= 30; number++) await mention(id, `look at this, number ${number}.`)
    await passTime(30)
    const mail = await newestMail(1)
    expect(mail.subject).toBe('30 notifications: Parcel')
    expect(mail.text).toContain('Ben Weber · Mentioned you')
    expect(mail.text).toContain('number 30.')
    expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated')

    const replyTo = mail.replyTo?.[0]?.address ?? ''
    expect(replyTo).not.toBe(SUPPORT)
    await answer(NORA, replyTo, 'I called them.', [
      `In-Reply-To: ${mail.messageId}`,
      'Message-ID: <1@acme.test>',
    ])
    const [note] = await eventually(async () => {
      const found = (await notesOf(id)).filter(({ agentId }) => agentId === nora.id)
      return found.length > 0 ? found : undefined
    })
    expect(note).toMatchObject({ text: 'I called them.', agentName: 'Nora Lind' })
    // The address alone is enough: some email programs drop the references.
    await answer(NORA, replyTo, 'They call back.', ['Message-ID: <2@acme.test>'])
    await eventually(async () => (await notesOf(id)).some(({ text }) => text === 'They call back.'))
    await postfix.waitUntilEmpty()
    expect(await dovecot.mails(ANA)).toEqual([])
    expect(await dovecot.mails(NORA)).toHaveLength(1)

    // A forged one: someone else has the email and answers it.
    const before = (await notesOf(id)).length
    await answer(ANA, replyTo, 'Refund me.', [
      `In-Reply-To: ${mail.messageId}`,
      'Message-ID: <3@customer.test>',
    ])
    await eventually(async () =>
      (await received()).some(
        ({ outcome, reason }) => outcome === 'quarantined' && /another address/.test(reason),
      ),
    )
    // And ones with Nora's address beside another one, or that the mail server didn't believe.
    const forged: [string, string[]][] = [
      [`${NORA}, evil@x.test`, []],
      [`${NORA} <evil@x.test>`, []],
      [`<${NORA}> <evil@x.test>`, []],
      [NORA, ['From: evil@x.test']],
      [NORA, [`Authentication-Results: ${SUPPORT.split('@')[1]}; dmarc=fail`]],
    ]
    for (const [from, headers] of forged) {
      const known = (await received()).length
      const head = [`In-Reply-To: ${mail.messageId}`, `Message-ID: <${known}@x.test>`, ...headers]
      await answer(from, replyTo, 'Refund me.', head, ANA)
      await eventually(async () => (await received()).length > known)
    }
    await eventually(
      async () => (await received()).filter(({ outcome }) => outcome === 'quarantined').length >= 6,
    )
    expect((await received()).filter(({ reason }) => /forged/.test(reason))).toHaveLength(4)

    // And one whose signature isn't ours: it is an email like any other, of a new customer.
    const made = replyTo.replace(/\+(.{6}).{16}@/, '+$10000000000000000@')
    await answer(NORA, made, 'As if I were Nora.', ['Message-ID: <4@acme.test>'])
    await eventually(async () => (await received()).length >= 9)
    expect(await notesOf(id)).toHaveLength(before)
  })

  test('what the agent has seen is not emailed', async () => {
    const { id } = await makeTicket(client, { subject: 'Seen' })
    const count = (await dovecot.mails(NORA)).length
    await mention(id)
    await eventually(async () => (await unsent()) === 1)
    await seeTicket(bellhop.deps, { orgId: client.orgId, agentId: nora.id, ticketId: id })
    await passTime(0)
    await postfix.waitUntilEmpty()
    expect(await dovecot.mails(NORA)).toHaveLength(count)
  })

  test('several tickets share an email, which says that answers to it reach none', async () => {
    const [one, two] = [
      await makeTicket(client, { subject: 'One' }),
      await makeTicket(client, { subject: 'Two' }),
    ]
    const count = (await dovecot.mails(NORA)).length
    await mention(one.id)
    await mention(two.id)
    await passTime(2)
    const mail = await newestMail(count + 1)
    expect(mail.subject).toBe('2 notifications about 2 tickets')
    await answer(NORA, mail.replyTo?.[0]?.address ?? '', 'Which one?', [
      `In-Reply-To: ${mail.messageId}`,
      'Message-ID: <5@acme.test>',
    ])
    await eventually(async () => (await received()).some(({ reason }) => /several tickets/.test(reason)))
  })
})
