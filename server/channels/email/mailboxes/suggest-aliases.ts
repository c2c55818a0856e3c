import { desc } from 'drizzle-orm'
import { addressKey, isSendable } from '../../../customers/email-addresses.ts'
import { matches } from '../../../database/matches.ts'
import { mails } from '../../../database/tables/mailboxes.ts'
import { messages } from '../../../database/tables/messages.ts'
import type { Deps } from '../../../deps.ts'
import { findMailboxes } from '../outbound/queries.ts'
import { ownAddresses } from '../own-addresses.ts'
import { withoutToken } from '../reply-address.ts'
import { domainOf } from './mailbox-rows.ts'
import { readMailbox } from './mailboxes.ts'

/** The newest mails that are looked at. */
const MAX_MAILS = 300
const MAX_SUGGESTIONS = 10

interface SuggestedAlias {
  address: string
  /** How many of the newest mails it is on. */
  mails: number
}

/**
 * Addresses that seem to lead to a mailbox, the most frequent first: those its server names as delivered to, and
 * recipients at one of our domains on mail that names no known address of ours. Throws 404.
 */
export async function suggestAliases(deps: Deps, orgId: string, id: string): Promise<SuggestedAlias[]> {
  const mailbox = await readMailbox(deps, orgId, id)
  const { read } = deps.database
  const known = await findMailboxes(read, { orgId })
  const own = ownAddresses(known)
  const domains = new Set(known.map(({ address }) => domainOf(address)))
  const newest = await read
    .select({ email: messages.email })
    .from(mails)
    .innerJoin(messages, matches(messages, { orgId: mails.orgId, id: mails.messageId }))
    .where(matches(mails, { orgId, mailboxId: mailbox.id, outcome: 'message' }))
    .orderBy(desc(mails.id))
    .limit(MAX_MAILS)
  const found = new Map<string, SuggestedAlias>()
  for (const { email } of newest) {
    if (!email) continue
    const recipients = [...email.to, ...email.cc].map(({ address }) => address)
    const isNamed = recipients.some((address) => own.has(address))
    const here = isNamed ? [] : recipients.filter((address) => domains.has(domainOf(address)))
    const onMail = new Map([...here, ...(email.deliveredTo ?? [])].map((each) => [addressKey(each), each]))
    for (const [key, address] of onMail) {
      if (own.has(address) || !isSendable(address)) continue
      const before = found.get(key)
      found.set(key, { address: before?.address ?? withoutToken(address), mails: (before?.mails ?? 0) + 1 })
    }
  }
  return [...found.values()].sort((one, other) => other.mails - one.mails).slice(0, MAX_SUGGESTIONS)
}
