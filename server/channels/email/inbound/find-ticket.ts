import { and, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import { emailsOfTicket } from '../../../customers/customer-emails.ts'
import type { Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { knownMails } from '../../../database/tables/mailboxes.ts'
import { type MessageAuthor, messages } from '../../../database/tables/messages.ts'
import { moves } from '../../../database/tables/moves.ts'
import { tickets } from '../../../database/tables/tickets.ts'
import type { Deps } from '../../../deps.ts'
import { survivorOf } from '../../../tickets/merged.ts'
import { findTypedContact } from '../../widget/unread/unread-answers.ts'
import { ownMessageIdsIn } from '../message-id.ts'
import type { OwnAddresses } from '../own-addresses.ts'
import type { ParsedMail } from '../parse/parsed-mail.ts'
import { isTokenOf, type TicketToken, tokensInAddresses, tokensInSubject } from '../reply-address.ts'
import { hashOf } from './known-mails.ts'

/** The newest messages of a ticket whose addresses say who takes part in it. */
const MAX_MESSAGES_READ = 200
/** Message ids of one mail that are looked up. */
const MAX_REFERENCES_READ = 20

export interface MailTicket {
  ticketId: string
  author: MessageAuthor
  /**
   * The sender typed this address in the widget, and is answering emails sent to it. The customer may have no address
   * at all.
   */
  isVisitor?: boolean
  /** Someone who takes part in the ticket answers one of our messages, which the mail names with our signature. */
  answersUs: boolean
  /** The mail has one of our signatures: a reply address, or our own `Message-ID`. */
  isSigned: boolean
  /** All addresses of the customer in lower case. */
  customer: ReadonlySet<string>
}

interface TicketLookup {
  orgId: string
  mailboxId: string
  mail: ParsedMail
  /** In lower case. */
  sender: string
  /** A proven colleague can answer a ticket's mail without taking part in it. */
  isColleague: boolean
  own: OwnAddresses
}

interface TicketAddresses {
  /** In lower case, as the others are. */
  customer: Set<string>
  /** Everyone who wrote or got a mail of the ticket. */
  participants: Set<string>
  /** People to whom an agent forwarded a message, or sent one without the others' knowledge. */
  thirdParties: Set<string>
}

/**
 * The ticket that a mail belongs to, or undefined for a new one. Signed references come first: the reply address, then
 * our own `Message-ID`. Anyone who has one of them reaches the ticket. Unsigned references, a known `Message-ID` or a
 * token in the subject, count only if the sender takes part in the ticket. A subject alone never counts.
 */
export async function findTicketOf(
  deps: Deps,
  tx: Transaction,
  { orgId, mailboxId, mail, sender, isColleague, own }: TicketLookup,
): Promise<MailTicket | undefined> {
  const recipients = [...mail.to, ...mail.cc].map(({ address }) => address)
  const answered = await ownMessageIn(deps, tx, orgId, [...mail.inReplyTo, ...mail.references.toReversed()])
  const tokens = tokensInAddresses([...recipients, ...mail.deliveredTo])
  const addressed = await ticketOfTokens(deps, tx, orgId, tokens)
  // The answered message can have left the ticket since, for a new one.
  const hasLeft =
    addressed && answered && (await isSplitFrom(tx, { orgId, from: addressed, into: answered.ticketId }))
  const signed = hasLeft ? answered.ticketId : (addressed ?? answered?.ticketId)
  const ticketId =
    signed ??
    (await ticketOfKnownMail(tx, { orgId, mailboxId, mail })) ??
    (await ticketOfTokens(deps, tx, orgId, tokensInSubject(mail.subject)))
  if (ticketId === undefined) return undefined
  const addresses = await addressesOf(tx, orgId, ticketId)
  if (!addresses) return undefined
  const { customer, participants, thirdParties } = addresses
  const isSigned = signed !== undefined
  const isAnswer = isSigned && signed === answered?.ticketId
  const takesPart = isColleague || customer.has(sender) || participants.has(sender)
  if (!isSigned && !takesPart) return undefined
  if (customer.has(sender)) return { ticketId, author: 'customer', customer, answersUs: isAnswer, isSigned }
  const [visitor] = await findTypedContact(tx, { orgId, ticketId })
  if (visitor?.email.toLowerCase() === sender) {
    return { ticketId, author: 'customer', customer, isVisitor: true, answersUs: isAnswer, isSigned }
  }
  const isThird = thirdParties.has(sender) && !own.has(sender)
  const author = isThird ? 'third_party' : 'participant'
  return { ticketId, author, customer, answersUs: isAnswer && participants.has(sender), isSigned }
}

/** The id of our message that the headers of a mail name, with our signature. */
export async function ownMessageIn(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  headers: readonly string[],
): Promise<{ id: string; ticketId: string } | undefined> {
  for (const id of ownMessageIdsIn(deps.encryption, ...headers)) {
    const [message] = await tx
      .select({ id: messages.id, ticketId: messages.ticketId })
      .from(messages)
      .where(matches(messages, { orgId, id }))
    if (message) return message
  }
  return undefined
}

async function ticketOfTokens(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  tokens: TicketToken[],
): Promise<string | undefined> {
  for (const token of tokens) {
    const candidates = await tx
      .select({ id: tickets.id })
      .from(tickets)
      .where(and(eq(tickets.orgId, orgId), sql`substr(${tickets.id}, 25) = ${token.handle}`))
    const meant = candidates.find(({ id }) => isTokenOf(deps.encryption, token, id))
    if (meant) return survivorOf(tx, orgId, meant.id)
  }
  return undefined
}

async function isSplitFrom(
  tx: Transaction,
  { orgId, from: fromId, into: intoId }: { orgId: string; from: string; into: string },
): Promise<boolean> {
  if (fromId === intoId) return false
  const [split] = await tx
    .select({ id: moves.id })
    .from(moves)
    .where(and(matches(moves, { orgId, fromId, intoId, kind: 'split' }), isNull(moves.undoneAt)))
    .limit(1)
  return split !== undefined
}

async function ticketOfKnownMail(
  tx: Transaction,
  { orgId, mailboxId, mail }: { orgId: string; mailboxId: string; mail: ParsedMail },
): Promise<string | undefined> {
  const newestFirst = [...new Set([...mail.inReplyTo, ...mail.references.toReversed()])]
  for (const messageId of newestFirst.slice(0, MAX_REFERENCES_READ)) {
    const [mailInTicket] = await tx
      .select({ ticketId: knownMails.ticketId })
      .from(knownMails)
      .where(
        and(
          eq(knownMails.orgId, orgId),
          eq(knownMails.messageIdHash, hashOf(messageId)),
          isNotNull(knownMails.ticketId),
        ),
      )
      // Programs that reuse one id for different mails have several.
      .orderBy(desc(eq(knownMails.mailboxId, mailboxId)), desc(knownMails.createdAt))
      .limit(1)
    if (mailInTicket?.ticketId) return mailInTicket.ticketId
  }
  return undefined
}

/** Undefined for a ticket that was deleted. */
async function addressesOf(
  tx: Transaction,
  orgId: string,
  ticketId: string,
): Promise<TicketAddresses | undefined> {
  const [ticket] = await tx
    .select({ id: tickets.id })
    .from(tickets)
    .where(matches(tickets, { orgId, id: ticketId }))
  if (!ticket) return undefined
  const emails = await emailsOfTicket(tx, { orgId, ticketId })
  const mails = await tx
    .select({ role: messages.role, author: messages.author, email: messages.email })
    .from(messages)
    .where(
      and(eq(messages.orgId, orgId), eq(messages.ticketId, ticketId), sql`${messages.email} is not null`),
    )
    .orderBy(desc(messages.createdAt), desc(messages.id))
    .limit(MAX_MESSAGES_READ)
  const participants = new Set<string>()
  const thirdParties = new Set<string>()
  for (const { role, author, email } of mails) {
    if (!email) continue
    const { from, writer = from } = email
    const { bcc = [] } = email
    const addresses = [from, writer, ...email.replyTo, ...email.to, ...email.cc, ...bcc]
    for (const { address } of addresses) participants.add(address.toLowerCase())
    // The others don't know of them.
    for (const { address } of bcc) thirdParties.add(address.toLowerCase())
    // People to whom an agent forwarded a message, and people who answered as third parties.
    if (author !== 'third_party' && email.forwardOf === undefined) continue
    const theirs = role === 'agent' ? [...email.to, ...email.cc] : [writer]
    for (const { address } of theirs) thirdParties.add(address.toLowerCase())
  }
  const customer = new Set(emails.map((email) => email.toLowerCase()))
  return { customer, participants, thirdParties }
}
