import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { countMails } from '../../server/channels/email/mailboxes/mailbox-health.ts'
import { readMailbox } from '../../server/channels/email/mailboxes/mailboxes.ts'
import { startEmail } from '../../server/channels/email/start-email.ts'
import { engine } from '../../server/database/columns.ts'
import { startDovecot } from '../support/mail/dovecot.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'
import { connectMailbox, mailSettings } from '../support/mail/mailbox-service.ts'
import { fillUp, mountSmallDisk } from '../support/small-disk.ts'
import { eventually, openWebhooks } from '../support/webhooks.ts'

const ADDRESS = 'support@helpdesk.test'
const PASSWORD = 'secret'
const LONG_TEST_MS = 60_000

const disk = engine === 'sqlite' ? mountSmallDisk() : undefined

describeWithMail('when the disk is full', () => {
  test.if(disk !== undefined)(
    'mail stays on the mail server, the log says why, and it comes in once there is space',
    async () => {
      const dovecot = await startDovecot({ users: { [ADDRESS]: PASSWORD } })
      const place = { BELLHOP_DATA: join(disk ?? '', 'data') }
      await using webhooks = await openWebhooks({ place, settings: await mailSettings() })
      const { deps, orgId } = webhooks
      const { id } = await connectMailbox(
        webhooks,
        { orgId },
        { dovecot, address: ADDRESS, password: PASSWORD },
      )
      const email = startEmail(deps)
      await eventually(async () => (await readMailbox(deps, orgId, id)).lastCheckedAt !== null)
      const release = fillUp(disk ?? '')
      const line = `${'x'.repeat(70)}\r\n`
      dovecot.deliver(ADDRESS, mail(line.repeat(2_000)))
      const isSaid = () => webhooks.logLines.some((entry) => /disk_full|disk is full|SQLITE_FULL/.test(entry))
      await eventually(isSaid)
      expect(await dovecot.mails(ADDRESS)).toHaveLength(1)
      expect((await countMails(deps, orgId, id)).message).toBe(0)
      release()
      await eventually(async () => (await countMails(deps, orgId, id)).message === 1)
      await eventually(async () => (await readMailbox(deps, orgId, id)).receiveError === '')
      await email.stop()
      await dovecot.stop()
    },
    LONG_TEST_MS,
  )
})

function mail(body: string): string {
  return `From: Ana <ana@customer.test>\r\nTo: ${ADDRESS}\r\nSubject: Hello\r\nMessage-ID: <full@customer.test>\r\n\r\n${body}`
}
