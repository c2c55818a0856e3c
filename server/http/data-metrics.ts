import { countFileBytes } from '../attachments/queries.ts'
import { readBackupStatus } from '../backup/backup-runs.ts'
import { countAllMail } from '../channels/email/mailboxes/mailbox-health.ts'
import { countAllBots } from '../channels/telegram/bots/bot-health.ts'
import type { Deps } from '../deps.ts'
import { countSends, countUnreadEmails } from '../messages/sends/count-sends.ts'
import { countBacklog } from '../webhooks/deliveries/backlog.ts'
import { byLabel, gauge, type Metric } from './prometheus-text.ts'

/** Adding up the sizes reads every attachment, so it is done at most this often. */
const KEEP_BYTES_MS = 300_000

/** Measures the data of all organizations: deliveries, received and sent messages, files, and backups. */
export function createDataMetrics(deps: Deps): () => Promise<Metric[]> {
  let files: { bytes: number; at: number } | undefined

  async function fileBytes(): Promise<number> {
    const now = deps.clock.monotonic()
    if (!files || now - files.at > KEEP_BYTES_MS) files = { bytes: await countFileBytes(deps), at: now }
    return files.bytes
  }

  return async () => [
    ...(await deliveryMetrics(deps)),
    ...(await mailMetrics(deps)),
    ...(await sendMetrics(deps)),
    gauge(
      'bellhop_attachment_bytes',
      'Size of all attachments, the same file counted once.',
      await fileBytes(),
    ),
    ...(await telegramMetrics(deps)),
    ...(await backupMetrics(deps)),
  ]
}

async function deliveryMetrics(deps: Deps): Promise<Metric[]> {
  const { pending, held, inFlight, failed, oldestDueAt } = await countBacklog(deps)
  return [
    byState(
      'bellhop_deliveries',
      'Webhook deliveries by state. Held deliveries wait for a disabled endpoint.',
      { pending, held, in_flight: inFlight, failed },
    ),
    age(deps, 'bellhop_delivery_oldest_due_seconds', 'Age of the oldest delivery that is due.', oldestDueAt),
  ]
}

async function mailMetrics(deps: Deps): Promise<Metric[]> {
  const { states, unfetched, outcomes, oldestPendingAt } = await countAllMail(deps)
  return [
    byState('bellhop_mailboxes', 'Mailboxes by state. Refused mailboxes need a new sign-in.', states),
    gauge(
      'bellhop_mails_waiting',
      'Emails on the mail servers or here that are still to be processed.',
      unfetched + outcomes.pending,
    ),
    byLabel('gauge', 'bellhop_mails', 'Received emails by outcome.', {
      label: 'outcome',
      counts: Object.entries(outcomes),
    }),
    age(deps, 'bellhop_mail_oldest_pending_seconds', 'Age of the oldest pending email.', oldestPendingAt),
  ]
}

async function sendMetrics(deps: Deps): Promise<Metric[]> {
  const { waiting, sending, oldestDueAt } = await countSends(deps)
  const unread = await countUnreadEmails(deps)
  return [
    byState('bellhop_sends', 'Messages that are still to be sent, by state.', { waiting, sending }),
    age(deps, 'bellhop_send_oldest_due_seconds', 'Age of the oldest message that is due.', oldestDueAt),
    gauge(
      'bellhop_unread_answers_waiting',
      'Conversations of the website widget with answers that are emailed unless they are read first.',
      unread.waiting,
    ),
    age(
      deps,
      'bellhop_unread_answer_oldest_due_seconds',
      'Age of the oldest unread answer whose email is due.',
      unread.oldestDueAt,
    ),
  ]
}

/** Outgoing messages count as sends. */
async function telegramMetrics(deps: Deps): Promise<Metric[]> {
  const { states, pending, oldestPendingAt, unknown } = await countAllBots(deps)
  return [
    byState('bellhop_bots', 'Telegram bots by state.', states),
    gauge('bellhop_telegram_updates_waiting', 'Updates from Telegram still to be processed.', pending),
    age(
      deps,
      'bellhop_telegram_oldest_update_seconds',
      'Age of the oldest update from Telegram that is still to be processed.',
      oldestPendingAt,
    ),
    gauge(
      'bellhop_telegram_unknown_updates',
      'Updates from Telegram that Bellhop does not know or could not read, of the bots that are connected.',
      unknown,
    ),
  ]
}

/** None without automatic backups: an alert about a missing backup would otherwise never end. */
async function backupMetrics(deps: Deps): Promise<Metric[]> {
  const { backup, backupEveryMs } = deps.config
  if (!backup) return []
  const { lastSuccess, failures } = await readBackupStatus(deps)
  return [
    gauge(
      'bellhop_backup_last_success_timestamp_seconds',
      'When the last successful backup began, in seconds since 1970. 0 if there is none.',
      (lastSuccess?.startedAt ?? 0) / 1000,
    ),
    gauge(
      'bellhop_backup_last_success_bytes',
      'Size of the last successful backup.',
      lastSuccess?.bytes ?? 0,
    ),
    gauge('bellhop_backup_interval_seconds', 'How often a backup is made.', backupEveryMs / 1000),
    gauge('bellhop_backup_failures', 'Backups that failed in a row, up to now.', failures),
  ]
}

function byState(name: string, help: string, states: Record<string, number>): Metric {
  return byLabel('gauge', name, help, { label: 'state', counts: Object.entries(states) })
}

/** In seconds; 0 when nothing is waiting. */
function age({ clock }: Deps, name: string, help: string, since: number | null): Metric {
  return gauge(name, help, since === null ? 0 : Math.max(0, clock.now() - since) / 1000)
}
