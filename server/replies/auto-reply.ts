import { and, count, eq, gt } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import type { mailboxes } from '../database/tables/mailboxes.ts'
import { type MessageEmail, messages } from '../database/tables/messages.ts'
import { tickets } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { recordEvents } from '../events/events.ts'
import { isSendable } from '../sends/email-addresses.ts'
import { planSends } from '../sends/plan-sends.ts'
import { insertSends } from '../sends/queries.ts'
import { emailWay } from '../sends/way-out.ts'
import {
  insertMessages,
  type Message,
  newMessage,
  type TicketWithCustomer,
  touchTicket,
} from '../tickets/queries.ts'
import { webhookMessageSent } from '../tickets/views.ts'

const HOUR_MS = 3_600_000
/**
 * The limit for one sender. Two help desks that answer each other stop here, unless they recognize each other earlier.
 */
const MAX_PER_HOUR = 3

interface OpenedByMail {
  ticket: TicketWithCustomer
  /** The mail that opened it. */
  mail: Message
  mailbox: Pick<typeof mailboxes.$inferSelect, 'name' | 'autoReply'>
}

/**
 * Answers the mail that opened a ticket with the automatic reply of its mailbox, if it has one. Automatic mail and our own
 * mailboxes get none (RFC 3834, section 2). Call it at the end of the unit that opens the ticket.
 */
export async function planAutoReply(
  deps: Deps,
  tx: Transaction,
  { ticket, mail, mailbox }: OpenedByMail,
): Promise<void> {
  const { orgId, id: ticketId, customer } = ticket
  const text = mailbox.autoReply.trim()
  if (text === '' || mail.isAutomatic || !mail.email) return
  const { own } = await emailWay(tx, orgId, ticket.mailboxId)
  const sender = senderOf(mail.email)
  if (!isSendable(sender.address) || own.has(sender.address)) return
  const now = deps.clock.now()
  if ((await countSince(tx, ticket, now - HOUR_MS)) >= MAX_PER_HOUR) return
  const written = { id: deps.newId('msg'), text, format: 'markdown' as const, agentName: mailbox.name }
  const { sends, ...planned } = await planSends(deps, tx, {
    ticket,
    customer,
    message: { ...written, createdAt: now },
    recipients: { to: [sender], cc: [] },
    kind: 'automatic',
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
  await insertSends(tx, sends)
  const [touched = ticket] = await touchTicket(tx, { orgId, id: ticketId, updatedAt: now })
  const data = webhookMessageSent({ ...touched, customer }, message)
  await recordEvents(deps, tx, orgId, [{ type: 'message.sent', ticketId, createdAt: now, data }])
}

function senderOf({ from, replyTo }: MessageEmail) {
  return replyTo[0] ?? from
}

/** Automatic replies that the customer of a ticket got. */
async function countSince(
  tx: Transaction,
  { orgId, customerId }: TicketWithCustomer,
  since: number,
): Promise<number> {
  const [found] = await tx
    .select({ replies: count() })
    .from(tickets)
    .innerJoin(messages, eq(messages.ticketId, tickets.id))
    .where(
      and(
        eq(tickets.orgId, orgId),
        eq(tickets.customerId, customerId),
        gt(tickets.updatedAt, since),
        eq(messages.role, 'agent'),
        eq(messages.isAutomatic, true),
        gt(messages.createdAt, since),
      ),
    )
  return found?.replies ?? 0
}
