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
  const { ok, warning, error } = findingsOf('mailbox')
  const found: Finding[] = []
  let healthy = 0
  for (const orgId of orgIds) {
    const unfinished = await countUnfinished(deps, orgId)
    for (const row of await listMailboxes(deps, orgId)) {
      const { address, state, detail, health } = viewMailbox(row, unfinished.get(row.id))
      const name = `The mailbox ${address}`
      const said = withoutAddresses(detail)
      const since = health.failingSince === null ? 0 : now - Date.parse(health.failingSince)
      const unchecked = health.lastCheckedAt === null ? 0 : now - Date.parse(health.lastCheckedAt)
      if (state === 'refused') {
        const advice = `Correct the sign-in in Settings > Email, or try it once more: bellhop mailbox resume ${row.id}`
        found.push(error({ detail: `${name} is stopped, because the sign-in was refused: ${said}`, advice }))
      } else if (state === 'failing') {
        const words = {
          detail: `${name} has been failing for ${durationOf(since)}: ${said}`,
          advice: `Bellhop keeps trying. To see where it fails: bellhop mailbox test ${row.id}`,
        }
        found.push(since > LONG_MS ? error(words) : warning(words))
      } else if (state === 'connecting' && isServing) {
        const advice = `If this stays, see where it fails: bellhop mailbox test ${row.id}`
        found.push(warning({ detail: `${name} has not reached its mail server yet.`, advice }))
      } else if (state === 'active' && isServing && unchecked > UNCHECKED_MS) {
        const words = `${name} was last checked ${durationOf(unchecked)} ago.`
        found.push(error({ detail: words, advice: 'Look at the log of the server, and restart it.' }))
      } else healthy += 1
      if (health.quarantined > 0) {
        const words = `${name} has ${countOf(health.quarantined, 'mail')} in quarantine, which became no ticket.`
        found.push(warning({ detail: words, advice: 'Read them in Settings > Received mail.' }))
      }
    }
  }
  if (found.length > 0 || healthy === 0) return found
  return [ok(`${countOf(healthy, 'mailbox').replace('boxs', 'boxes')} without problems.`)]
}

/** Checks the Telegram bots. */
export async function checkBots({ deps, orgIds, now, isServing }: OpenInstallation): Promise<Finding[]> {
  const { ok, warning, error } = findingsOf('bot')
  const found: Finding[] = []
  let healthy = 0
  for (const orgId of orgIds) {
    for (const row of await listBots(deps, orgId)) {
      const { username, state, detail, receiveFailingSince, sendFailingSince, missedSince } = viewBot(row)
      const name = `The bot @${username}`
      const said = withoutAddresses(detail)
      const times = [receiveFailingSince, sendFailingSince].flatMap((time) =>
        time ? [Date.parse(time)] : [],
      )
      const since = times.length === 0 ? 0 : now - Math.min(...times)
      if (state === 'refused' || state === 'taken' || state === 'webhook') {
        found.push(
          error({
            detail: `${name} gets no messages: ${said}`,
            advice: 'Put it right in Settings > Telegram.',
          }),
        )
      } else if (state === 'failing') {
        const words = {
          detail: `${name} has been failing for ${durationOf(since)}: ${said}`,
          advice: 'Bellhop keeps trying. Check that this machine reaches the Telegram Bot API.',
        }
        found.push(since > LONG_MS ? error(words) : warning(words))
      } else if (state === 'connecting' && isServing) {
        const words = `${name} has not reached Telegram yet.`
        found.push(
          warning({ detail: words, advice: 'Check that this machine reaches the Telegram Bot API.' }),
        )
      } else if (missedSince !== null) {
        const words = `${name} may have missed messages: Telegram keeps them for 24 hours only.`
        found.push(
          warning({ detail: words, advice: 'Look into the chats, and dismiss it in Settings > Telegram.' }),
        )
      } else healthy += 1
    }
  }
  if (found.length > 0 || healthy === 0) return found
  return [ok(`${countOf(healthy, 'bot')} without problems.`)]
}

/** Replaces email addresses, because mail servers repeat those of customers in their errors. */
function withoutAddresses(said: string): string {
  return said.replace(ADDRESS, '(address)')
}
