import { and, count, eq, lte, type SQL } from 'drizzle-orm'
import { addressKey, baseKey, isSendable } from '../../../customers/email-addresses.ts'
import type { Transaction } from '../../../database/database.ts'
import { autoReplies, type mailboxes } from '../../../database/tables/mailboxes.ts'
import { messages } from '../../../database/tables/messages.ts'
import { tickets } from '../../../database/tables/tickets.ts'
import type { Deps } from '../../../deps.ts'
import { hashToken } from '../../../encryption.ts'
import { recordEvents } from '../../../events/events.ts'
import { planSends } from '../../../messages/sends/plan-sends.ts'
import { insertSends } from '../../../messages/sends/queries.ts'
import {
  insertMessages,
  type Message,
  newMessage,
  type TicketWithCustomer,
  touchTicket,
} from '../../../tickets/queries.ts'
import { webhookMessageSent } from '../../../tickets/views.ts'
import { emailWay } from '../outbound/email-way.ts'

const HOUR_MS = 3_600_000
/**
 * The limit for one recipient. Two help desks that answer each other stop here, unless they recognize each other earlier.
 */
const MAX_PER_RECIPIENT = 3
/** The limit for one mailbox. Forged senders must not turn it into a source of spam. */
const MAX_PER_MAILBOX = 200
/** Mail to these arrives with any dots before the `@`. */
const GMAIL = /^(.+)@(?:gmail|googlemail)\.com$/

interface OpenedByMail {
  ticket: TicketWithCustomer
  /** The mail that opened it. */
  mail: Message
  mailbox: Pick<typeof mailboxes.$inferSelect, 'id' | 'name' | 'autoReply'>
}

/**
 * Answers the mail that opened a ticket with the automatic reply of its mailbox, if it has one. It goes to the sender in
 * `From`, never to `Reply-To`: anyone could name someone else there. Automatic mail, mail that a form or a group sent for
 * someone, mail that failed the checks of its sender, and our own addresses get none (RFC 3834, section 2). Someone whom
 * no one has answered yet gets back nothing that they wrote: the sender can be forged. Call it at the end of the unit that
 * opens the ticket.
 */
export async function planAutoReply(
  deps: Deps,
  tx: Transaction,
  { ticket, mail, mailbox }: OpenedByMail,
): Promise<void> {
  const { orgId, id: ticketId, customer } = ticket
  const text = mailbox.autoReply.trim()
  if (text === '' || mail.isAutomatic || !mail.email || mail.email.writer || mail.email.isUnverified) return
  const { own } = await emailWay(tx, orgId, ticket.mailboxId)
  const { from } = mail.email
  if (!isSendable(from.address) || own.has(from.address)) return
  const now = deps.clock.now()
  const counted = { orgId, mailboxId: mailbox.id, recipientHash: hashToken(recipientKey(from.address)) }
  if (await isOverLimit(tx, counted, now - HOUR_MS)) return
  const isKnown = await wasAnswered(tx, ticket)
  const written = { id: deps.newId('msg'), text, format: 'markdown' as const, agentName: mailbox.name }
  const { sends, ...planned } = await planSends(deps, tx, {
    ticket,
    customer,
    message: { ...written, createdAt: now },
    recipients: { to: [isKnown ? from : { name: '', address: from.address }], cc: [] },
    kind: 'automatic',
    ...(!isKnown && { subject: `Re: ${mailbox.name}` }),
  })
  const message = newMessage({
    ...written,
    ...planned,
    orgId,
    ticketId,
    role: 'agent',
    isAutomatic: true,
    createdAt: now,
  })
  await insertMessages(tx, [message])
  await tx.insert(autoReplies).values({ ...counted, messageId: written.id, createdAt: now })
  await insertSends(tx, sends)
  const [touched = ticket] = await touchTicket(tx, { orgId, id: ticketId, updatedAt: now })
  const data = webhookMessageSent({ ...touched, customer }, message, deps.actor)
  recordEvents(deps, tx, orgId, [
    { type: 'message.sent', ticketId, messageId: message.id, createdAt: now, data },
  ])
}

/** The same for all spellings of an address that reach one person: case, subaddresses, Gmail's dots. */
function recipientKey(address: string): string {
  const key = baseKey(addressKey(address))
  const [, local] = GMAIL.exec(key) ?? []
  return local === undefined ? key : `${local.replaceAll('.', '')}@gmail.com`
}

/** Forgets older replies, which no longer count. */
async function isOverLimit(
  tx: Transaction,
  { orgId, mailboxId, recipientHash }: { orgId: string; mailboxId: string; recipientHash: string },
  since: number,
): Promise<boolean> {
  const isOfOrganization = eq(autoReplies.orgId, orgId)
  await tx.delete(autoReplies).where(and(isOfOrganization, lte(autoReplies.createdAt, since)))
  const countOf = async (condition: SQL) => {
    const [row] = await tx
      .select({ replies: count() })
      .from(autoReplies)
      .where(and(isOfOrganization, condition))
    return row?.replies ?? 0
  }
  return (
    (await countOf(eq(autoReplies.recipientHash, recipientHash))) >= MAX_PER_RECIPIENT ||
    (await countOf(eq(autoReplies.mailboxId, mailboxId))) >= MAX_PER_MAILBOX
  )
}

/** Whether a person of the organization has written to the customer before. */
async function wasAnswered(tx: Transaction, { orgId, customerId }: TicketWithCustomer): Promise<boolean> {
  const [row] = await tx
    .select({ id: messages.id })
    .from(tickets)
    .innerJoin(messages, eq(messages.ticketId, tickets.id))
    .where(
      and(
        eq(tickets.orgId, orgId),
        eq(tickets.customerId, customerId),
        eq(messages.role, 'agent'),
        eq(messages.isAutomatic, false),
      ),
    )
    .limit(1)
  return row !== undefined
}
