import { desc, eq } from 'drizzle-orm'
import { listBots } from '../channels/telegram/bots/bots.ts'
import { events } from '../database/tables/events.ts'
import { mails } from '../database/tables/mailboxes.ts'
import { machineFaults } from './check-machine.ts'
import { durationOf, type Finding, findingsOf, type OpenInstallation } from './finding.ts'

const { ok, warning, error } = findingsOf('clock')
/** The `Date` header has whole seconds, and the response takes some time to arrive. */
const MAX_DIFFERENCE_MS = 60_000
/** S3 refuses requests from here on, and one-time codes and certificates begin to fail. */
const LARGE_DIFFERENCE_MS = 300_000
const ADVICE = 'Turn on time synchronization: timedatectl set-ntp true'
const NEWEST_MAILS = 3

/** Compares the clock with stored times, and with servers that are used anyway. */
export async function checkClock(open: OpenInstallation): Promise<Finding[]> {
  const past = machineFaults(open.now).find(({ check }) => check === 'clock')
  if (past) return [error(past.detail, past.advice)]
  const stored = (await newestStored(open)) - open.now
  if (stored > LARGE_DIFFERENCE_MS) {
    const detail = `The newest change is stored with a time that is ${durationOf(stored)} ahead: the clock was set back.`
    return [error(detail, `Check the clock. ${ADVICE}`)]
  }
  const difference = largest([await aheadByMail(open), ...(await aheadByHttp(open))])
  if (difference === undefined) return [ok('The clock is correct.')]
  return [
    judgeClock(difference, 'that of other servers') ??
      ok('The clock is correct: it matches that of other servers.'),
  ]
}

/** `ahead` is how far another clock is ahead of this one, in milliseconds. Undefined when it agrees. */
export function judgeClock(ahead: number, other: string): Finding | undefined {
  const size = Math.abs(ahead)
  if (size < MAX_DIFFERENCE_MS) return undefined
  const detail = `The clock is ${durationOf(size)} ${ahead > 0 ? 'behind' : 'ahead of'} ${other}.`
  return (size > LARGE_DIFFERENCE_MS ? error : warning)(detail, ADVICE)
}

function largest(differences: (number | undefined)[]): number | undefined {
  const known = differences.filter((one) => one !== undefined)
  return known.sort((one, other) => Math.abs(other) - Math.abs(one))[0]
}

async function newestStored({ deps, orgIds }: OpenInstallation): Promise<number> {
  let newest = 0
  for (const orgId of orgIds) {
    const [last] = await deps.database.read
      .select({ at: events.createdAt })
      .from(events)
      .where(eq(events.orgId, orgId))
      .orderBy(desc(events.number))
      .limit(1)
    newest = Math.max(newest, last?.at ?? 0)
  }
  return newest
}

/**
 * How far the clocks of mail servers are ahead. A mail can't be fetched before it was received, so a later time shows
 * that the clock is behind; an earlier one shows nothing. A single mail could have any time, so one isn't enough.
 */
async function aheadByMail({ deps, orgIds }: OpenInstallation): Promise<number | undefined> {
  const found: number[] = []
  for (const orgId of orgIds) {
    const newest = await deps.database.read
      .select({ receivedAt: mails.receivedAt, createdAt: mails.createdAt })
      .from(mails)
      .where(eq(mails.orgId, orgId))
      .orderBy(desc(mails.id))
      .limit(NEWEST_MAILS)
    const least = Math.min(...newest.map(({ receivedAt, createdAt }) => receivedAt - createdAt))
    if (newest.length === NEWEST_MAILS && least > 0) found.push(least)
  }
  return largest(found)
}

/** How far the clocks of the S3 server of backups and of Telegram are ahead, by the header of an answer. */
async function aheadByHttp({ deps, orgIds, signal }: OpenInstallation): Promise<number[]> {
  const { backup, telegramApi } = deps.config
  const urls: string[] = []
  if (backup?.kind === 's3') urls.push(backup.endpoint ?? 'https://s3.amazonaws.com')
  for (const orgId of orgIds) {
    const isUsed = (await listBots(deps, orgId)).some(({ state }) => state !== 'paused')
    if (isUsed && !urls.includes(telegramApi)) urls.push(telegramApi)
  }
  const found = await Promise.all(
    urls.map(async (url) => {
      try {
        const response = await fetch(url, { method: 'HEAD', redirect: 'manual', signal })
        return Date.parse(response.headers.get('date') ?? '') - deps.clock.now()
      } catch {
        // Other checks say that it can't be reached.
        return Number.NaN
      }
    }),
  )
  return found.filter((one) => Number.isFinite(one))
}
