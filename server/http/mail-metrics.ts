import { countFileBytes } from '../attachments/queries.ts'
import { countAllMail } from '../channels/email/mailboxes/mailbox-health.ts'
import type { Deps } from '../deps.ts'
import { countSends, countUnreadEmails } from '../sends/count-sends.ts'
import type { Metric } from './prometheus-text.ts'

/** Adding up the sizes reads every attachment, so it is done at most this often. */
const KEEP_BYTES_MS = 300_000

/** Measures the email of all organizations: received mail, mail to be sent, and files. */
export function createMailMetrics(deps: Deps): {
  countAttempt(outcome: string): void
  metrics(): Promise<Metric[]>
} {
  const attempts = new Map<string, number>()
  let files: { bytes: number; at: number } | undefined

  async function fileBytes(): Promise<number> {
    const now = deps.clock.monotonic()
    if (!files || now - files.at > KEEP_BYTES_MS) files = { bytes: await countFileBytes(deps), at: now }
    return files.bytes
  }

  return {
    countAttempt: (outcome) => attempts.set(outcome, (attempts.get(outcome) ?? 0) + 1),
    metrics: async () => metricsOf(deps, { attempts, fileBytes: await fileBytes() }),
  }
}

async function metricsOf(
  deps: Deps,
  { attempts, fileBytes }: { attempts: ReadonlyMap<string, number>; fileBytes: number },
): Promise<Metric[]> {
  const mail = await countAllMail(deps)
  const sends = await countSends(deps)
  const unread = await countUnreadEmails(deps)
  const now = deps.clock.now()
  const ageS = (since: number | null) => (since === null ? 0 : Math.max(0, now - since) / 1000)
  const waitingMails = mail.unfetched + mail.outcomes.pending
  return [
    byLabel(
      'bellhop_mailboxes',
      'Mailboxes by state. Refused mailboxes need a new sign-in.',
      'state',
      mail.states,
    ),
    gauge(
      'bellhop_mails_waiting',
      'Emails on the mail servers or here that are still to be processed.',
      waitingMails,
    ),
    byLabel('bellhop_mails', 'Received emails by outcome.', 'outcome', mail.outcomes),
    gauge(
      'bellhop_mail_oldest_pending_seconds',
      'Age of the oldest pending email.',
      ageS(mail.oldestPendingAt),
    ),
    byLabel('bellhop_sends', 'Messages that are still to be sent, by state.', 'state', {
      waiting: sends.waiting,
      sending: sends.sending,
    }),
    gauge(
      'bellhop_send_oldest_due_seconds',
      'Age of the oldest message that is due.',
      ageS(sends.oldestDueAt),
    ),
    gauge(
      'bellhop_unread_answers_waiting',
      'Conversations of the website widget with answers that are emailed unless they are read first.',
      unread.waiting,
    ),
    gauge(
      'bellhop_unread_answer_oldest_due_seconds',
      'Age of the oldest unread answer whose email is due.',
      ageS(unread.oldestDueAt),
    ),
    {
      name: 'bellhop_send_attempts_total',
      help: 'Attempts to send a message by outcome.',
      type: 'counter',
      values: samples('outcome', attempts),
    },
    gauge('bellhop_attachment_bytes', 'Size of all attachments, the same file counted once.', fileBytes),
  ]
}

function byLabel(name: string, help: string, label: string, counts: Record<string, number>): Metric {
  return { name, help, type: 'gauge', values: samples(label, Object.entries(counts)) }
}

function samples(label: string, counts: Iterable<[string, number]>) {
  return [...counts].map(([key, value]) => ({ labels: { [label]: key }, value }))
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, help, type: 'gauge', values: [{ value }] }
}
