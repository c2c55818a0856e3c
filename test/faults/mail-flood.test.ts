import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { startProcessingMails } from '../../server/channels/email/inbound/process-loop.ts'
import { updateMailbox } from '../../server/channels/email/mailboxes/mailboxes.ts'
import { createMailParser } from '../../server/channels/email/parse/parse-mail.ts'
import { systemClock } from '../../server/clock.ts'
import { messages } from '../../server/database/tables/messages.ts'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { createManualClock } from '../support/clock.ts'
import { openLedger } from '../support/mail/fetched-mail.ts'
import { mailOf } from '../support/mail/mail-parser.ts'
import { eventually, openWebhooks } from '../support/webhooks.ts'

const FLOOD = 120
const SLOW = 12
/** Some of the slow mails have begun by then. */
const WHILE_READING_MS = 700
/** Less than one of the slow mails takes. */
const MAX_DELAY_MS = 2_500

test('a mailbox that is flooded delays no other, and loses nothing', async () => {
  await using webhooks = await openWebhooks()
  const { deps, orgId } = webhooks
  const { id: calmId } = await createOrganization(deps, { name: 'Calm' })
  const flood = await openLedger({ deps }, orgId)
  const calm = await openLedger({ deps }, calmId)
  await flood.put(Array.from({ length: FLOOD }, (_, number) => mail('spammer@example.com', number)))
  await calm.put([mail('ana@example.com', 0), mail('ana@example.com', 1)])

  const parser = createMailParser({ clock: deps.clock })
  const loop = startProcessingMails(deps, parser)
  // In the order in which they were stored.
  const stored = () =>
    deps.database.read.select({ orgId: messages.orgId }).from(messages).orderBy(messages.id)
  await eventually(async () => (await stored()).length === FLOOD + 2)
  await loop.stop()
  parser.stop()

  const places = (await stored()).flatMap((message, place) => (message.orgId === calmId ? [place] : []))
  // One of each mailbox in turn.
  expect(Math.max(...places)).toBeLessThan(4)
  const texts = await deps.database.read
    .select({ text: messages.text })
    .from(messages)
    .where(eq(messages.orgId, orgId))
    .orderBy(messages.id)
  expect(texts.map(({ text }) => text)).toEqual(
    Array.from({ length: FLOOD }, (_, number) => `Number ${number}`),
  )
})

test('forged senders get no more than 200 automatic replies an hour from a mailbox', async () => {
  const clock = createManualClock()
  await using webhooks = await openWebhooks({ clock })
  const { deps, orgId } = webhooks
  const flood = await openLedger({ deps }, orgId)
  await updateMailbox(deps, orgId, { id: flood.mailboxId, change: { autoReply: 'We got it.' } })
  const parser = createMailParser({ clock: deps.clock })
  const loop = startProcessingMails(deps, parser)
  const put = (batch: string, length: number) =>
    flood.put(Array.from({ length }, (_, number) => mail(`${batch}${number}@victims.example`, number)))
  const counts = async () => {
    const all = await deps.database.read.select({ role: messages.role }).from(messages)
    return { mails: all.filter(({ role }) => role === 'customer').length, all: all.length }
  }
  await put('a', 205)
  await eventually(async () => (await counts()).mails === 205)
  expect((await counts()).all).toBe(405)
  clock.advance(3_600_001)
  await put('b', 1)
  clock.advance(60_001)
  await eventually(async () => (await counts()).mails === 206)
  expect((await counts()).all).toBe(407)
  await loop.stop()
  parser.stop()
})

test('mails that take long to read delay only their own mailbox', async () => {
  await using webhooks = await openWebhooks()
  const { deps, orgId } = webhooks
  const { id: calmId } = await createOrganization(deps, { name: 'Calm' })
  const slow = await openLedger({ deps }, orgId)
  const calm = await openLedger({ deps }, calmId)
  // The time of each is limited to five seconds.
  const html = '<map>'.repeat(400_000)
  await slow.put(
    Array.from({ length: SLOW }, (_, number) =>
      mailOf(
        'From: mallory@example.com',
        `Message-ID: <slow-${number}@example.com>`,
        'Content-Type: text/html',
        '',
        `${number}${html}`,
      ),
    ),
  )
  const parser = createMailParser({ clock: systemClock })
  const loop = startProcessingMails(deps, parser)
  for (const number of [0, 1, 2]) {
    await Bun.sleep(WHILE_READING_MS)
    const startedAt = performance.now()
    const { outcome } = await calm.fetched(mail('ana@example.com', number))
    expect([outcome, performance.now() - startedAt < MAX_DELAY_MS]).toEqual(['message', true])
  }
  parser.stop()
  await loop.stop()
}, 30_000)

function mail(from: string, number: number): string {
  return mailOf(
    `From: ${from}`,
    'To: support@example.com',
    `Subject: Mail ${number}`,
    `Message-ID: <${number}.${from}>`,
    '',
    `Number ${number}`,
  )
}
