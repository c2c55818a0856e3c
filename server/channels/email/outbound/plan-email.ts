import { addressKey, withoutRepetitions } from '../../../customers/email-addresses.ts'
import type { Transaction } from '../../../database/database.ts'
import type { FrozenEmail } from '../../../database/tables/mailboxes.ts'
import type { MessageEmail } from '../../../database/tables/messages.ts'
import type { Recipients } from '../../../database/tables/scheduled-messages.ts'
import type { FrozenFile } from '../../../database/tables/sends.ts'
import type { Deps } from '../../../deps.ts'
import { failedPlan } from '../../../messages/sends/plan-sends.ts'
import type { MessageFile, Outgoing, PlannedSends, Send } from '../../channel.ts'
import { referencesTo } from '../message-id.ts'
import { withSubjectToken } from '../reply-address.ts'
import { emailBody, type QuotedText, type WrittenText } from './email-body.ts'
import { conversationOf, envelopeOf, messageEmailOf, withBrackets, withoutBrackets } from './email-content.ts'
import { type EmailWay, NO_MAILBOX, reasonToWait } from './email-way.ts'
import {
  type EmailedMessage,
  findAgentSignature,
  findEmailSettings,
  findNewestMessages,
  type Mailbox,
} from './queries.ts'
import { includesAddress, suggestRecipients } from './recipients.ts'

export const NO_RECIPIENT = 'No one on this ticket has an email address. Choose a recipient.'
/** Begins the subject of a forward or an answer, in the languages of mail programs. */
const FORWARD = /^\s*(?:fwd?|wg|tr|rv|i|vb|pd|enc)\s*:/i
const ANSWER = /^\s*(?:re|aw|sv|vs|antw|odp|ynt|rif|res)\s*(?:\[\d+\])?\s*:/i

/** Freezes an email for the recipients that its author chose, or for those that the ticket suggests. */
export async function planEmail(
  deps: Deps,
  tx: Transaction,
  outgoing: Outgoing,
  { mailbox, own }: EmailWay,
): Promise<PlannedSends> {
  const { ticket, customer } = outgoing
  const conversation = { orgId: ticket.orgId, ticketId: ticket.id, customer, own }
  const { to, cc, bcc }: Recipients = outgoing.recipients ?? (await suggestRecipients(tx, conversation))
  if (to.length === 0) return failedPlan(NO_RECIPIENT, 'email')
  const email = await freeze(deps, tx, outgoing, { to, cc, bcc }, mailbox)
  const send = newSend(deps, outgoing, email, mailbox)
  return {
    sending: send.state === 'failed' ? 'failed' : 'queued',
    sendError: send.error || null,
    sentBy: 'email',
    email: messageEmailOf(deps, email, ticket.id),
    sends: [send],
  }
}

function newSend(
  deps: Deps,
  { ticket, message }: Outgoing,
  email: FrozenEmail,
  mailbox: Mailbox | undefined,
): Send {
  const waits = mailbox && reasonToWait(mailbox)
  return {
    id: deps.newId('snd'),
    orgId: ticket.orgId,
    ticketId: ticket.id,
    messageId: message.id,
    channel: 'email',
    laneId: mailbox?.id ?? '',
    conversation: conversationOf(ticket.id, email),
    content: email,
    state: mailbox ? 'waiting' : 'failed',
    dueAt: message.createdAt,
    attempts: 0,
    externalId: withoutBrackets(email.messageId) || null,
    error: mailbox ? (waits ?? '') : NO_MAILBOX,
    outcomes: [],
    createdAt: message.createdAt,
    finishedAt: mailbox ? null : message.createdAt,
  }
}

async function freeze(
  deps: Deps,
  tx: Transaction,
  outgoing: Outgoing,
  { to, cc, bcc = [] }: Recipients,
  mailbox: Mailbox | undefined,
): Promise<FrozenEmail> {
  const { ticket, message, kind = 'reply', forwarded } = outgoing
  const { orgId, id: ticketId } = ticket
  const isNew = kind === 'opening' || kind === 'forward'
  const known = isNew ? [] : await findNewestMessages(tx, { orgId, ticketId })
  const answered = isNew ? undefined : answeredBy(known, { to, cc })
  const quoted = kind === 'reply' ? quotedBy(known, { to, cc, bcc }, outgoing) : undefined
  const files = outgoing.files ?? []
  const body = emailBody({
    texts: textsOf(outgoing),
    signatures: await signaturesOf(tx, outgoing, mailbox),
    quoted,
    forwarded,
    // Images of a forwarded message are shown inside it.
    images: files.filter(({ isInline, contentId }) => isInline && contentId === null).map(shownImage),
  })
  const agentName = message.agentId === undefined ? undefined : message.agentName
  const subject = outgoing.subject ?? subjectOf(outgoing, answered)
  return {
    ...envelopeOf(deps, mailbox, { ticketId, messageId: message.id, agentName }),
    to,
    cc: withoutRepetitions(cc, to),
    ...(bcc.length > 0 && { bcc: withoutRepetitions(bcc, [...to, ...cc]) }),
    subject: mailbox?.hasSubjectTokens ? withSubjectToken(deps.encryption, subject, ticketId) : subject,
    ...body,
    files: files.map(frozenFile),
    ...referencesOf(answered),
    date: message.createdAt,
    ...(kind === 'automatic' && { autoSubmitted: 'auto-replied' as const }),
    ...(forwarded && { forwardOf: forwarded.messageId }),
  }
}

