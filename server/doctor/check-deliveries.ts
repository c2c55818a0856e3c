import { countAllMail } from '../channels/email/mailboxes/mailbox-health.ts'
import { countAllBots } from '../channels/telegram/bots/bot-health.ts'
import { countSends, countUnreadEmails } from '../messages/sends/count-sends.ts'
import { countBacklog } from '../webhooks/deliveries/backlog.ts'
import { viewDeliveryError } from '../webhooks/deliveries/delivery-errors.ts'
import { listEndpoints } from '../webhooks/endpoints/endpoints.ts'
import { countOf, durationOf, type Finding, findingsOf, type OpenInstallation } from './finding.ts'

const LONG_FAILURE_MS = 24 * 3_600_000
const LATE_MS = 10 * 60_000
const VERY_LATE_MS = 3_600_000

/** Checks for webhook endpoints that fail, or that were turned off because of failures. */
export async function checkEndpoints({ deps, orgIds, now }: OpenInstallation): Promise<Finding[]> {
  const { ok, warning, error } = findingsOf('endpoint')
  const found: Finding[] = []
  let healthy = 0
  for (const orgId of orgIds) {
    for (const { id, url, offAt, offReason, failingSince, lastError } of await listEndpoints(deps, orgId)) {
      // Without its path, which may have a secret.
      const name = `The endpoint ${id} at ${new URL(url).host}`
      const why = viewDeliveryError(lastError)?.sentence ?? ''
      if (offAt !== null && offReason !== 'manual') {
        const because = offReason === 'gone' ? 'it answered 410 Gone' : 'it failed for five days'
        const advice = 'Repair it, send a test, and turn it on in Settings > Webhook endpoints.'
        found.push(error({ detail: `${name} was turned off, because ${because}. Deliveries wait.`, advice }))
      } else if (offAt === null && failingSince !== null) {
        const words = {
          detail: `${name} has been failing for ${durationOf(now - failingSince)}: ${why}`,
          advice: 'Repair the receiver. Its responses are in Settings > Delivery log.',
        }
        found.push(now - failingSince > LONG_FAILURE_MS ? error(words) : warning(words))
      } else healthy += 1
    }
  }
  if (found.length > 0 || healthy === 0) return found
  return [ok(`${countOf(healthy, 'webhook endpoint')} without problems.`)]
}

/**
 * Checks for overdue deliveries, messages, and mail. Reports only how late they are, because they may belong to other
 * organizations.
 */
export async function checkBacklog({ deps, now, isServing }: OpenInstallation): Promise<Finding[]> {
  const { ok, warning, error } = findingsOf('backlog')
  const oldest = {
    'webhook delivery': (await countBacklog(deps)).oldestDueAt,
    'message to customers': (await countSends(deps)).oldestDueAt,
    'email about an unread answer': (await countUnreadEmails(deps)).oldestDueAt,
    'received mail': (await countAllMail(deps)).oldestPendingAt,
    'update from Telegram': (await countAllBots(deps)).oldestPendingAt,
  }
  const found = Object.entries(oldest).flatMap(([what, since]) => {
    const late = since === null ? 0 : now - since
    if (late < LATE_MS) return []
    const words = {
      detail: `The oldest ${what} has been waiting for ${durationOf(late)}.`,
      advice: isServing
        ? 'Look at the log of the server for loop_failed, and at its CPU and disk.'
        : 'Start the server: bellhop serve',
    }
    return [late > VERY_LATE_MS ? error(words) : warning(words)]
  })
  return found.length > 0 ? found : [ok('No backlog.')]
}
