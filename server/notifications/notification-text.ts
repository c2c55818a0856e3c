import { eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { customers } from '../database/tables/customers.ts'
import { messages } from '../database/tables/messages.ts'
import type { notifications, Reason } from '../database/tables/notifications.ts'
import { savedViews } from '../database/tables/saved-views.ts'
import { notes } from '../database/tables/threads.ts'
import { tickets } from '../database/tables/tickets.ts'
import { plainTextOf } from '../formatting/plain-text.ts'
import { oneLine } from '../text/text.ts'

/** Only the beginning of a message is shown, and most of a long one is quoted mail. */
const SOURCE_LENGTH = 800
const NAMELESS = 'A customer'

type Notification = typeof notifications.$inferSelect

/** A notification in words. */
export interface NotificationText {
  ticketId: string
  /** Who wrote or did it. */
  title: string
  /** What happened, as in `Assigned to you`. */
  what: string
  /** Empty for one about several tickets. */
  subject: string
  /** The message or note in one line; empty without one. */
  text: string
  /** Where Bellhop shows it. */
  path: string
  /** Someone is waiting for an answer right now. */
  isUrgent: boolean
}

/** Undefined if the ticket was deleted. */
export async function readNotificationText(
  read: Reader | Transaction,
  row: Notification,
): Promise<NotificationText | undefined> {
  const { orgId, ticketId, reason } = row
  const [ticket] = await read
    .select({
      subject: tickets.subject,
      assignedTo: tickets.assignedTo,
      customer: customers.name,
    })
    .from(tickets)
    .innerJoin(customers, eq(customers.id, tickets.customerId))
    .where(matches(tickets, { orgId, id: ticketId }))
  if (!ticket) return undefined
  const { subject, assignedTo, customer } = ticket
  const isOne = row.tickets === 1
  return {
    ticketId,
    title: row.byName || TITLES[reason] || customer || NAMELESS,
    what: await whatOf(read, row),
    subject: isOne ? oneLine(subject) : '',
    text: row.messageId === null ? '' : await textOf(read, orgId, row.messageId),
    path: isOne ? `/inbox/${viewOf(row, assignedTo)}/${ticketId}` : '/inbox/mine',
    isUrgent: reason === 'mentioned' || row.isChat,
  }
}

/** For what no one did. */
const TITLES: Partial<Record<Reason, string>> = {
  failed: 'Your reply was not sent',
  snooze_ended: 'Snooze ended',
}

async function whatOf(read: Reader | Transaction, row: Notification): Promise<string> {
  switch (row.reason) {
    case 'mentioned':
      return 'Mentioned you'
    case 'assigned':
      return row.tickets > 1 ? `${row.tickets} tickets assigned to you` : 'Assigned to you'
    case 'failed':
      return 'Your reply was not sent'
    case 'snooze_ended':
      return 'Snooze ended'
    case 'customer_wrote':
      return 'New message'
    case 'followed':
      return row.messageId?.startsWith('not_') ? 'New note' : 'New message'
    case 'unassigned':
      return 'New ticket'
    case 'view':
      return `New in “${await viewName(read, row)}”`
  }
}

async function viewName(read: Reader | Transaction, { orgId, viewId }: Notification): Promise<string> {
  const [view] = await read
    .select({ name: savedViews.name })
    .from(savedViews)
    .where(matches(savedViews, { orgId, id: viewId ?? '' }))
  return view?.name ?? 'a deleted view'
}

async function textOf(read: Reader | Transaction, orgId: string, id: string): Promise<string> {
  const table = id.startsWith('not_') ? notes : messages
  const [found] = await read
    .select({ text: table.text, format: table.format })
    .from(table)
    .where(matches(table, { orgId, id }))
  if (!found) return ''
  return oneLine(plainTextOf({ ...found, text: found.text.slice(0, SOURCE_LENGTH) }, 'text'))
}

/** The built-in view that shows the ticket to this agent, or the saved one. */
function viewOf({ agentId, viewId }: Notification, assignedTo: string): string {
  if (viewId !== null) return viewId
  if (assignedTo === agentId) return 'mine'
  return assignedTo === '' ? 'unassigned' : 'open'
}
