import type { Deps } from '../../deps.ts'
import type { Loop } from '../../loop.ts'
import { startPruningSends } from '../../sends/prune-sends.ts'
import { startSending } from '../../sends/sending-loop.ts'
import { openImap } from './imap/imap-session.ts'
import { startProcessingMails } from './inbound/process-loop.ts'
import { startReceivingMail } from './inbound/receive-loop.ts'
import { createMailDialer } from './mail-account.ts'
import { mailAccountOf } from './mailboxes/mailbox-accounts.ts'
import { startMailboxAlerts } from './mailboxes/mailbox-alerts.ts'
import { createEmailTransport } from './outbound/email-transport.ts'
import { createMailParser } from './parse/parse-mail.ts'

/** Receives mail and turns it into messages, and sends messages. Loaded when there is a mailbox. */
export function startEmail(
  deps: Deps,
  { onSendAttempt }: { onSendAttempt?: (outcome: string) => void } = {},
): Pick<Loop, 'stop'> {
  const mailDeps = { clock: deps.clock, dialer: createMailDialer(deps) }
  const parser = createMailParser(deps)
  const processing = startProcessingMails(deps, parser)
  const receiving = startReceivingMail(deps, {
    open: async (mailbox, signal) =>
      openImap(mailDeps, mailAccountOf(deps, mailDeps.dialer, mailbox, 'imap'), signal),
    onFetched: processing.wake,
  })
  const sending = startSending(
    deps,
    { email: async () => createEmailTransport(deps, mailDeps) },
    onSendAttempt,
  )
  const [alerts, pruning] = [startMailboxAlerts(deps), startPruningSends(deps)]
  return {
    async stop() {
      await Promise.all([alerts.stop(), pruning.stop(), receiving.stop(), sending.stop()])
      // Ends a mail that is being read: it is read again after the start.
      parser.stop()
      await processing.stop()
    },
  }
}
