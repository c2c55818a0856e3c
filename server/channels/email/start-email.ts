import type { Deps } from '../../deps.ts'
import type { Loop } from '../../loop.ts'
import { openImap } from './imap/imap-session.ts'
import { startProcessingMails } from './inbound/process-loop.ts'
import { startReceivingMail } from './inbound/receive-mailbox.ts'
import { createMailDialer } from './mail-account.ts'
import { mailAccountOf } from './mailboxes/mailbox-accounts.ts'
import { startMailboxAlerts } from './mailboxes/mailbox-health.ts'
import { createMailParser } from './parse/parse-mail.ts'

/** Receives mail and turns it into messages. Loaded when there is a mailbox. */
export function startEmail(deps: Deps): Pick<Loop, 'stop'> {
  const mailDeps = { clock: deps.clock, dialer: createMailDialer(deps) }
  const parser = createMailParser(deps)
  const processing = startProcessingMails(deps, parser)
  const receiving = startReceivingMail(deps, {
    open: async (mailbox, signal) =>
      openImap(mailDeps, mailAccountOf(deps, mailDeps.dialer, mailbox, 'imap'), signal),
    onFetched: processing.wake,
  })
  const alerts = startMailboxAlerts(deps)
  return {
    async stop() {
      await Promise.all([alerts.stop(), receiving.stop()])
      // Stops reading a mail, which is read again after the next start.
      parser.stop()
      await processing.stop()
    },
  }
}
