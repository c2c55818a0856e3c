import { emailsOfTicket } from '../../../customers/customer-emails.ts'
import {
  addressKey,
  isFormSender,
  isNoReply,
  isSendable,
  withoutRepetitions,
} from '../../../customers/email-addresses.ts'
import type { Reader, Transaction } from '../../../database/database.ts'
import type { EmailAddress, MessageEmail } from '../../../database/tables/messages.ts'
import type { Recipients } from '../../../database/tables/scheduled-messages.ts'
import { type Fault, invalid } from '../../../errors.ts'
import { oneLine } from '../../../text/text.ts'
import type { SuggestedRecipients } from '../../channel.ts'
import type { OwnAddresses } from '../own-addresses.ts'
import { findAgentEmail, findAutomaticEmail, findNewestEmail } from './queries.ts'

/** In To, Cc, and Bcc together. */
const MAX_RECIPIENTS = 50
const MAX_NAME_LENGTH = 255

interface Conversation {
  orgId: string
  ticketId: string
  /** The ticket's customer. */
  customer: { name: string }
  own: OwnAddresses
}

/**
 * The writer of the newest mail by a person and the others on it, less our own addresses, and always the ticket's
 * customer: at the address of theirs that is on the mail, or else at their first. Third parties, to whom an agent forwarded a message, are left out. Without such a mail: the recipients of our
 * own newest one that is no forward, the sender of an automatic one, or the customer. Empty when no one has an address.
 */
export async function suggestRecipients(
  read: Reader | Transaction,
  conversation: Conversation,
): Promise<SuggestedRecipients> {
  const { email, ...newest } = await newestRecipients(read, conversation)
  const emails = await emailsOfTicket(read, conversation)
  const suggested = limited(newest, conversation, emails)
  const elsewhere = email ? repliesElsewhere(email, suggested, emails) : []
  return { ...suggested, ...(elsewhere.length > 0 && { elsewhere }) }
}

/** Anyone can have answers sent to someone else. */
function repliesElsewhere(
  { from, writer = from, replyTo }: MessageEmail,
  { to, cc }: Recipients,
  emails: readonly string[],
): EmailAddress[] {
  const known = [from, writer, ...emails.map((address) => ({ name: '', address }))]
  const named = withoutRepetitions(replyTo, known)
  return [...to, ...cc].filter(({ address }) => includesAddress({ to: named, cc: [] }, address))
}

async function newestRecipients(
  read: Reader | Transaction,
  { orgId, ticketId }: Conversation,
): Promise<Answered & { email?: MessageEmail }> {
  const ofTicket = { orgId, ticketId }
  const [newest] = await findNewestEmail(read, ofTicket)
  if (newest?.email) return { ...answerTo(newest.email), email: newest.email }
  const [ours] = await findAgentEmail(read, ofTicket)
  if (ours?.email) return { to: ours.email.to, cc: ours.email.cc }
  const [automatic] = await findAutomaticEmail(read, ofTicket)
  return automatic?.email ? answerTo(automatic.email) : { to: [], cc: [] }
}

/** Checks and cleans recipients that someone chose. Throws 400 with a sentence for each that is wrong. */
export function requireRecipients(
  { to, cc, bcc = [] }: Recipients,
  own: OwnAddresses,
  pointer = '/recipients',
): Recipients {
  const faults: Fault[] = []
  const given = { to: to.map(clean), cc: cc.map(clean), bcc: bcc.map(clean) }
  for (const field of ['to', 'cc', 'bcc'] as const) {
    for (const [position, { address }] of given[field].entries()) {
      const fault = faultOf(address, own)
      if (fault) faults.push({ pointer: `${pointer}/${field}/${position}/address`, ...fault })
    }
  }
  const chosenTo = withoutRepetitions(given.to)
  const chosenCc = withoutRepetitions(given.cc, chosenTo)
  const chosenBcc = withoutRepetitions(given.bcc, [...chosenTo, ...chosenCc])
  const chosen = { to: chosenTo, cc: chosenCc, ...(chosenBcc.length > 0 && { bcc: chosenBcc }) }
  if (chosenTo.length === 0) {
    faults.push({ pointer: `${pointer}/to`, code: 'required', detail: 'Add at least one recipient.' })
  }
  if (chosenTo.length + chosenCc.length + chosenBcc.length > MAX_RECIPIENTS) {
    const detail = `An email can have at most ${MAX_RECIPIENTS} recipients.`
    faults.push({ pointer, code: 'too_many', detail })
  }
  if (faults.length > 0) throw invalid(faults)
  return chosen
}

