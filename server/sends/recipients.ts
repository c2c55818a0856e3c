import type { Reader, Transaction } from '../database/database.ts'
import type { EmailAddress, MessageEmail } from '../database/tables/messages.ts'
import type { Recipients } from '../database/tables/scheduled-messages.ts'
import { type Fault, invalid } from '../errors.ts'
import { oneLine } from '../requests/text.ts'
import { addressKey, isSendable, type OwnAddresses, withoutRepetitions } from './email-addresses.ts'
import { findAgentEmails, findAutomaticEmail, findNewestEmail } from './queries.ts'
import { type SendingTicket, wayOutOf } from './way-out.ts'

/** In To and Cc together. */
const MAX_RECIPIENTS = 50
const MAX_NAME_LENGTH = 255

/** Where a reply goes unless its author chooses. */
export interface SuggestedRecipients extends Recipients {
  /** How many people on the last mail are left out because a reply can't have more recipients. */
  leftOut: number
}

interface Conversation {
  orgId: string
  ticketId: string
  /** The ticket's customer. */
  customer: { name: string; email: string | null }
  own: OwnAddresses
}

/**
 * The writer of the newest mail by a person and the others on it, less our own addresses. The ticket's customer is not
 * added to a conversation with someone else. Without such a mail: the recipients of our own newest one that is no forward,
 * the sender of an automatic one, or the customer. Empty when no one has an address.
 */
export async function suggestRecipients(
  read: Reader | Transaction,
  { orgId, ticketId, customer, own }: Conversation,
): Promise<SuggestedRecipients> {
  const ofTicket = { orgId, ticketId }
  const [newest] = await findNewestEmail(read, ofTicket)
  if (newest?.email) return limited(answerTo(newest.email), own)
  const [ours] = (await findAgentEmails(read, ofTicket)).filter(({ email }) => !email?.forwardOf)
  if (ours?.email) return limited(ours.email, own)
  const [automatic] = await findAutomaticEmail(read, ofTicket)
  if (automatic?.email) return limited(answerTo(automatic.email), own)
  const address = customer.email === null ? [] : [{ name: customer.name, address: customer.email }]
  return limited({ to: address, cc: [] }, own)
}

/** Checks and cleans recipients that someone chose. Throws 400 with a sentence for each that is wrong. */
export function requireRecipients(
  { to, cc }: Recipients,
  own: OwnAddresses,
  pointer = '/recipients',
): Recipients {
  const faults: Fault[] = []
  const given = { to: to.map(clean), cc: cc.map(clean) }
  for (const field of ['to', 'cc'] as const) {
    for (const [position, { address }] of given[field].entries()) {
      const fault = faultOf(address, own)
      if (fault) faults.push({ pointer: `${pointer}/${field}/${position}/address`, ...fault })
    }
  }
  const chosenTo = withoutRepetitions(given.to)
  const chosen = { to: chosenTo, cc: withoutRepetitions(given.cc, chosenTo) }
  if (chosen.to.length === 0) {
    faults.push({ pointer: `${pointer}/to`, code: 'required', detail: 'Add at least one recipient.' })
  }
  if (chosen.to.length + chosen.cc.length > MAX_RECIPIENTS) {
    const detail = `An email can have at most ${MAX_RECIPIENTS} recipients.`
    faults.push({ pointer, code: 'too_many', detail })
  }
  if (faults.length > 0) throw invalid(faults)
  return chosen
}

/**
 * Recipients that the author of a reply chose. Throws 400 for a wrong one, and when replies to the ticket don't leave by
 * email.
 */
export async function chooseRecipients(
  tx: Transaction,
  ticket: Pick<SendingTicket, 'id' | 'orgId' | 'channel' | 'mailboxId'>,
  { customer, recipients }: { customer: { email: string | null }; recipients: Recipients },
): Promise<Recipients> {
  const way = await wayOutOf(tx, ticket, customer)
  if (way.kind === 'email') return requireRecipients(recipients, way.own)
  const detail = "Replies to this ticket aren't sent by email, so they have no recipients."
  throw invalid([{ pointer: '/recipients', code: 'not_by_email', detail }])
}

function faultOf(address: string, own: OwnAddresses): Omit<Fault, 'pointer'> | undefined {
  if (!isSendable(address)) {
    return { code: 'invalid_address', detail: `"${address.slice(0, 80)}" is not an email address.` }
  }
  if (own.has(address)) {
    return { code: 'own_address', detail: `${address} is one of your own mailboxes.` }
  }
  return undefined
}

/** Removes control characters from a name, because they could end the header. */
function clean({ name, address }: EmailAddress): EmailAddress {
  return { name: oneLine(name).slice(0, MAX_NAME_LENGTH), address: address.trim() }
}

function answerTo({ from, replyTo, to, cc }: MessageEmail): Recipients {
  const writers = replyTo.filter(({ address }) => isSendable(address))
  return { to: writers.length > 0 ? writers : [from], cc: [...to, ...cc] }
}

/** The first of the usable ones. If none is left in To, those in Cc are the recipients. */
function limited({ to, cc }: Recipients, own: OwnAddresses): SuggestedRecipients {
  const isUsable = ({ address }: EmailAddress) => isSendable(address) && !own.has(address)
  const usableTo = withoutRepetitions(to.filter(isUsable).map(clean))
  const usableCc = withoutRepetitions(cc.filter(isUsable).map(clean), usableTo)
  const [all, copies] = usableTo.length > 0 ? [usableTo, usableCc] : [usableCc, []]
  const chosen = all.slice(0, MAX_RECIPIENTS)
  const chosenCopies = copies.slice(0, MAX_RECIPIENTS - chosen.length)
  const leftOut = all.length + copies.length - chosen.length - chosenCopies.length
  return { to: chosen, cc: chosenCopies, leftOut }
}

/** Whether one of the recipients is this person. */
export function includesAddress({ to, cc }: Recipients, address: string): boolean {
  const key = addressKey(address)
  return [...to, ...cc].some((recipient) => addressKey(recipient.address) === key)
}