/** Of several messages, each names its writer. */
function textsOf({ message: { text, format, agentName }, earlier = [] }: Outgoing): WrittenText[] {
  if (earlier.length === 0) return [{ text, format }]
  return [...earlier, { text, format, agentName }].map((each) => ({
    text: each.text,
    format: each.format,
    writer: each.agentName,
  }))
}

/**
 * The mail that this one answers: the newest one by one of its recipients, those in To first, or else the newest that
 * one of them received. Answering anyone else's mail would refer to a conversation that the recipients don't know.
 */
function answeredBy(known: EmailedMessage[], recipients: Recipients): EmailedMessage | undefined {
  const isBy =
    (people: Recipients) =>
    ({ role, email }: EmailedMessage) =>
      role === 'customer' && email && writersOf(email).some((one) => includesAddress(people, one))
  const byPeople = known.filter(({ isAutomatic }) => !isAutomatic)
  const isToOne = ({ email }: EmailedMessage) =>
    email && [...email.to, ...email.cc].some(({ address }) => includesAddress(recipients, address))
  return (
    byPeople.find(isBy({ to: recipients.to, cc: [] })) ??
    byPeople.find(isBy(recipients)) ??
    known.find(isToOne) ??
    known.find(isBy(recipients))
  )
}

/**
 * The newest text by one of the recipients, unless quoting it would show another recipient something they didn't
 * receive.
 */
function quotedBy(
  known: EmailedMessage[],
  recipients: Recipients,
  { customer }: Outgoing,
): QuotedText | undefined {
  const [newest] = known.filter(({ role, isAutomatic }) => role === 'customer' && !isAutomatic)
  if (!newest || newest.text.trim() === '') return undefined
  const writers = newest.email ? writersOf(newest.email) : customer.email === null ? [] : [customer.email]
  if (!writers.some((address) => includesAddress(recipients, address))) return undefined
  const readers = newest.email ? [...newest.email.to, ...newest.email.cc] : []
  const informed = new Set([...writers, ...readers.map(({ address }) => address)].map(addressKey))
  const { to, cc, bcc = [] } = recipients
  if (![...to, ...cc, ...bcc].every(({ address }) => informed.has(addressKey(address)))) return undefined
  const person = newest.email?.writer ?? newest.email?.from
  const address = person?.address ?? customer.email
  const name = person?.name || newest.authorName || customer.name
  const writer = name && name !== address ? `${name} <${address}>` : `${address}`
  return { writer, writtenAt: newest.createdAt, text: newest.text }
}

function writersOf({ from, writer = from, replyTo }: MessageEmail): string[] {
  return [from, writer, ...replyTo].map(({ address }) => address)
}

function subjectOf({ ticket, kind = 'reply' }: Outgoing, answered: EmailedMessage | undefined): string {
  const known = answered?.email?.subject || ticket.subject
  if (kind === 'opening') return known
  if (kind === 'forward') return FORWARD.test(known) ? known : `Fwd: ${known}`
  return ANSWER.test(known) ? known : `Re: ${known}`
}

function referencesOf(answered: EmailedMessage | undefined): Pick<FrozenEmail, 'inReplyTo' | 'references'> {
  const messageId = answered?.email?.messageId
  if (!answered?.email || !messageId) return { inReplyTo: null, references: [] }
  const inReplyTo = withBrackets(messageId)
  const references = answered.email.references.map(withBrackets)
  return { inReplyTo, references: referencesTo({ messageId: inReplyTo, references }) }
}

/** The agent's signature, then the mailbox's, or the organization's if the mailbox has none. */
async function signaturesOf(
  tx: Transaction,
  { ticket: { orgId }, message: { agentId } }: Outgoing,
  mailbox: Mailbox | undefined,
): Promise<string[]> {
  const [agent] = agentId === undefined ? [] : await findAgentSignature(tx, { orgId, id: agentId })
  const ofMailbox = mailbox?.signature.trim() ?? ''
  const [organization] = ofMailbox === '' ? await findEmailSettings(tx, { orgId }) : []
  const all = [agent?.signature ?? '', ofMailbox || (organization?.signature ?? '')]
  return all.map((signature) => signature.trimEnd()).filter((signature) => signature.trim() !== '')
}

function frozenFile(file: MessageFile): FrozenFile {
  const { hash, name, type, size, isInline } = file
  return { hash, name, type, size, ...(isInline && { contentId: contentIdOf(file) }) }
}

/** An image that the agent put into the message. */
function shownImage(file: MessageFile) {
  const { name, width, height } = file
  return { contentId: contentIdOf(file), name, width, height }
}

function contentIdOf({ id, contentId }: MessageFile): string {
  return contentId ?? `${id}@bellhop`
}
