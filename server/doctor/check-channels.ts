import { countUnfinished } from '../channels/email/mailboxes/mailbox-health.ts'
import { listMailboxes } from '../channels/email/mailboxes/mailboxes.ts'
import { viewMailbox } from '../channels/email/mailboxes/views.ts'
import { listBots } from '../channels/telegram/bots/bots.ts'
import { viewBot } from '../channels/telegram/bots/views.ts'
import { countOf, durationOf, type Finding, findingsOf, type OpenInstallation } from './finding.ts'

/** After this time, it won't end without help. */
const LONG_MS = 3_600_000
/** A mailbox is checked every few minutes. */
const UNCHECKED_MS = 3_600_000
const ADDRESS = /[^\s<>"',;:()[\]]+@[^\s<>"',;:()[\]]+/g

/** Checks that mail servers accept the sign-in, and that mail is fetched and sent. */
export async function checkMailboxes({ deps, orgIds, now, isServing }: OpenInstallation): Promise<Finding[]> {
  const { warning, error, all } = findingsOf('mailbox')
  const problems: Finding[] = []
  let count = 0
  for (const orgId of orgIds) {
    const unfinished = await countUnfinished(deps, orgId)
    for (const row of await listMailboxes(deps, orgId)) {
      count += 1
      const { id, address, state, detail, health } = viewMailbox(row, unfinished.get(row.id))
      const name = `The mailbox ${address}`
      const reason = withoutAddresses(detail)
      if (state === 'refused') {
        const advice = `Correct the sign-in in Settings > Email, or try it once more: bellhop mailbox resume ${id}`
        problems.push(error(`${name} is stopped, because the sign-in was refused: ${reason}`, advice))
      } else if (state === 'failing') {
        const failingMs = timeSince(health.failingSince, now)
        const problem = failingMs > LONG_MS ? error : warning
        const advice = `Bellhop keeps trying. To see where it fails: bellhop mailbox test ${id}`
        problems.push(problem(`${name} has been failing for ${durationOf(failingMs)}: ${reason}`, advice))
      } else if (state === 'connecting' && isServing) {
        const advice = `If this stays, see where it fails: bellhop mailbox test ${id}`
        problems.push(warning(`${name} has not reached its mail server yet.`, advice))
      } else if (state === 'active' && isServing && timeSince(health.lastCheckedAt, now) > UNCHECKED_MS) {
        const age = durationOf(timeSince(health.lastCheckedAt, now))
        const advice = 'Look at the log of the server, and restart it.'
        problems.push(error(`${name} was last checked ${age} ago.`, advice))
      }
      if (health.quarantined > 0) {
        const mails = countOf(health.quarantined, 'mail')
        const advice = 'Read them in Settings > Received mail.'
        problems.push(warning(`${name} has ${mails} in quarantine, which became no ticket.`, advice))
      }
    }
  }
  return all(count, 'mailbox', problems)
}

/** Checks the Telegram bots. */
export async function checkBots({ deps, orgIds, now, isServing }: OpenInstallation): Promise<Finding[]> {
  const { warning, error, all } = findingsOf('bot')
  const problems: Finding[] = []
  let count = 0
  for (const orgId of orgIds) {
    for (const row of await listBots(deps, orgId)) {
      count += 1
      const { username, state, detail, receiveFailingSince, sendFailingSince, missedSince } = viewBot(row)
      const name = `The bot @${username}`
      const reason = withoutAddresses(detail)
      if (state === 'refused' || state === 'taken' || state === 'webhook') {
        problems.push(error(`${name} gets no messages: ${reason}`, 'Put it right in Settings > Telegram.'))
      } else if (state === 'failing') {
        const failingMs = Math.max(timeSince(receiveFailingSince, now), timeSince(sendFailingSince, now))
        const problem = failingMs > LONG_MS ? error : warning
        const advice = 'Bellhop keeps trying. Check that this machine reaches the Telegram Bot API.'
        problems.push(problem(`${name} has been failing for ${durationOf(failingMs)}: ${reason}`, advice))
      } else if (state === 'connecting' && isServing) {
        const advice = 'Check that this machine reaches the Telegram Bot API.'
        problems.push(warning(`${name} has not reached Telegram yet.`, advice))
      } else if (missedSince !== null) {
        const fact = `${name} may have missed messages: Telegram keeps them for 24 hours only.`
        problems.push(warning(fact, 'Look into the chats, and dismiss it in Settings > Telegram.'))
      }
    }
  }
  return all(count, 'bot', problems)
}

/** In milliseconds, of a time in ISO 8601; 0 if there is none. */
function timeSince(time: string | null, now: number): number {
  return time === null ? 0 : now - Date.parse(time)
}

/** Replaces email addresses, because mail servers repeat those of customers in their errors. */
function withoutAddresses(said: string): string {
  return said.replace(ADDRESS, '(address)')
}
