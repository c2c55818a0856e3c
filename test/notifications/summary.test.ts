import { afterAll, beforeAll, expect, test } from 'bun:test'
import PostalMime from 'postal-mime'
import { notificationSettings } from '../../server/database/tables/notifications.ts'
import { mentionMark } from '../../server/formatting/inline.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import type { Bellhop, Client } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { type Dovecot, startDovecot } from '../support/mail/dovecot.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'
import { connectMailbox, startBellhopWithMail } from '../support/mail/mailbox-service.ts'
import { type Postfix, startPostfix } from '../support/mail/postfix.ts'
import { addNote } from '../support/threads.ts'
import { makeTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const SUPPORT = 'support@helpdesk.test'
const PASSWORD = 'secret'
const ZONE = 'Europe/Berlin'
const SECOND_MS = 1_000

describeWithMail('the summary at 8:00', () => {
  // In Berlin, clocks go forward in the night after this evening.
  const clock = createManualClock(Date.parse('2026-03-28T18:00:00Z'))
  let dovecot: Dovecot
  let postfix: Postfix
  let bellhop: Bellhop
  let client: Client
  let ben: SignedInAgent
  let nora: SignedInAgent

  beforeAll(async () => {
    dovecot = await startDovecot({ users: { [SUPPORT]: PASSWORD } })
    postfix = await startPostfix({ dovecot })
    bellhop = await startBellhopWithMail({ clock })
    client = await bellhop.organization()
    ben = await signInAgent(bellhop, client.orgId, { role: 'admin', name: 'Ben Weber' })
    nora = await signInAgent(bellhop, client.orgId, { name: 'Nora Lind' })
    await postfix.addUser(nora.email, PASSWORD)
    const smtpPort = postfix.submissionPort
    await connectMailbox(bellhop, client, { dovecot, address: SUPPORT, password: PASSWORD, smtpPort })
    // Every email that Nora gets is a summary.
    const ways = { mentioned: { email: false }, assigned: { email: false } }
    const body = { hasSummary: true, timeZone: ZONE, ways }
    expect((await nora.call('PATCH', '/console/me/notifications', { body })).status).toBe(200)
  })
  afterAll(async () => {
    await bellhop.stop()
    await postfix.stop()
    await dovecot.stop()
  })

  async function assignToNora(subject: string): Promise<string> {
    const { id } = await makeTicket(client, { subject })
    await ben.call('PATCH', `/v1/tickets/${id}`, { body: { assignedTo: nora.id } })
    return id
  }

  const mention = (ticketId: string) =>
    addNote(ben, ticketId, `${mentionMark({ of: 'agent', ...nora })} please look.`, 'markdown')

  async function nextAt(): Promise<number> {
    const rows = await bellhop.deps.database.read.select().from(notificationSettings)
    return rows.find(({ agentId }) => agentId === nora.id)?.summaryDueAt ?? 0
  }

  /** Moves the clock to a minute before 8:00 in Berlin on a day, and on until the summary was sent or found needless. */
  async function passMorning(day: string): Promise<void> {
    const eight = Temporal.PlainDateTime.from(`${day}T08:00`).toZonedDateTime(ZONE).epochMilliseconds
    clock.jump(eight - 60 * SECOND_MS - clock.now())
    await eventually(async () => {
      clock.advance(SECOND_MS)
      return (await nextAt()) > eight
    })
  }

  async function summaries() {
    const mails = await dovecot.mails(nora.email)
    return Promise.all(mails.map(async ({ uid }) => PostalMime.parse(await dovecot.read(nora.email, uid))))
  }

  test('lists once what waits and what is unseen, also when the clocks changed that night', async () => {
    const parcel = await assignToNora('Parcel late')
    clock.advance(SECOND_MS)
    const answered = await assignToNora('Answered')
    await client.call('POST', `/tickets/${answered}/messages`, { body: { text: 'On its way.' } })
    await makeTicket(client, { subject: 'Of no one' })
    const seen = await makeTicket(client, { subject: 'Seen' })
    await mention(seen.id)
    await nora.call('PUT', `/console/tickets/${seen.id}/mentions/seen`)
    const asked = await makeTicket(client, { subject: 'Where is it?' })
    await mention(asked.id)

    await passMorning('2026-03-29')
    await dovecot.waitForMails(nora.email, 1)
    const [first] = await summaries()
    expect(first?.subject).toBe('Your morning in Bellhop')
    // Summer time: 8:00 is 6:00 in UTC.
    expect(first?.date).toStartWith('2026-03-29T06:0')
    expect(first?.text?.trim()).toBe(
      [
        '1 of your tickets has a customer who waits:',
        '- Parcel late',
        '',
        "1 note mentions you that you haven't seen:",
        '- Where is it?',
      ].join('\n'),
    )

    // Nothing waits on Monday, so there is none; on Tuesday there is.
    await client.call('POST', `/tickets/${parcel}/messages`, { body: { text: 'It is on its way.' } })
    await nora.call('PUT', `/console/tickets/${asked.id}/mentions/seen`)
    await passMorning('2026-03-30')
    for (let number = 1; number <= 12; number++) await assignToNora(`Question ${number}`)
    await passMorning('2026-03-31')
    await dovecot.waitForMails(nora.email, 2)
    await postfix.waitUntilEmpty()
    const [, second, ...more] = await summaries()
    expect(more).toEqual([])
    expect(second?.date).toStartWith('2026-03-31T06:0')
    expect(second?.text).toContain('12 of your tickets have customers who wait:\n- Question 1\n')
    expect(second?.text).toContain('- Question 10\nAnd 2 more.')
  })
})
