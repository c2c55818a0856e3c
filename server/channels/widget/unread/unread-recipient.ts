import { and, eq } from 'drizzle-orm'
import { addressKey, isSendable } from '../../../customers/email-addresses.ts'
import type { Reader, Transaction } from '../../../database/database.ts'
import { statement, text } from '../../../database/statement.ts'
import { emailedVisitors, visitors, widgetConversations } from '../../../database/tables/widgets.ts'
import type { Deps } from '../../../deps.ts'
import type { ReplyDestination, SendingTicket } from '../../channel.ts'

/** Emails to an address that no one has checked, until it answers. */
export const MAX_UNANSWERED = 3

type UnreadRecipient = NonNullable<ReplyDestination['ifUnread']>

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
        and(eq(visitors.orgId, widgetConversations.orgId), eq(visitors.id, widgetConversations.visitorId)),
      )
      .where(and(eq(widgetConversations.orgId, p.orgId), eq(widgetConversations.ticketId, p.ticketId))),
)

const findEmailed = statement(
  'unread_emailed',
  { orgId: text, addressKey: text },
  (read: Reader | Transaction, p) =>
    read
      .select({ unanswered: emailedVisitors.unanswered, answeredAt: emailedVisitors.answeredAt })
      .from(emailedVisitors)
      .where(and(eq(emailedVisitors.orgId, p.orgId), eq(emailedVisitors.addressKey, p.addressKey))),
)
