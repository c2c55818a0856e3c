import { eq } from 'drizzle-orm'
import { mailboxes } from '../../database/tables/mailboxes.ts'
import type { Deps } from '../../deps.ts'
import type { Loop } from '../../loop.ts'
import { startReceiving } from '../accounts/receive-accounts.ts'
import { openImap } from './imap/imap-session.ts'
import { startProcessingMails } from './inbound/process-loop.ts'
import { type Receiving, receiveMailbox } from './inbound/receive-mailbox.ts'
import { createMailDialer } from './mail-account.ts'
import { mailAccountOf } from './mailboxes/mailbox-accounts.ts'
import { startMailboxAlerts } from './mailboxes/mailbox-health.ts'
import { mailboxAccounts } from './mailboxes/mailboxes.ts'
import { createMailParser } from './parse/parse-mail.ts'

/** Receives mail and turns it into messages. Loaded when there is a mailbox. */
export function startEmail(deps: Deps): Pick<Loop, 'stop'> {
  const mailDeps = { clock: deps.clock, dialer: createMailDialer(deps) }
  const parser = createMailParser(deps)
  const processing = startProcessingMails(deps, parser)
  const open: Receiving['open'] = async (mailbox, signal) =>
    openImap(mailDeps, mailAccountOf(deps, mailDeps.dialer, mailbox, 'imap'), signal)
  const receiving = startReceiving(deps, mailboxAccounts, {
    isActive: eq(mailboxes.state, 'active'),
    receive: (row, signal) => receiveMailbox(deps, row, { open, onFetched: processing.wake }, signal),
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
