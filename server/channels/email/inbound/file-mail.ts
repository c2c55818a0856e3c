import { and, eq } from 'drizzle-orm'
import { upsertCustomer, upsertCustomerByIdentity } from '../../../customers/customers.ts'
import { addressKey, asciiDomain, withoutRepetitions } from '../../../customers/email-addresses.ts'
import type { Transaction } from '../../../database/database.ts'
import { insertOf } from '../../../database/statement.ts'
import type { MailOutcome, mails } from '../../../database/tables/mailboxes.ts'
import { type EmailAddress, type MessageEmail, messageContents } from '../../../database/tables/messages.ts'
import { emailedVisitors } from '../../../database/tables/widgets.ts'
import type { Deps } from '../../../deps.ts'
import { recordEvents, recordWorkspaceChange } from '../../../events/events.ts'
import { addAgentMessage } from '../../../tickets/messages.ts'
import type { Message } from '../../../tickets/queries.ts'
import { receiveCustomerMessage } from '../../../tickets/receive-message.ts'
import { openTicket } from '../../../tickets/tickets.ts'
import { lockAssignees } from '../../../tickets/update-ticket.ts'
import { ownMessageIdsIn } from '../message-id.ts'
import { withoutBrackets } from '../outbound/email-content.ts'
import { emailWay } from '../outbound/email-way.ts'
import type { OwnAddresses } from '../own-addresses.ts'
import type {
  Authentication,
  BounceReport,
  MailAttachment,
  ParsedMail,
  ParseResult,
} from '../parse/parsed-mail.ts'
import { withoutSubjectToken, withoutToken } from '../reply-address.ts'
import { planAutoReply } from './auto-reply.ts'
import { AUTOMATIC_REASONS, isAutomatic } from './automatic.ts'
import { recordBounce } from './bounces.ts'
import { answerOf, type ColleagueAnswer, findColleague } from './colleague.ts'
import { type FoundTicket, findTicketOf, ownMessageIn } from './find-ticket.ts'
import { hashOf } from './mail-hash.ts'
import {
  findAddresses,
  findKnownMail,
  findMailbox,
  insertKnownMail,
  type KnownMail,
  lockPending,
  type Mailbox,
  saveKnownMail,
  saveOutcome,
} from './queries.ts'
import { nameOf, type Writer, writerOf } from './writer-of.ts'

const MAX_SUBJECT_LENGTH = 255
const MAX_ADDRESS_LENGTH = 254
const MAX_DELIVERED_TO = 5
const NO_SUBJECT = '(no subject)'
const UNKNOWN_SENDER = 'Unknown sender'
/** Written by our own mails: `<message id>.<signature>`. */
const OWN_HEADER = 'x-bellhop-message'

export type Mail = typeof mails.$inferSelect

/** A file of a mail, in the store. */
export interface StoredFile extends Omit<MailAttachment, 'path'> {
  width: number | null
  height: number | null
}

/** What happened to a mail. */
interface Filed {
  outcome: Exclude<MailOutcome, 'pending'>
  reason?: string
  ticketId?: string
  messageId?: string
}

/**
 * Decides what happens to a fetched mail, and stores all of it in one unit: the message, its files, the outcome in the
 * ledger. Nothing changes if the mail is not pending anymore.
 */
export async function fileMail(deps: Deps, mail: Mail, read: ReadMail): Promise<void> {
  await deps.database.write((tx) => fileMailIn(deps, tx, mail, read))
}

interface ReadMail {
  result: ParseResult
  files: StoredFile[]
}

