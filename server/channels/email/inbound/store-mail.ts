import type { ReceivedFile } from '../../../attachments/bindings.ts'
import { upsertCustomer, upsertCustomerByIdentity } from '../../../customers/customers.ts'
import { addressKey } from '../../../customers/email-addresses.ts'
import type { Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { insertOf } from '../../../database/statement.ts'
import type { MailOutcome, mails } from '../../../database/tables/mailboxes.ts'
import { messageContents } from '../../../database/tables/messages.ts'
import { emailedVisitors } from '../../../database/tables/widgets.ts'
import type { Deps } from '../../../deps.ts'
import { recordEvents, recordWorkspaceChange } from '../../../events/events.ts'
import { addAgentMessage } from '../../../tickets/messages.ts'
import type { Message } from '../../../tickets/queries.ts'
import { receiveCustomerMessage } from '../../../tickets/receive-message.ts'
import { openTicket } from '../../../tickets/tickets.ts'
import { lockAssignees } from '../../../tickets/update-ticket.ts'
import { noticeIdsIn, ownMessageIdsIn } from '../message-id.ts'
import { emailWay } from '../outbound/email-way.ts'
import type { OwnAddresses } from '../own-addresses.ts'
import { firstCodePoints } from '../parse/clean-text.ts'
import type { BounceReport, ParsedMail, ParseResult } from '../parse/parsed-mail.ts'
import { withoutSubjectToken } from '../reply-address.ts'
import { planAutoReply } from './auto-reply.ts'
import { recordBounce } from './bounces.ts'
import { findTicketOf, type MailTicket, ownMessageIn } from './find-ticket.ts'
import { findOrAddKnownMail, hashOf, type KnownMail, saveKnownMail } from './known-mails.ts'
import { messageEmailOf, provesSender } from './message-email.ts'
import { storeNoticeAnswer } from './notice-answer.ts'
import { findMailbox, lockPending, type Mailbox, saveOutcome } from './queries.ts'
import {
  AUTOMATIC_REASONS,
  answerOf,
  type ColleagueAnswer,
  findColleague,
  isAutomatic,
  nameOf,
  type Writer,
  writerOf,
} from './writer.ts'

const MAX_SUBJECT_LENGTH = 255
const NO_SUBJECT = '(no subject)'
const UNKNOWN_SENDER = 'Unknown sender'
/** Written by our own mails: `<message id>.<signature>`. */
const OWN_HEADER = 'x-bellhop-message'

export type Mail = typeof mails.$inferSelect

/** What became of a mail. */
interface StoredMail {
  outcome: Exclude<MailOutcome, 'pending'>
  reason?: string
  ticketId?: string
  messageId?: string
}

/**
 * Decides what becomes of a fetched mail, and stores all of it in the caller's unit: the message, its files, the outcome
 * in the ledger. Undefined, and nothing changes, if the mail is not pending anymore.
 */
export async function storeMail(
  deps: Deps,
  tx: Transaction,
  mail: Mail,
  { result, files }: { result: ParseResult; files: ReceivedFile[] },
): Promise<StoredMail | undefined> {
  const [mailbox] = await findMailbox(tx, { orgId: mail.orgId, id: mail.mailboxId })
  if (!mailbox) return undefined
  const assignable = await lockAssignees(tx, mail.orgId, [{ assignedTo: mailbox.defaultAssignee }])
  const [pending] = await lockPending(tx, { orgId: mail.orgId, id: mail.id })
  if (!pending) return undefined
  const decided =
    result.outcome === 'parsed'
      ? await storeParsed(deps, tx, { mail, mailbox, parsed: result.mail, files, assignable })
      : quarantined(result.reason)
  const stored =
    decided.outcome === 'quarantined' && mail.becomesTicket
      ? await storeUnread(deps, tx, {
          mail,
          mailbox,
          assignable,
          reason: decided.reason ?? '',
          ...wordsIn(result),
        })
      : decided
  await saveOutcome(tx, { orgId: mail.orgId, id: mail.id, ...ledgerRow(deps, result, stored) })
  if (stored.outcome === 'duplicate' && stored.ticketId !== undefined) {
    recordEvents(deps, tx, mail.orgId, [
      { type: 'ticket.updated', ticketId: stored.ticketId, createdAt: deps.clock.now() },
    ])
  }
  if (stored.outcome === 'quarantined' || mail.becomesTicket) {
    recordWorkspaceChange(deps, tx, mail.orgId)
  }
  return stored
}

interface IncomingMail {
  mail: Mail
  mailbox: Mailbox
  parsed: ParsedMail
  files: ReceivedFile[]
  assignable: Set<string>
}

async function storeParsed(deps: Deps, tx: Transaction, incoming: IncomingMail): Promise<StoredMail> {
  const { mail, parsed } = incoming
  const { orgId } = mail
  if (parsed.bounce && !mail.becomesTicket) return storeBounce(deps, tx, orgId, parsed.bounce)
  const { own } = await emailWay(tx, orgId, mail.mailboxId)
  const writer = writerOf(parsed, own)
  if (!writer) return quarantined('The email has no valid sender.')
  if (!mail.becomesTicket && (await isOwn(deps, tx, { orgId, own, writer, parsed }))) {
    return { outcome: 'own' }
  }
  const identity = {
    orgId,
    mailboxId: mail.mailboxId,
    messageIdHash: hashOf(parsed.messageId ?? mail.hash ?? mail.id),
    senderHash: hashOf(writer.from.address.toLowerCase()),
    bodyHash: parsed.bodyHash,
  }
  const earlier = await findOrAddKnownMail(deps, tx, identity)
  if (earlier && !mail.becomesTicket) return duplicateOf(earlier, mail)
  const noted = mail.becomesTicket
    ? undefined
    : await storeNoticeAnswer(deps, tx, { orgId, parsed, writer, files: incoming.files })
  if (noted && 'refusal' in noted) return quarantined(noted.refusal)
  if (noted) {
    if (!earlier) await saveKnownMail(tx, { ...identity, ticketId: noted.ticketId, messageId: noted.noteId })
    return { outcome: 'message', reason: 'Added as an internal note.', ticketId: noted.ticketId }
  }
  const message = await storeMessage(deps, tx, { ...incoming, own, writer })
  if (!earlier) await saveKnownMail(tx, { ...identity, ticketId: message.ticketId, messageId: message.id })
  return {
    outcome: message.isAutomatic ? 'automatic' : 'message',
    reason: message.isAutomatic && parsed.automatic ? AUTOMATIC_REASONS[parsed.automatic] : '',
    ticketId: message.ticketId,
    messageId: message.id,
  }
}

/** A copy in another mailbox connects that mailbox with the ticket: see `findReceivingMailboxes`. */
function duplicateOf({ mailboxId, ticketId, messageId }: KnownMail, mail: Mail): StoredMail {
  return {
    outcome: 'duplicate',
    reason: mailboxId === mail.mailboxId ? '' : 'Another mailbox received the same email first.',
    ...(ticketId !== null && messageId !== null && { ticketId, messageId }),
  }
}

function wordsIn(result: ParseResult): { text?: string; subject?: string } {
  return result.outcome === 'parsed' ? { text: result.mail.text, subject: result.mail.subject } : {}
}

/**
 * A mail that can't be read, or has no valid sender, becomes a ticket with its original as a file. Whoever answers it
 * chooses the recipient.
 */
async function storeUnread(
  deps: Deps,
  tx: Transaction,
  {
    mail,
    mailbox,
    assignable,
    reason,
    text,
    subject,
  }: Omit<IncomingMail, 'parsed' | 'files'> & { reason: string; text?: string; subject?: string },
): Promise<StoredMail> {
  const { orgId, id, hash, size } = mail
  if (hash === null) return quarantined(reason)
  const customer = await upsertCustomerByIdentity(deps, tx, orgId, {
    channel: 'email',
    externalId: id,
    name: UNKNOWN_SENDER,
  })
  const original = { hash, name: 'original.eml', type: 'message/rfc822', size, width: null, height: null }
  const ticket = await openTicket(deps, tx, orgId, {
    channel: 'email',
    subject: firstCodePoints(subject || NO_SUBJECT, MAX_SUBJECT_LENGTH),
    customer,
    message: { text: text || `${reason} The original is attached.` },
    attachments: { received: [original] },
    mailboxId: mailbox.id,
    assignedTo: assigneeOf(mailbox, assignable),
  })
  const [message] = ticket.messages
  return { outcome: 'message', reason, ticketId: ticket.id, ...(message && { messageId: message.id }) }
}

/** A bounce report about one of our messages marks that message. Any other report is only in the ledger. */
async function storeBounce(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { originalMessageId, recipients }: BounceReport,
): Promise<StoredMail> {
  const bounced = await recordBounce(deps, tx, orgId, {
    headers: originalMessageId === null ? [] : [originalMessageId],
    recipients: recipients.filter(({ action }) => action === 'failed'),
  })
  return { outcome: 'bounce', ...bounced }
}

type MailFields = Pick<
  Message,
  'id' | 'text' | 'isAutomatic' | 'email' | 'hasHtml' | 'hasQuote' | 'isHtmlFormatted' | 'hasRemoteImages'
>

interface WrittenMail extends IncomingMail {
  own: OwnAddresses
  writer: Writer
}

/** Into its ticket, or a new one. */
async function storeMessage(deps: Deps, tx: Transaction, written: WrittenMail): Promise<Message> {
  const { mail, parsed, writer, own } = written
  const { orgId, mailboxId } = mail
  const sender = writer.person.address.toLowerCase()
  const email = await messageEmailOf(tx, { orgId, parsed, writer, own })
  const colleague = email.isUnverified ? undefined : await findColleague(tx, { orgId, own, writer })
  const isProven = provesSender(parsed.authentication, writer.from.address)
  const isColleague = colleague !== undefined && isProven
  const ticket = mail.becomesTicket
    ? undefined
    : await findTicketOf(deps, tx, { orgId, mailboxId, mail: parsed, sender, isColleague, own })
  const fields = {
    id: deps.newId('msg'),
    text: parsed.text,
    isAutomatic: !mail.becomesTicket && isAutomatic(parsed, { writer, ticket }),
    email: ticket
      ? { ...email, subject: withoutSubjectToken(deps.encryption, email.subject, ticket.ticketId) }
      : email,
    hasHtml: parsed.html !== null,
    hasQuote: parsed.quoted !== '',
    isHtmlFormatted: parsed.isFormatted,
    hasRemoteImages: parsed.hasRemoteImages,
  }
  const claimed = colleague !== undefined && ticket ? answerOf(fields, { own, ticket }) : undefined
  // Anyone can write a colleague's address into From, and customers know the ids of a ticket's mails, our signed ones too.
  // So these count only where the mailbox's server checks nothing.
  const isUnchecked = parsed.authentication === null && ticket?.isSigned === true
  const answer = isProven || isUnchecked ? claimed : undefined
  if (claimed && !answer) fields.email = { ...fields.email, isUnverified: true }
  const message =
    answer && ticket && colleague !== undefined
      ? await addAnswer(deps, tx, {
          ...written,
          agentName: colleague,
          ticket,
          fields: { ...fields, ...answer },
        })
      : ticket
        ? await addToTicket(deps, tx, { ...written, ticket, fields })
        : await openNew(deps, tx, { ...written, fields })
  const { quoted, html } = parsed
  const { id: messageId, ticketId } = message
  await insertContents(tx, [
    { messageId, orgId, ticketId, quoted: quoted === '' ? null : quoted, html, mailId: mail.id },
  ])
  return message
}

async function addToTicket(
  deps: Deps,
  tx: Transaction,
  {
    mail,
    writer: { person },
    files,
    ticket,
    fields,
  }: WrittenMail & { ticket: MailTicket; fields: MailFields },
): Promise<Message> {
  const { orgId } = mail
  const { ticketId, author, isVisitor = false } = ticket
  const name = nameOf(person)
  if (isVisitor) await recordAnswer(deps, tx, { orgId, address: person.address })
  else if (author === 'customer') {
    await upsertCustomer(deps, tx, orgId, { name, email: person.address, isNameVerified: false })
  }
  const authorName = author === 'customer' ? null : (name ?? person.address)
  const added = { ...fields, ticketId, author, authorName, attachments: { received: files } }
  return (await receiveCustomerMessage(deps, tx, orgId, added)).message
}

/** Lifts the limit of emails to an address, because it answered. */
async function recordAnswer(
  deps: Deps,
  tx: Transaction,
  { orgId, address }: { orgId: string; address: string },
): Promise<void> {
  await tx
    .update(emailedVisitors)
    .set({ unanswered: 0, answeredAt: deps.clock.now() })
    .where(matches(emailedVisitors, { orgId, addressKey: addressKey(address) }))
}

async function openNew(
  deps: Deps,
  tx: Transaction,
  { mail, mailbox, parsed, files, assignable, writer, fields }: WrittenMail & { fields: MailFields },
): Promise<Message> {
  const { orgId } = mail
  const { person } = writer
  const customer = await upsertCustomer(deps, tx, orgId, {
    name: nameOf(person),
    email: person.address,
    isNameVerified: false,
  })
  const ticket = await openTicket(deps, tx, orgId, {
    channel: 'email',
    subject: parsed.subject === '' ? NO_SUBJECT : firstCodePoints(parsed.subject, MAX_SUBJECT_LENGTH),
    customer,
    message: fields,
    attachments: { received: files },
    mailboxId: mailbox.id,
    assignedTo: assigneeOf(mailbox, assignable),
  })
  const [message] = ticket.messages
  if (!message) throw new Error('A ticket was opened without its message.')
  // Anyone else's automatic mail asks for no answer either: it comes from a list, or was sent in bulk.
  const isAnswered = parsed.automatic === null && !mail.becomesTicket
  if (isAnswered) await planAutoReply(deps, tx, { ticket, mail: message, mailbox })
  return message
}

function assigneeOf({ defaultAssignee }: Mailbox, assignable: Set<string>): string {
  return assignable.has(defaultAssignee) ? defaultAssignee : ''
}

/**
 * Whether we sent the mail ourselves: it has our signature, and is about one of the organization's messages. The
 * messages with which a mailbox tests itself are stored nowhere.
 */
async function isOwn(
  deps: Deps,
  tx: Transaction,
  { orgId, own, writer, parsed }: { orgId: string; own: OwnAddresses; writer: Writer; parsed: ParsedMail },
): Promise<boolean> {
  const headers = [parsed.ownHeaders[OWN_HEADER] ?? '', parsed.messageId ?? '']
  if (noticeIdsIn(deps.encryption, ...headers).length > 0) return true
  if (ownMessageIdsIn(deps.encryption, ...headers).length === 0) return false
  return own.has(writer.from.address) || (await ownMessageIn(deps, tx, orgId, headers)) !== undefined
}

/** As an agent's message, which has left already. */
async function addAnswer(
  deps: Deps,
  tx: Transaction,
  {
    mail,
    files,
    ticket,
    agentName,
    fields,
  }: WrittenMail & { ticket: MailTicket; agentName: string; fields: MailFields & ColleagueAnswer },
): Promise<Message> {
  const { id, text, isAutomatic: _, ...sentElsewhere } = fields
  const { message, events } = await addAgentMessage(deps, tx, mail.orgId, {
    id,
    ticketId: ticket.ticketId,
    text,
    agentName,
    attachments: { received: files },
    sentElsewhere,
  })
  recordEvents(deps, tx, mail.orgId, events)
  return message
}

function ledgerRow(
  deps: Deps,
  result: ParseResult,
  { outcome, reason = '', ticketId, messageId }: StoredMail,
) {
  const parsed = result.outcome === 'parsed' ? result.mail : undefined
  return {
    outcome,
    reason,
    fromAddress: (parsed?.from ?? parsed?.sender)?.address ?? '',
    subject: firstCodePoints(parsed?.subject ?? '', MAX_SUBJECT_LENGTH),
    ticketId: ticketId ?? null,
    messageId: messageId ?? null,
    processedAt: deps.clock.now(),
  }
}

function quarantined(reason: string): StoredMail {
  return { outcome: 'quarantined', reason }
}

const insertContents = insertOf(messageContents)
