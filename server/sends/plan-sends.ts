import type { Attachment } from '../attachments/queries.ts'
import type { Transaction } from '../database/database.ts'
import type { MessageEmail, MessageFormat, SendingState, SentBy } from '../database/tables/messages.ts'
import type { Recipients } from '../database/tables/scheduled-messages.ts'
import type { FrozenEmail, FrozenFile } from '../database/tables/sends.ts'
import type { Deps } from '../deps.ts'
import { addressKey, withoutRepetitions } from './email-addresses.ts'
import { emailBody, type ForwardedMessage, type QuotedText, type WrittenText } from './email-body.ts'
import { conversationOf, envelopeOf, messageEmailOf, withBrackets, withoutBrackets } from './email-content.ts'
import { referencesTo } from './message-id.ts'
import {
  type EmailedMessage,
  findAgentSignature,
  findEmailSettings,
  findNewestMessages,
  type Mailbox,
  type Send,
} from './queries.ts'
import { includesAddress, suggestRecipients } from './recipients.ts'
import { withSubjectToken } from './reply-address.ts'
import { mailboxLane, reasonToWait } from './send-lanes.ts'
import { newTelegramSend } from './telegram/plan-telegram.ts'
import { faultOfFiles, telegramParts } from './telegram/telegram-content.ts'
import type { TelegramWay } from './telegram/telegram-way.ts'
import { scheduleUnreadEmail } from './unread-email.ts'
import { emailWay, NO_MAILBOX, type SendingTicket, type WayOut, wayOutOf } from './way-out.ts'

export const NO_RECIPIENT = 'No one on this ticket has an email address. Choose a recipient.'
/** Begins the subject of a forward or an answer, in the languages of mail programs. */
const FORWARD = /^\s*(?:fwd?|wg|tr|rv|i|vb|pd|enc)\s*:/i
const ANSWER = /^\s*(?:re|aw|sv|vs|antw|odp|ynt|rif|res)\s*(?:\[\d+\])?\s*:/i

type MessageFile = Pick<
  Attachment,
  'id' | 'hash' | 'name' | 'type' | 'size' | 'width' | 'height' | 'contentId' | 'isInline'
>

/** A message to be sent now. */
export interface Outgoing {
  ticket: SendingTicket
  customer: { name: string; email: string | null }
  message: {
    id: string
    text: string
    format: MessageFormat
    /** Absent for a message that was posted with a key, or that no person wrote. */
    agentId?: string | undefined
    agentName: string
    createdAt: number
  }
  /** Its attachments, in order. */
  files?: MessageFile[]
  /** Those that its author chose; absent for those that the ticket suggests. */
  recipients?: Recipients | null | undefined
  /**
   * A reply by default. A new conversation and a forward go by email on every channel, and answer nothing. `unread` goes
   * by email to someone who has not read the answers on their own channel.
   */
  kind?: 'reply' | 'opening' | 'forward' | 'automatic' | 'unread'
  /** Instead of the one of the conversation. */
  subject?: string
  /** Texts that are sent with the message, above its own, oldest first. */
  earlier?: { text: string; format: MessageFormat; agentName: string }[]
  forwarded?: ForwardedMessage & { messageId: string }
}

/** The rows to store with the message. Insert the sends after it, in the same unit. */
export interface PlannedSends {
  sending: SendingState
  /** Why it can't be sent or has to wait, in plain words. */
  sendError: string | null
  sentBy: SentBy
  email: MessageEmail | null
  sends: Send[]
}

/**
 * Decides how a message is sent, and freezes its content, so that each attempt sends the same. If there is no way to
 * send it, it fails with the reason: it never waits silently. Call this in the unit that stores the message.
 */
export async function planSends(deps: Deps, tx: Transaction, outgoing: Outgoing): Promise<PlannedSends> {
  const { ticket, customer, kind = 'reply' } = outgoing
  const dependsOnChannel = kind === 'reply' || kind === 'automatic'
  const way: WayOut = dependsOnChannel
    ? await wayOutOf(tx, ticket, customer)
    : await emailWay(tx, ticket.orgId, ticket.mailboxId)
  if (way.kind === 'none') {
    if (way.by === 'widget') await scheduleUnreadEmail(deps, tx, ticket)
    return {
      sending: 'sent',
      sendError: null,
      sentBy: way.by === 'api' ? 'webhook' : 'widget',
      email: null,
      sends: [],
    }
  }
  if (way.kind === 'missing') return failed(way.reason, way.setting)
  if (way.kind === 'telegram') return planTelegram(deps, outgoing, way)
  const { mailbox, own } = way
  const conversation = { orgId: ticket.orgId, ticketId: ticket.id, customer, own }
  const { to, cc } = outgoing.recipients ?? (await suggestRecipients(tx, conversation))
  if (to.length === 0) return failed(NO_RECIPIENT, 'email')
  const email = await freeze(deps, tx, outgoing, { to, cc }, mailbox)
  const send = newSend(deps, outgoing, email, mailbox)
  return {
    sending: send.state === 'failed' ? 'failed' : 'queued',
    sendError: send.error || null,
    sentBy: 'email',
    email: messageEmailOf(deps, email, ticket.id),
    sends: [send],
  }
}

function failed(reason: string, sentBy: SentBy): PlannedSends {
  return { sending: 'failed', sendError: reason, sentBy, email: null, sends: [] }
}

function planTelegram(deps: Deps, { ticket, message, files = [] }: Outgoing, way: TelegramWay): PlannedSends {
  const fault = faultOfFiles(files)
  if (fault) return failed(fault, 'telegram')
  const { id, text, format } = message
  const send = newTelegramSend(deps, way, {
    orgId: ticket.orgId,
    message: { id, ticketId: ticket.id },
    content: { action: 'send', parts: telegramParts({ text, format, files }) },
  })
  return {
    sending: 'queued',
    sendError: send.error || null,
    sentBy: 'telegram',
    email: null,
    sends: [send],
  }
}

function newSend(
  deps: Deps,
  { ticket, message }: Outgoing,
  email: FrozenEmail,
  mailbox: Mailbox | undefined,
): Send {
  const waits = mailbox && reasonToWait(mailboxLane(mailbox))
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
  { to, cc }: Recipients,
  mailbox: Mailbox | undefined,
): Promise<FrozenEmail> {
  const { ticket, message, kind = 'reply', forwarded } = outgoing
  const { orgId, id: ticketId } = ticket
  const isNew = kind === 'opening' || kind === 'forward'
  const known = isNew ? [] : await findNewestMessages(tx, { orgId, ticketId })
  const answered = isNew ? undefined : answeredBy(known, { to, cc })
  const quoted = kind === 'reply' ? quotedBy(known, { to, cc }, outgoing) : undefined
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
  if (![...recipients.to, ...recipients.cc].every(({ address }) => informed.has(addressKey(address)))) {
    return undefined
  }
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