function faultOf(address: string, own: OwnAddresses): Omit<Fault, 'pointer'> | undefined {
  if (!isSendable(address)) {
    return { code: 'invalid_address', detail: `"${address.slice(0, 80)}" is not an email address.` }
  }
  if (own.has(address)) {
    return { code: 'own_address', detail: `${address} is one of your own addresses.` }
  }
  return undefined
}

/** Removes control characters from a name, because they could end the header. */
function clean({ name, address }: EmailAddress): EmailAddress {
  return { name: oneLine(name).slice(0, MAX_NAME_LENGTH), address: address.trim() }
}

interface Answered extends Recipients {
  /** The address of the form that sent the mail, with the person who filled it in as `Reply-To`. */
  form?: string
}

function answerTo({ from, writer, replyTo, to, cc }: MessageEmail): Answered {
  // Not to the form or the group that sent it in their name.
  if (writer) return { to: [writer], cc: withoutRepetitions([...to, ...cc], [from]) }
  const writers = replyTo.filter(({ address }) => isSendable(address))
  const isForm = isFormSender(from.address) && withoutRepetitions(writers, [from]).length > 0
  return {
    to: writers.length > 0 ? writers : [from],
    cc: [...to, ...cc],
    ...(isForm && { form: addressKey(from.address) }),
  }
}

/** The first of the usable ones, and always the customer. If none is left in To, those in Cc are the recipients. */
function limited(
  { to, cc, form }: Answered,
  { customer, own }: Conversation,
  emails: readonly string[],
): Recipients & { leftOut: number } {
  const usable = (addresses: EmailAddress[]) =>
    addresses.filter(({ address }) => isSendable(address) && !own.has(address)).map(clean)
  const usableTo = withoutRepetitions(usable(to))
  const usableCc = withoutRepetitions(usable(cc), usableTo)
  const [people, copies] = usableTo.length > 0 ? [usableTo, usableCc] : [usableCc, []]
  const known = [...people, ...copies]
  const keys = new Set(emails.map(addressKey))
  const [first = ''] = emails
  const address = known.find((person) => keys.has(addressKey(person.address)))?.address ?? first
  const owner = address === '' ? [] : usable([{ name: customer.name, address }])
  // No one reads answers there. The person who filled in a form is in Reply-To.
  const isReached = known.length > 0 && (isNoReply(address) || addressKey(address) === form)
  const missing = isReached ? [] : withoutRepetitions(owner, known)
  const isTooMany = people.length + copies.length + missing.length > MAX_RECIPIENTS
  const all = isTooMany ? withoutRepetitions([...owner, ...people]) : [...people, ...missing]
  const others = withoutRepetitions(copies, all)
  const chosen = all.slice(0, MAX_RECIPIENTS)
  const chosenCopies = others.slice(0, MAX_RECIPIENTS - chosen.length)
  const leftOut = all.length + others.length - chosen.length - chosenCopies.length
  return { to: chosen, cc: chosenCopies, leftOut }
}

/** Whether one of the recipients is this person. */
export function includesAddress({ to, cc }: Recipients, address: string): boolean {
  const key = addressKey(address)
  return [...to, ...cc].some((recipient) => addressKey(recipient.address) === key)
}