/** The same in the caller's unit. Returns what happened to the mail; undefined if it is not pending anymore. */
export async function fileMailIn(
  deps: Deps,
  tx: Transaction,
  mail: Mail,
  { result, files }: ReadMail,
): Promise<Filed | undefined> {
  const [mailbox] = await findMailbox(tx, { orgId: mail.orgId, id: mail.mailboxId })
  if (!mailbox) return undefined
  const assignable = await lockAssignees(tx, mail.orgId, [{ assignedTo: mailbox.defaultAssignee }])
  const [pending] = await lockPending(tx, { orgId: mail.orgId, id: mail.id })
  if (!pending) return undefined
  const judged =
    result.outcome === 'parsed'
      ? await fileParsed(deps, tx, { mail, mailbox, parsed: result.mail, files, assignable })
      : quarantined(result.reason)
  const filed =
    judged.outcome === 'quarantined' && mail.becomesTicket
      ? await fileUnread(deps, tx, {
          mail,
          mailbox,
          assignable,
          reason: judged.reason ?? '',
          ...wordsIn(result),
        })
      : judged
  await saveOutcome(tx, { orgId: mail.orgId, id: mail.id, ...ledgerRow(deps, result, filed) })
  if (filed.outcome === 'duplicate' && filed.ticketId !== undefined) {
    await recordEvents(deps, tx, mail.orgId, [
      { type: 'ticket.updated', ticketId: filed.ticketId, createdAt: deps.clock.now() },
    ])
  }
  if (filed.outcome === 'quarantined' || mail.becomesTicket) await recordWorkspaceChange(deps, tx, mail.orgId)
  return filed
}

interface Filing {
  mail: Mail
  mailbox: Mailbox
  parsed: ParsedMail
  files: StoredFile[]
  assignable: Set<string>
}

async function fileParsed(deps: Deps, tx: Transaction, filing: Filing): Promise<Filed> {
  const { mail, parsed } = filing
  const { orgId } = mail
  if (parsed.bounce && !mail.becomesTicket) return fileBounce(deps, tx, orgId, parsed.bounce)
  const { own } = await emailWay(tx, orgId, mail.mailboxId)
  const writer = writerOf(parsed, own)
  if (!writer) return quarantined('The email has no valid sender.')
  if (!mail.becomesTicket && (await isOwn(deps, tx, { orgId, own, writer, parsed }))) {
    return { outcome: 'own' }
  }
  const known = {
    orgId,
    mailboxId: mail.mailboxId,
    messageIdHash: hashOf(parsed.messageId ?? mail.hash ?? mail.id),
    senderHash: hashOf(writer.from.address.toLowerCase()),
    bodyHash: parsed.bodyHash,
  }
  const [copied] = await takeIn(deps, tx, known)
  if (copied && !mail.becomesTicket) return duplicateOf(copied, mail)
  const message = await storeMessage(deps, tx, { ...filing, own, writer })
  if (!copied) await saveKnownMail(tx, { ...known, ticketId: message.ticketId, messageId: message.id })
  return {
    outcome: message.isAutomatic ? 'automatic' : 'message',
    reason: message.isAutomatic && parsed.automatic ? AUTOMATIC_REASONS[parsed.automatic] : '',
    ticketId: message.ticketId,
    messageId: message.id,
  }
}

/** Returns the same mail if it was taken in before, by this mailbox or another one. Otherwise, it is taken in now. */
async function takeIn(
  deps: Deps,
  tx: Transaction,
  known: Parameters<typeof findKnownMail>[1],
): Promise<KnownMail[]> {
  const before = await findKnownMail(tx, known)
  if (before.length > 0) return before
  const isNew = await insertKnownMail(tx, { ...known, createdAt: deps.clock.now() })
  return isNew.length > 0 ? [] : findKnownMail(tx, known)
}

