import { afterAll, beforeAll, expect, test } from 'bun:test'
import { and, eq, ne } from 'drizzle-orm'
import { countMails } from '../../server/channels/email/mailboxes/mailbox-health.ts'
import { mails } from '../../server/database/tables/mailboxes.ts'
import { messages } from '../../server/database/tables/messages.ts'
import { freshPlace } from '../support/engine.ts'
import { killedLives } from '../support/killed-program.ts'
import { type Dovecot, startDovecot } from '../support/mail/dovecot.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'
import { connectMailbox, mailSettings } from '../support/mail/mailbox-service.ts'
import { eventually, openWebhooks } from '../support/webhooks.ts'

const KILLS = 20
const MAX_LIFE_MS = 200
const MAX_TEST_MS = 120_000
const ADDRESS = 'support@helpdesk.test'
const PASSWORD = 'secret'
const MAILS = 500
/** Every tenth mail comes twice. */
const DUPLICATES = MAILS / 10

describeWithMail('a server that is killed while it receives mail', () => {
  let dovecot: Dovecot
  beforeAll(async () => {
    dovecot = await startDovecot({ users: { [ADDRESS]: PASSWORD } })
  })
  afterAll(() => dovecot.stop())

  test(
    'takes in every mail once, whenever it is killed',
    async () => {
      const place = await freshPlace()
      const settings = { ...place, ...(await mailSettings()) }
      await using webhooks = await openWebhooks({ place, settings })
      const { deps, orgId } = webhooks
      const { id } = await connectMailbox(
        webhooks,
        { orgId },
        { dovecot, address: ADDRESS, password: PASSWORD },
      )
      let delivered = 0
      function deliver(count: number): void {
        for (let index = 0; index < count && delivered < MAILS; index += 1, delivered += 1) {
          const raw = mail(delivered)
          dovecot.deliver(ADDRESS, raw)
          if (delivered % 10 === 0) dovecot.deliver(ADDRESS, raw)
        }
      }
      // At least so many are new in each life.
      deliver(MAILS / KILLS)
      const lives = killedLives({
        program: `${import.meta.dir}/programs/receive.ts`,
        args: [],
        workers: [`${import.meta.dir}/../../server/channels/email/parse/mail-worker.ts`],
        env: { ...process.env, ...settings },
        kills: KILLS,
        longestLifeMs: MAX_LIFE_MS,
        firstWord: 'taken in',
      })
      const takenIn: number[] = []
      for await (const _ of lives) {
        deliver(MAILS / KILLS)
        const counts = await countMails(deps, orgId, id)
        takenIn.push(counts.message)
      }
      deliver(MAILS)
      // A kill in the middle of the work is what this test is about.
      expect(takenIn.some((count) => count > 0 && count < MAILS)).toBe(true)

      const { startEmail } = await import('../../server/channels/email/start-email.ts')
      const email = startEmail(deps)
      await eventually(async () => {
        const { pending, message, duplicate } = await countMails(deps, orgId, id)
        return pending === 0 && message + duplicate >= MAILS + DUPLICATES
      })
      await email.stop()
      const counts = await countMails(deps, orgId, id)
      expect(counts).toMatchObject({ message: MAILS, duplicate: DUPLICATES, quarantined: 0, pending: 0 })
      const texts = await deps.database.read
        .select({ text: messages.text })
        .from(messages)
        .where(eq(messages.orgId, orgId))
      expect(new Set(texts.map(({ text }) => text)).size).toBe(MAILS)
      expect(texts).toHaveLength(MAILS)
      const withoutOriginal = await deps.database.read
        .select({ hash: mails.hash })
        .from(mails)
        .where(and(eq(mails.orgId, orgId), ne(mails.outcome, 'pending')))
      for (const { hash } of withoutOriginal) {
        expect(await deps.files.open(hash ?? '')).toHaveProperty('file')
      }
    },
    MAX_TEST_MS,
  )
})

function mail(number: number): string {
  return [
    `From: Customer ${number} <customer${number}@customer.test>`,
    `To: ${ADDRESS}`,
    `Subject: Question ${number}`,
    `Message-ID: <${number}@customer.test>`,
    '',
    `This is question ${number}.`,
    '',
  ].join('\r\n')
}
