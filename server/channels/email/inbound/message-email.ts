import { addressKey, withoutRepetitions } from '../../../customers/email-addresses.ts'
import type { Transaction } from '../../../database/database.ts'
import type { EmailAddress, MessageEmail } from '../../../database/tables/messages.ts'
import { domainOf } from '../mailboxes/mailbox-rows.ts'
import { withoutBrackets } from '../outbound/email-content.ts'
import type { OwnAddresses } from '../own-addresses.ts'
import type { Authentication, ParsedMail } from '../parse/parsed-mail.ts'
import { withoutToken } from '../reply-address.ts'
import { findAddresses } from './queries.ts'
import type { Writer } from './writer.ts'

const MAX_DELIVERED_TO = 5

/** What a message keeps of the headers of its mail. */
export async function messageEmailOf(
  tx: Transaction,
  {
    orgId,
    parsed,
    writer: { from, person },
    own,
  }: { orgId: string; parsed: ParsedMail; writer: Writer; own: OwnAddresses },
): Promise<MessageEmail> {
  const { replyTo, to, cc, subject, authentication } = parsed
  const plain = await withoutTokensOf(tx, orgId)
  const messageId = parsed.messageId && withoutBrackets(parsed.messageId)
  const references = parsed.references.map(withoutBrackets)
  const deliveredTo = parsed.deliveredTo.filter((address) => !own.has(address)).slice(0, MAX_DELIVERED_TO)
  // One of several senders may be the one that was checked.
  const hasFailed = authentication !== null && isUnverified(authentication)
  return {
    from,
    replyTo: replyTo.map(plain),
    to: withoutRepetitions(to.map(plain)),
    cc: withoutRepetitions(cc.map(plain)),
    subject,
    messageId,
    references,
    ...(person !== from && { writer: person }),
    ...(deliveredTo.length > 0 && { deliveredTo }),
    ...((hasFailed || parsed.hasSeveralSenders) && { isUnverified: true }),
  }
}

/**
 * Removes the tokens from our own addresses, so that people see the addresses they know. Those of removed mailboxes are
 * among them: answers still name them.
 */
async function withoutTokensOf(
  tx: Transaction,
  orgId: string,
): Promise<(address: EmailAddress) => EmailAddress> {
  const own = new Set((await findAddresses(tx, { orgId })).map(({ address }) => addressKey(address)))
  return ({ name, address }) => {
    const plain = withoutToken(address)
    return { name, address: own.has(addressKey(plain)) ? plain : address }
  }
}

/** Whether the mailbox's server found that the domain in From, its parent or its child sent or signed the mail. */
export function provesSender(authentication: Authentication | null, address: string): boolean {
  if (authentication === null || isUnverified(authentication)) return false
  const domain = domainOf(address).toLowerCase()
  const isRelated = (other: string) => domain.endsWith(`.${other}`) || other.endsWith(`.${domain}`)
  return (
    authentication.dmarc === 'pass' ||
    authentication.domains.some((other) => other === domain || (other.includes('.') && isRelated(other)))
  )
}

/**
 * Follows the rule of the sender's domain (RFC 7489). Without such a rule, a mail is unverified if the domain neither
 * sent nor signed it.
 */
function isUnverified({ dmarc, spf, dkim }: Authentication): boolean {
  return dmarc === 'fail' || (dmarc === 'none' && spf === 'fail' && dkim !== 'pass')
}
