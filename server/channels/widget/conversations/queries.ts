import { and, count, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { insertOf, integer, statement, text } from '../../../database/statement.ts'
import { agents } from '../../../database/tables/agents.ts'
import { messages } from '../../../database/tables/messages.ts'
import { tickets } from '../../../database/tables/tickets.ts'
import { widgetConversations, widgetMessages } from '../../../database/tables/widgets.ts'
import type { Visitor } from '../visitors/visitors.ts'

/** The part of a conversation that its visitor sees. */
export type ConversationRow = Awaited<ReturnType<typeof findConversation>>[number]
export type VisibleMessage = Awaited<ReturnType<typeof findMessage>>[number]

/** Who conversations belong to: a browser, or a user whom the website has signed in, in every browser. */
export type Owner = Pick<Visitor, 'orgId' | 'id' | 'userId'>

const conversation = {
  ticketId: widgetConversations.ticketId,
  orgId: widgetConversations.orgId,
  widgetId: widgetConversations.widgetId,
  visitorId: widgetConversations.visitorId,
  userId: widgetConversations.userId,
  clientId: widgetConversations.clientId,
  seenMessageId: widgetConversations.seenMessageId,
  seenByAgentAt: widgetConversations.seenByAgentAt,
  createdAt: widgetConversations.createdAt,
  mergedInto: tickets.mergedInto,
  status: tickets.status,
  /** Null for none. */
  assigneeName: agents.name,
  /** When the message that the visitor has seen was written. */
  seenMessageAt: sql<
    number | null
  >`(select seen.created_at from messages seen where seen.id = ${widgetConversations.seenMessageId})`.mapWith(
    (value) => (value === null ? null : Number(value)),
  ),
}

function selectConversation(read: Reader | Transaction, where: SQL | undefined) {
  return read
    .select(conversation)
    .from(widgetConversations)
    .innerJoin(tickets, eq(tickets.id, widgetConversations.ticketId))
    .leftJoin(agents, eq(agents.id, tickets.assignedTo))
    .where(where)
}

/** The conversations of a browser before its website signed a user in. */
function isOfVisitor(p: { orgId: SQL; visitorId: SQL }): SQL | undefined {
  return and(
    eq(widgetConversations.orgId, p.orgId),
    eq(widgetConversations.visitorId, p.visitorId),
    isNull(widgetConversations.userId),
  )
}

function isOfUser(p: { orgId: SQL; userId: SQL }): SQL | undefined {
  return matches(widgetConversations, { orgId: p.orgId, userId: p.userId })
}

/** Newest first. The limit is part of it, because Drizzle would bind it bare (statement.ts). */
function byActivity(p: { limit: SQL }): SQL {
  return sql`${tickets.lastMessageAt} desc, ${tickets.id} desc limit ${p.limit}`
}

export const findConversation = statement(
  'widget_conversation',
  { orgId: text, ticketId: text },
  (read: Reader | Transaction, p) =>
    selectConversation(read, matches(widgetConversations, { orgId: p.orgId, ticketId: p.ticketId })),
)

/** The conversations of a visitor, newest activity first. */
export function findConversationsOf(
  read: Reader,
  { orgId, id: visitorId, userId }: Owner,
  limit: number,
): Promise<ConversationRow[]> {
  return userId === null
    ? conversationsOfVisitor(read, { orgId, visitorId, limit })
    : conversationsOfUser(read, { orgId, userId, limit })
}

const conversationsOfVisitor = statement(
  'widget_conversations_of_visitor',
  { orgId: text, visitorId: text, limit: integer },
  (read: Reader, p) => selectConversation(read, isOfVisitor(p)).orderBy(byActivity(p)),
)

const conversationsOfUser = statement(
  'widget_conversations_of_user',
  { orgId: text, userId: text, limit: integer },
  (read: Reader, p) => selectConversation(read, isOfUser(p)).orderBy(byActivity(p)),
)

/** Only the ids of their tickets, newest first: ten thousand pages may reconnect at once. */
export async function findTicketIdsOf(
  read: Reader | Transaction,
  { orgId, id: visitorId, userId }: Owner,
  limit: number,
): Promise<string[]> {
  const rows =
    userId === null
      ? await ticketsOfVisitor(read, { orgId, visitorId, limit })
      : await ticketsOfUser(read, { orgId, userId, limit })
  return rows.map(({ ticketId }) => ticketId)
}

const ticketsOfVisitor = statement(
  'widget_tickets_of_visitor',
  { orgId: text, visitorId: text, limit: integer },
  (read: Reader | Transaction, p) => selectTicketIds(read, isOfVisitor(p), p),
)

const ticketsOfUser = statement(
  'widget_tickets_of_user',
  { orgId: text, userId: text, limit: integer },
  (read: Reader | Transaction, p) => selectTicketIds(read, isOfUser(p), p),
)

function selectTicketIds(read: Reader | Transaction, where: SQL | undefined, p: { limit: SQL }) {
  return read
    .select({ ticketId: widgetConversations.ticketId })
    .from(widgetConversations)
    .where(where)
    .orderBy(sql`${widgetConversations.createdAt} desc limit ${p.limit}`)
}

/** Finds a conversation by the id that the page generated. */
export const findByClientId = statement(
  'widget_conversation_by_client_id',
  { orgId: text, visitorId: text, clientId: text },
  (tx: Transaction, p) =>
    tx
      .select({ ticketId: widgetConversations.ticketId })
      .from(widgetConversations)
      .where(matches(widgetConversations, { orgId: p.orgId, visitorId: p.visitorId, clientId: p.clientId })),
)

export const insertConversations = insertOf(widgetConversations)
export const insertWidgetMessages = insertOf(widgetMessages)

/** The message that a page sent under an id. */
export const findSent = statement(
  'widget_messages_sent',
  { orgId: text, visitorId: text, clientId: text },
  (tx: Transaction, p) =>
    tx
      .select({
        ticketId: widgetMessages.ticketId,
        messageId: widgetMessages.messageId,
        requestHash: widgetMessages.requestHash,
      })
      .from(widgetMessages)
      .where(matches(widgetMessages, { orgId: p.orgId, visitorId: p.visitorId, clientId: p.clientId })),
)

/**
 * What a visitor sees of a ticket: not what agents passed on to someone else, not what those answered, nothing that was taken
 * back before they saw it, and no vacation notices. Notes and activities are in other tables.
 */
const isVisible = sql`(${messages.author} is null or ${messages.author} <> 'third_party') and (${messages.takenBackAt} is null or ${messages.isRemovalShown}) and not (${messages.role} = 'customer' and ${messages.isAutomatic})`

const message = {
  id: messages.id,
  ticketId: messages.ticketId,
  role: messages.role,
  text: messages.text,
  format: messages.format,
  isAutomatic: messages.isAutomatic,
  agentName: messages.agentName,
  attachmentCount: messages.attachmentCount,
  createdAt: messages.createdAt,
  isEmailed: sql<boolean>`${messages.email} is not null`.mapWith(Boolean),
  isRemoved: sql<boolean>`${messages.takenBackAt} is not null`.mapWith(Boolean),
  clientId: widgetMessages.clientId,
}

/**
 * Where the messages of a conversation are. `within` is empty, or the conversation's own ticket, if that was merged into one
 * that its visitor doesn't see: then only what it had before and what the visitor wrote since.
 */
export interface MessagePlace {
  orgId: string
  ticketId: string
  within: string
}

const place = { orgId: text, ticketId: text, within: text }

function isIn(p: { orgId: SQL; ticketId: SQL; within: SQL }): SQL | undefined {
  const moved = sql`select moved.row_id from moved_rows moved join moves on moves.id = moved.move_id
    where moves.org_id = ${p.orgId} and moves.from_id = ${p.within} and moves.kind = 'merge'
    and moves.undone_at is null and moved.kind = 'message'`
  const written = sql`select own.message_id from widget_messages own
    where own.org_id = ${p.orgId} and own.ticket_id = ${p.within}`
  const isShown = sql`(${p.within} = '' or ${messages.id} in (${moved}) or ${messages.id} in (${written}))`
  return and(matches(messages, { orgId: p.orgId, ticketId: p.ticketId }), isShown)
}

function selectMessages(read: Reader, where: SQL | undefined) {
  return read
    .select(message)
    .from(messages)
    .leftJoin(widgetMessages, eq(widgetMessages.messageId, messages.id))
    .where(and(where, isVisible))
}

/** Newest first, before a time and id. */
export const findMessagesBefore = statement(
  'widget_messages_before',
  { ...place, time: integer, id: text, limit: integer },
  (read: Reader, p) =>
    selectMessages(
      read,
      and(isIn(p), sql`(${messages.createdAt}, ${messages.id}) < (${p.time}, ${p.id})`),
    ).orderBy(sql`${messages.createdAt} desc, ${messages.id} desc limit ${p.limit}`),
)

/** Oldest first, from a time on. */
export const findMessagesSince = statement(
  'widget_messages_since',
  { ...place, time: integer, limit: integer },
  (read: Reader, p) =>
    selectMessages(read, and(isIn(p), sql`${messages.createdAt} >= ${p.time}`)).orderBy(
      sql`${messages.createdAt}, ${messages.id} limit ${p.limit}`,
    ),
)

/** Messages that were taken back since a time, before the visitor saw them. */
export const findRemovedSince = statement(
  'widget_messages_removed',
  { ...place, time: integer },
  (read: Reader, p) =>
    read
      .select({ id: messages.id, isRemovalShown: messages.isRemovalShown })
      .from(messages)
      .where(and(isIn(p), sql`${messages.takenBackAt} >= ${p.time}`)),
)

export const findMessage = statement('widget_message', { ...place, id: text }, (read: Reader, p) =>
  selectMessages(read, and(isIn(p), eq(messages.id, p.id))),
)

/** Messages of agents after the one that the visitor has seen. */
export const countUnread = statement(
  'widget_messages_unread',
  { ...place, time: integer, id: text },
  (read: Reader, p) =>
    read
      .select({ unread: count() })
      .from(messages)
      .where(
        and(
          isIn(p),
          eq(messages.role, 'agent'),
          sql`(${messages.createdAt}, ${messages.id}) > (${p.time}, ${p.id})`,
          isVisible,
        ),
      ),
)

/** The name of the agent who wrote last. */
export const findNewestAgent = statement('widget_newest_agent', { ...place }, (read: Reader, p) =>
  read
    .select({ agentName: messages.agentName })
    .from(messages)
    .where(and(isIn(p), eq(messages.role, 'agent'), sql`not ${messages.isAutomatic}`, isVisible))
    .orderBy(sql`${messages.createdAt} desc, ${messages.id} desc limit 1`),
)
