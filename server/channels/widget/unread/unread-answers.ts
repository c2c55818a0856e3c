import { desc, sql } from 'drizzle-orm'
import { addressKey, isSendable } from '../../../customers/email-addresses.ts'
import type { Reader, Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { statement, text } from '../../../database/statement.ts'
import { messages } from '../../../database/tables/messages.ts'
import { emailedVisitors, visitors, widgetConversations } from '../../../database/tables/widgets.ts'
import type { Deps } from '../../../deps.ts'
import type { ReplyDestination, SendingTicket } from '../../channel.ts'

/** How long a visitor has to read an answer in the widget before it goes out by email. */
export const TIME_TO_READ_MS = 10 * 60_000
/** Emails to an address that no one has checked, until it answers. */
export const MAX_UNANSWERED = 3

type UnreadRecipient = NonNullable<ReplyDestination['ifUnread']>

/**
 * Plans the email that a visitor of the widget gets if they don't read an answer. A visitor who wrote last by email has left the
 * page, and gets it at once.
 */
export async function scheduleUnreadEmail(
  deps: Deps,
  tx: Transaction,
  { orgId, id: ticketId }: { orgId: string; id: string },
): Promise<void> {
  const [newest] = await tx
    .select({ email: messages.email })
    .from(messages)
    .where(matches(messages, { orgId, ticketId, role: 'customer' }))
    .orderBy(desc(messages.createdAt), desc(messages.id))
    .limit(1)
  const dueAt = deps.clock.now() + (newest?.email ? 0 : TIME_TO_READ_MS)
  await tx
    .update(widgetConversations)
    .set({ emailDueAt: sql`coalesce(${widgetConversations.emailDueAt}, ${dueAt})` })
    .where(matches(widgetConversations, { orgId, ticketId }))
}

/** Who gets an answer by email that the visitor of a widget doesn't read: the customer's address, else the one they typed. */
export async function unreadRecipient(
  { channels }: Pick<Deps, 'channels'>,
  read: Reader | Transaction,
  { orgId, id: ticketId, mailboxId }: Pick<SendingTicket, 'orgId' | 'id' | 'mailboxId'>,
  customer: { name: string; email: string | null },
): Promise<UnreadRecipient> {
  const [typed] = await findTypedContact(read, { orgId, ticketId })
  const address = customer.email ?? typed?.email ?? ''
  const { mailbox, own } = await channels.byAddress.wayThrough(read, orgId, mailboxId)
  if (!isSendable(address) || own.has(address)) return { without: 'address' }
  if (!mailbox) return { without: 'mailbox' }
  const recipient = { name: typed?.name || customer.name, address, isVerified: customer.email !== null }
  if (recipient.isVerified) return recipient
  const [emailed] = await findEmailed(read, { orgId, addressKey: addressKey(address) })
  const isSilent = emailed && emailed.answeredAt === null && emailed.unanswered >= MAX_UNANSWERED
  return isSilent ? { without: 'answer' } : recipient
}

/** What the visitor who opened a ticket in the widget typed about themselves: no one has checked it. */
export const findTypedContact = statement(
  'unread_typed',
  { orgId: text, ticketId: text },
  (read: Reader | Transaction, p) =>
    read
      .select({ name: visitors.typedName, email: visitors.typedEmail })
      .from(widgetConversations)
      .innerJoin(
        visitors,
        matches(visitors, { orgId: widgetConversations.orgId, id: widgetConversations.visitorId }),
      )
      .where(matches(widgetConversations, { orgId: p.orgId, ticketId: p.ticketId })),
)

const findEmailed = statement(
  'unread_emailed',
  { orgId: text, addressKey: text },
  (read: Reader | Transaction, p) =>
    read
      .select({ unanswered: emailedVisitors.unanswered, answeredAt: emailedVisitors.answeredAt })
      .from(emailedVisitors)
      .where(matches(emailedVisitors, { orgId: p.orgId, addressKey: p.addressKey })),
)