/** A copy in another mailbox connects that mailbox with the ticket: see `findReceivingMailboxes`. */
function duplicateOf({ mailboxId, ticketId, messageId }: KnownMail, mail: Mail): Filed {
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
async function fileUnread(
  deps: Deps,
  tx: Transaction,
  {
    mail,
    mailbox,
    assignable,
    reason,
    text,
    subject,
  }: Omit<Filing, 'parsed' | 'files'> & { reason: string; text?: string; subject?: string },
): Promise<Filed> {
  const { orgId, id, hash, size } = mail
  if (hash === null) return quarantined(reason)
  const customer = await upsertCustomerByIdentity(deps, tx, orgId, {
    channel: 'email',
    externalId: id,
    name: UNKNOWN_SENDER,
  })
  const original = { hash, name: 'original.eml', type: 'message/rfc822', size, contentId: null }
  const ticket = await openTicket(deps, tx, orgId, {
    channel: 'email',
    subject: cut(subject || NO_SUBJECT, MAX_SUBJECT_LENGTH),
    customer,
    message: { text: text || `${reason} The original is attached.` },
    attachments: { received: [{ ...original, isInline: false, width: null, height: null }] },
    mailboxId: mailbox.id,
    assignedTo: assignable.has(mailbox.defaultAssignee) ? mailbox.defaultAssignee : '',
  })
  const [message] = ticket.messages
  return { outcome: 'message', reason, ticketId: ticket.id, ...(message && { messageId: message.id }) }
}

/** A bounce report about one of our messages marks that message. Any other report is only in the ledger. */
async function fileBounce(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { originalMessageId, recipients }: BounceReport,
): Promise<Filed> {
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

interface Received extends Filing {
  own: OwnAddresses
  writer: Writer
}

/** Into its ticket, or a new one. */
async function storeMessage(deps: Deps, tx: Transaction, received: Received): Promise<Message> {
  const { mail, parsed, writer, own } = received
  const { orgId, mailboxId } = mail
  const sender = writer.person.address.toLowerCase()
  const email = withoutTokens(await ownAddressKeys(tx, orgId), emailOf(parsed, writer, own))
  const colleague = email.isUnverified ? undefined : await findColleague(tx, { orgId, own, writer })
  const isProven = provesSender(parsed.authentication, writer.from.address)
  const isColleague = colleague !== undefined && isProven
  const found = mail.becomesTicket
    ? undefined
    : await findTicketOf(deps, tx, { orgId, mailboxId, mail: parsed, sender, isColleague, own })
  const fields = {
    id: deps.newId('msg'),
    text: parsed.text,
    isAutomatic: !mail.becomesTicket && isAutomatic(parsed, { writer, found }),
    email: found
      ? { ...email, subject: withoutSubjectToken(deps.encryption, email.subject, found.ticketId) }
      : email,
    hasHtml: parsed.html !== null,
    hasQuote: parsed.quoted !== '',
    isHtmlFormatted: parsed.isFormatted,
    hasRemoteImages: parsed.hasRemoteImages,
  }
  const claimed = colleague !== undefined && found ? answerOf(fields, { own, found }) : undefined
  // Anyone can write a colleague's address into From, and customers know the ids of a ticket's mails, our signed ones too.
  // So these count only where the mailbox's server checks nothing.
  const isUnchecked = parsed.authentication === null && found?.isSigned === true
  const answer = isProven || isUnchecked ? claimed : undefined
  if (claimed && !answer) fields.email = { ...fields.email, isUnverified: true }
  const message =
    answer && found && colleague !== undefined
      ? await addAnswer(deps, tx, {
          ...received,
          agentName: colleague,
          found,
          fields: { ...fields, ...answer },
        })
      : found
        ? await addToTicket(deps, tx, { ...received, found, fields })
        : await openNew(deps, tx, { ...received, fields })
  await storeContents(tx, { mail, parsed, message })
  return message
}

async function addToTicket(
  deps: Deps,
  tx: Transaction,
  { mail, writer: { person }, files, found, fields }: Received & { found: FoundTicket; fields: MailFields },
): Promise<Message> {
  const { orgId } = mail
  const { ticketId, author, isVisitor = false } = found
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
    .where(and(eq(emailedVisitors.orgId, orgId), eq(emailedVisitors.addressKey, addressKey(address))))
}

async function openNew(
  deps: Deps,
  tx: Transaction,
  { mail, mailbox, parsed, files, assignable, writer, fields }: Received & { fields: MailFields },
): Promise<Message> {
  const { orgId } = mail
  const { person } = writer
  const customer = await upsertCustomer(deps, tx, orgId, {
    name: nameOf(person),
    email: person.address,
    isNameVerified: false,
  })
  const { defaultAssignee } = mailbox
  const ticket = await openTicket(deps, tx, orgId, {
    channel: 'email',
    subject: parsed.subject === '' ? NO_SUBJECT : cut(parsed.subject, MAX_SUBJECT_LENGTH),
    customer,
    message: fields,
    attachments: { received: files },
    mailboxId: mailbox.id,
    assignedTo: assignable.has(defaultAssignee) ? defaultAssignee : '',
  })
  const [message] = ticket.messages
  if (!message) throw new Error('A ticket was opened without its message.')
  // Anyone else's automatic mail asks for no answer either: it comes from a list, or was sent in bulk.
  const isAnswered = parsed.automatic === null && !mail.becomesTicket
  if (isAnswered) await planAutoReply(deps, tx, { ticket, mail: message, mailbox })
  return message
}

/** Stores what the thread loads later: quoted text and HTML. */
async function storeContents(
  tx: Transaction,
  { mail, parsed, message }: { mail: Mail; parsed: ParsedMail; message: Message },
): Promise<void> {
  const { id: messageId, orgId, ticketId } = message
  const { quoted, html } = parsed
  await insertContents(tx, [
    { messageId, orgId, ticketId, quoted: quoted === '' ? null : quoted, html, mailId: mail.id },
  ])
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
    found,
    agentName,
    fields,
  }: Received & {
    found: FoundTicket
    agentName: string
    fields: MailFields & ColleagueAnswer
  },
): Promise<Message> {
  const { id, text, isAutomatic: _, ...sentElsewhere } = fields
  const { message, event } = await addAgentMessage(deps, tx, mail.orgId, {
    id,
    ticketId: found.ticketId,
    text,
    agentName,
    attachments: { received: files },
    sentElsewhere,
  })
  await recordEvents(deps, tx, mail.orgId, [event])
  return message
}

/** The addresses of all mailboxes, removed ones too: answers still name them. */
async function ownAddressKeys(tx: Transaction, orgId: string): Promise<Set<string>> {
  const own = await findAddresses(tx, { orgId })
  return new Set(own.map(({ address }) => addressKey(address)))
}

/** Removes the tokens from our own addresses, so that people see the addresses they know. */
function withoutTokens(own: Set<string>, { replyTo, to, cc, ...email }: MessageEmail): MessageEmail {
  const shown = ({ name, address }: EmailAddress): EmailAddress => {
    const plain = withoutToken(address)
    return { name, address: own.has(addressKey(plain)) ? plain : address }
  }
  const shownTo = withoutRepetitions(to.map(shown))
  return { ...email, replyTo: replyTo.map(shown), to: shownTo, cc: withoutRepetitions(cc.map(shown)) }
}

function emailOf(parsed: ParsedMail, { from, person }: Writer, own: OwnAddresses): MessageEmail {
  const { replyTo, to, cc, subject, authentication } = parsed
  const messageId = parsed.messageId && withoutBrackets(parsed.messageId)
  const references = parsed.references.map(withoutBrackets)
  const deliveredTo = parsed.deliveredTo.filter((address) => !own.has(address)).slice(0, MAX_DELIVERED_TO)
  const isForged = authentication !== null && isUnverified(authentication)
  return {
    from,
    replyTo,
    to,
    cc,
    subject,
    messageId,
    references,
    ...(person !== from && { writer: person }),
    ...(deliveredTo.length > 0 && { deliveredTo }),
    ...(isForged && { isUnverified: true }),
  }
}

/**
 * Follows the rule of the sender's domain (RFC 7489). Without such a rule, a mail is unverified if the domain neither
 * sent nor signed it.
 */
function isUnverified({ dmarc, spf, dkim }: Authentication): boolean {
  return dmarc === 'fail' || (dmarc === 'none' && spf === 'fail' && dkim !== 'pass')
}

/** Whether the mailbox's server found that the domain in From, its parent or its child sent or signed the mail. */
function provesSender(authentication: Authentication | null, address: string): boolean {
  if (authentication === null || isUnverified(authentication)) return false
  const domain = asciiDomain(address.slice(address.lastIndexOf('@') + 1)).toLowerCase()
  const isRelated = (other: string) => domain.endsWith(`.${other}`) || other.endsWith(`.${domain}`)
  return (
    authentication.dmarc === 'pass' ||
    authentication.domains.some((other) => other === domain || (other.includes('.') && isRelated(other)))
  )
}

function ledgerRow(deps: Deps, result: ParseResult, { outcome, reason = '', ticketId, messageId }: Filed) {
  const parsed = result.outcome === 'parsed' ? result.mail : undefined
  return {
    outcome,
    reason,
    fromAddress: cut((parsed?.from ?? parsed?.sender)?.address ?? '', MAX_ADDRESS_LENGTH),
    subject: cut(parsed?.subject ?? '', MAX_SUBJECT_LENGTH),
    ticketId: ticketId ?? null,
    messageId: messageId ?? null,
    processedAt: deps.clock.now(),
  }
}

function quarantined(reason: string): Filed {
  return { outcome: 'quarantined', reason }
}

/** By code points, so that no character is cut in half. */
function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : [...text].slice(0, maxLength).join('')
}

const insertContents = insertOf(messageContents)
