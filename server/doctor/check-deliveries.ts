import { countAllMail } from '../channels/email/mailboxes/mailbox-health.ts'
import { countAllBots } from '../channels/telegram/bots/bot-health.ts'
import { countSends, countUnreadEmails } from '../messages/sends/count-sends.ts'
import { progressSentence, readIndexProgress } from '../search/index/progress.ts'
import { countBacklog } from '../webhooks/deliveries/backlog.ts'
import { viewDeliveryError } from '../webhooks/deliveries/delivery-errors.ts'
import { listEndpoints } from '../webhooks/endpoints/endpoints.ts'
import { durationOf, type Finding, findingsOf, type OpenInstallation } from './finding.ts'

const LONG_FAILURE_MS = 24 * 3_600_000
const LATE_MS = 10 * 60_000
const VERY_LATE_MS = 3_600_000

/** Checks for webhook endpoints that fail, or that were turned off because of failures. */
export async function checkEndpoints({ deps, orgIds, now }: OpenInstallation): Promise<Finding[]> {
  const { warning, error, all } = findingsOf('endpoint')
  const problems: Finding[] = []
  let count = 0
  for (const orgId of orgIds) {
    for (const { id, url, offAt, offReason, failingSince, lastError } of await listEndpoints(deps, orgId)) {
      count += 1
      // Without its path, which may have a secret.
      const name = `The endpoint ${id} at ${new URL(url).host}`
      if (offAt !== null && offReason !== 'manual') {
        const because = offReason === 'gone' ? 'it answered 410 Gone' : 'it failed for five days'
        const advice = 'Repair it, send a test, and turn it on in Settings > Webhook endpoints.'
        problems.push(error(`${name} was turned off, because ${because}. Deliveries wait.`, advice))
      } else if (offAt === null && failingSince !== null) {
        const problem = now - failingSince > LONG_FAILURE_MS ? error : warning
        const reason = viewDeliveryError(lastError)?.sentence ?? ''
        const detail = `${name} has been failing for ${durationOf(now - failingSince)}: ${reason}`
        problems.push(problem(detail, 'Repair the receiver. Its responses are in Settings > Delivery log.'))
      }
    }
  }
  return all(count, 'webhook endpoint', problems)
}

/**
 * Checks for overdue deliveries, messages, and mail. Reports only how late they are, because they may belong to other
 * organizations.
 */
export async function checkBacklog({ deps, now, isServing }: OpenInstallation): Promise<Finding[]> {
  const { ok, warning, error } = findingsOf('backlog')
  const advice = isServing
    ? 'Look at the log of the server for loop_failed, and at its CPU and disk.'
    : 'Start the server: bellhop serve'
  const oldest = {
    'webhook delivery': (await countBacklog(deps)).oldestDueAt,
    'message to customers': (await countSends(deps)).oldestDueAt,
    'email about an unread answer': (await countUnreadEmails(deps)).oldestDueAt,
    'received mail': (await countAllMail(deps)).oldestPendingAt,
    'update from Telegram': (await countAllBots(deps)).oldestPendingAt,
  }
  const late = Object.entries(oldest).flatMap(([what, since]) => {
    const lateMs = since === null ? 0 : now - since
    if (lateMs < LATE_MS) return []
    const problem = lateMs > VERY_LATE_MS ? error : warning
    return [problem(`The oldest ${what} has been waiting for ${durationOf(lateMs)}.`, advice)]
  })
  return late.length > 0 ? late : [ok('No backlog.')]
}

/** Says how far the index is after an import. It fills on its own, so this is no problem unless no server does it. */
export async function checkSearch({ deps, orgIds, isServing }: OpenInstallation): Promise<Finding[]> {
  const { ok, warning } = findingsOf('search')
  const found: Finding[] = []
  for (const orgId of orgIds) {
    const progress = await readIndexProgress(deps, orgId)
    if (!progress) continue
    const sentence = progressSentence(progress)
    found.push(isServing ? ok(sentence) : warning(sentence, 'Start the server: bellhop serve'))
  }
  return found.length > 0 ? found : [ok('The index is up to date, or nearly.')]
}
