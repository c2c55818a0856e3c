import { and, asc, eq, gt, inArray, isNull, lte, or, sql } from 'drizzle-orm'
import { findAttachmentsOf } from '../../../attachments/queries.ts'
import { customerOf } from '../../../customers/customers.ts'
import { addressKey } from '../../../customers/email-addresses.ts'
import type { Reader, Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { integer, statement, text } from '../../../database/statement.ts'
import { messages } from '../../../database/tables/messages.ts'
import { emailedVisitors, widgetConversations } from '../../../database/tables/widgets.ts'
import type { Deps } from '../../../deps.ts'
import { isHeld } from '../../../jobs/held.ts'
import { runLanes } from '../../../jobs/run-lanes.ts'
import type { Loop } from '../../../loop.ts'
import { planSends } from '../../../messages/sends/plan-sends.ts'
import { insertSends, recordTicketChange } from '../../../messages/sends/queries.ts'
import { lockTicket, type Message, type Ticket } from '../../../tickets/queries.ts'
import { MAX_UNANSWERED, unreadRecipient } from './unread-answers.ts'

const MAX_MESSAGES = 10
const MIN_PAUSE_MS = 15 * 60_000

type Conversation = typeof widgetConversations.$inferSelect

/** Emails answers that visitors of the widget have not read, to those who left an address. */
export function startUnreadEmails(deps: Deps): Loop {
  return runLanes(deps, {
    name: 'unread emails',
    tables: [widgetConversations],
    atOnce: 1,
    failure: 'unread_email_failed',
    async find(read, { limit, held }) {
      const due = await findDue(read, { limit, held })
      return due.map(({ dueAt, ...conversation }) => ({ ...conversation, dueAt: dueAt ?? 0 }))
    },
    async run({ orgId, id: ticketId }) {
      await deps.database.write(orgId, (tx) => emailUnread(deps, tx, { orgId, ticketId }))
      return 0
    },
  })
}

/** The emails that are due first. Runs after each commit. */
const findDue = statement('unread_emails_due', { limit: integer, held: text }, (read: Reader, p) =>
  read
    .select({
      id: widgetConversations.ticketId,
      orgId: widgetConversations.orgId,
      dueAt: widgetConversations.emailDueAt,
    })
    .from(widgetConversations)
    // SQLite uses the partial index only for a query that contains its condition literally.
    .where(sql`email_due_at is not null and ${isHeld(widgetConversations.ticketId, p.held)}`)
    .orderBy(sql`${widgetConversations.emailDueAt} limit ${p.limit}`),
)

/** Locks the ticket first. */
async function emailUnread(
  deps: Deps,
  tx: Transaction,
  { orgId, ticketId }: { orgId: string; ticketId: string },
): Promise<void> {
  const now = deps.clock.now()
  const [ticket] = await lockTicket(tx, { orgId, id: ticketId })
  const ofTicket = matches(widgetConversations, { orgId, ticketId })
  const isDue = and(ofTicket, lte(widgetConversations.emailDueAt, now))
  const [conversation] = await tx.select().from(widgetConversations).where(isDue)
  if (!ticket || !conversation) return
  const mayGoAt = (conversation.lastEmailedAt ?? Number.NEGATIVE_INFINITY) + MIN_PAUSE_MS
  const unread = await findUnread(tx, conversation)
  const isEarly = unread.length > 0 && mayGoAt > now
  const emailed = unread.slice(0, MAX_MESSAGES)
  const isSent = !isEarly && (await sendUnread(deps, tx, { ticket, conversation, unread: emailed }))
  const later = isEarly ? mayGoAt : now + MIN_PAUSE_MS
  await tx
    .update(widgetConversations)
    .set({
      emailDueAt: isEarly || (isSent && unread.length > MAX_MESSAGES) ? later : null,
      ...(isSent && { lastEmailedAt: now }),
    })
    .where(ofTicket)
  const messageId = emailed.at(-1)?.id
  if (isSent && messageId) await recordTicketChange(deps, tx, { orgId, ticketId, messageId })
}

/** Answers that are neither seen nor emailed, oldest first: one more than an email has. */
function findUnread(tx: Transaction, { orgId, ticketId, seenMessageId }: Conversation): Promise<Message[]> {
  const seen = sql`(select seen.created_at from messages seen where seen.id = ${seenMessageId})`
  return tx
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.orgId, orgId),
        eq(messages.ticketId, ticketId),
        eq(messages.role, 'agent'),
        isNull(messages.email),
        isNull(messages.author),
        isNull(messages.takenBackAt),
        or(
          sql`${seen} is null`,
          gt(messages.createdAt, seen),
          and(eq(messages.createdAt, seen), gt(messages.id, seenMessageId)),
        ),
      ),
    )
    .orderBy(asc(messages.createdAt), asc(messages.id))
    .limit(MAX_MESSAGES + 1)
}

/** Returns whether there is an email: not without an address, a mailbox, or an answer to the last three. */
async function sendUnread(
  deps: Deps,
  tx: Transaction,
  { ticket, conversation, unread }: { ticket: Ticket; conversation: Conversation; unread: Message[] },
): Promise<boolean> {
  const newest = unread.at(-1)
  if (!newest) return false
  const { orgId } = conversation
  const customer = await customerOf(tx, orgId, ticket.customerId)
  const recipient = await unreadRecipient(deps, tx, ticket, customer)
  if ('without' in recipient) return false
  const { name, address, isVerified } = recipient
  if (!isVerified && !(await countEmail(tx, orgId, address))) return false
  const files = []
  for (const { id, attachmentCount } of unread) {
    if (attachmentCount > 0) files.push(...(await findAttachmentsOf(tx, { orgId, ownerId: id })))
  }
  const { sends, ...planned } = await planSends(deps, tx, {
    ticket,
    customer,
    message: {
      id: newest.id,
      text: newest.text,
      format: newest.format,
      agentId: newest.agentId ?? undefined,
      agentName: newest.agentName ?? '',
      createdAt: deps.clock.now(),
    },
    earlier: unread
      .slice(0, -1)
      .map(({ text, format, agentName }) => ({ text, format, agentName: agentName ?? '' })),
    files,
    recipients: { to: [{ name, address }], cc: [] },
    kind: 'unread',
  })
  await insertSends(tx, sends)
  const ids = unread.map(({ id }) => id)
  await tx
    .update(messages)
    .set({ email: planned.email })
    .where(and(eq(messages.orgId, orgId), inArray(messages.id, ids)))
  await tx
    .update(messages)
    .set({ sending: planned.sending, sendError: planned.sendError })
    .where(matches(messages, { orgId, id: newest.id }))
  return true
}

/**
 * Anyone can type any address, so an address that doesn't answer gets at most three emails. Returns whether it may get
 * one more.
 */
async function countEmail(tx: Transaction, orgId: string, address: string): Promise<boolean> {
  const counted = await tx
    .insert(emailedVisitors)
    .values({ orgId, addressKey: addressKey(address), unanswered: 1, answeredAt: null })
    .onConflictDoUpdate({
      target: [emailedVisitors.orgId, emailedVisitors.addressKey],
      set: { unanswered: sql`${emailedVisitors.unanswered} + 1` },
      setWhere: sql`${emailedVisitors.unanswered} < ${MAX_UNANSWERED} or ${emailedVisitors.answeredAt} is not null`,
    })
    .returning({ unanswered: emailedVisitors.unanswered })
  return counted.length > 0
}
