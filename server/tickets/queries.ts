import { and, eq, getTableColumns, isNull, sql } from 'drizzle-orm'
import type { Attachment } from '../attachments/queries.ts'
import { SENT_BY } from '../channels/kinds.ts'
import { type Customer, customerColumns } from '../customers/customers.ts'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import {
  command,
  insertOf,
  integer,
  selectByPlace,
  statement,
  text,
  updateOf,
} from '../database/statement.ts'
import { agents } from '../database/tables/agents.ts'
import { customers } from '../database/tables/customers.ts'
import {
  MESSAGE_AUTHORS,
  MESSAGE_FORMATS,
  MESSAGE_ROLES,
  messages,
  SENDING_STATES,
} from '../database/tables/messages.ts'
import { tickets, ticketTags } from '../database/tables/tickets.ts'
import { selectTexts } from '../database/text-list.ts'
import { notFound } from '../errors.ts'
import { isId } from '../ids.ts'
import { externalIdTaken } from '../requests/metadata.ts'
import { isOfTicket, ofTicket } from './rows-of-ticket.ts'
import { readWaitingOrder, waitingAfterMessage } from './waiting.ts'

export type Ticket = Omit<typeof tickets.$inferSelect, 'number'>
export type Message = typeof messages.$inferSelect

/** A message that was just stored, with its attachments in order. */
export type MessageWithFiles = Message & { attachments: Attachment[] }

export interface TicketWithCustomer extends Ticket {
  customer: Customer
}

const { number: _, ...ticketColumns } = getTableColumns(tickets)

/** A ticket's columns with its customer's, for a query that joins the two. */
export const ticketWithCustomer = {
  ...ticketColumns,
  customer: customerColumns,
}

export const findTicket = statement('tickets_find', { orgId: text, id: text }, (read: Reader, p) =>
  read
    .select(ticketWithCustomer)
    .from(tickets)
    .innerJoin(customers, eq(customers.id, tickets.customerId))
    .where(matches(tickets, { orgId: p.orgId, id: p.id })),
)

/** Tickets by their ids, in the order of the ids, without those that aren't there. */
export async function findTicketsById(
  read: Reader,
  orgId: string,
  ids: string[],
): Promise<TicketWithCustomer[]> {
  if (ids.length === 0) return []
  const rows = await ticketsById(read, { orgId, ids: JSON.stringify(ids) })
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

const ticketsById = statement('tickets_by_id', { orgId: text, ids: text }, (read: Reader, p) =>
  read
    .select(ticketWithCustomer)
    .from(tickets)
    .innerJoin(customers, eq(customers.id, tickets.customerId))
    // The organization is an expression, so that no index but that of the ids is used.
    .where(sql`${tickets.id} in (${selectTexts(p.ids)}) and (${tickets.orgId} || '') = ${p.orgId}`),
)

/** The columns of a message that `/v1` shows. */
export const messageColumns = {
  id: messages.id,
  role: selectByPlace(messages.role, MESSAGE_ROLES),
  text: messages.text,
  format: selectByPlace(messages.format, MESSAGE_FORMATS),
  isAutomatic: messages.isAutomatic,
  author: selectByPlace(messages.author, MESSAGE_AUTHORS),
  agentName: messages.agentName,
  attachmentCount: messages.attachmentCount,
  externalId: messages.externalId,
  sending: selectByPlace(messages.sending, SENDING_STATES),
  sendError: messages.sendError,
  sentBy: selectByPlace(messages.sentBy, SENT_BY),
  takenBackAt: messages.takenBackAt,
  createdAt: messages.createdAt,
}

/** Bytes of a message besides its long columns, and of each of its attachments. */
const ROW_BYTES = 300

/** About the bytes of a stored message. */
export const messageBytes =
  sql<number>`octet_length(${messages.text}) + coalesce(octet_length(${messages.email}), 0)
  + coalesce(octet_length(${messages.telegram}), 0)
  + ${sql.raw(String(ROW_BYTES))} * (1 + ${messages.attachmentCount})`.mapWith(Number)

/** The first messages of a ticket. */
export const findMessages = statement('messages_find', { ...ofTicket, limit: integer }, (read: Reader, p) =>
  read
    .select(messageColumns)
    .from(messages)
    .where(isOfTicket(messages, p))
    .orderBy(sql`${messages.createdAt}, ${messages.id} limit ${p.limit}`),
)

/** The first statement of a unit that changes a ticket: no other unit changes it at the same time. */
export const lockTicket = statement('tickets_lock', { orgId: text, id: text }, (tx, p) =>
  tx
    .update(tickets)
    .set({ version: sql`${tickets.version}` })
    .where(matches(tickets, { orgId: p.orgId, id: p.id }))
    .returning(ticketColumns),
)

/** `lockTicket` with an id from a request. Throws 404. */
export async function requireTicket(tx: Transaction, orgId: string, id: string): Promise<Ticket> {
  const [ticket] = isId('tkt', id) ? await lockTicket(tx, { orgId, id }) : []
  if (!ticket) throw notFound('ticket')
  return ticket
}

/** Throws 409 if another ticket of the organization has the external id. */
export async function requireFreeExternalId(
  tx: Transaction,
  { id, orgId, externalId }: Pick<Ticket, 'id' | 'orgId' | 'externalId'>,
): Promise<void> {
  if (externalId === null) return
  const [owner] = await findByExternalId(tx, { orgId, externalId })
  if (owner && owner.id !== id) throw externalIdTaken('ticket', owner.id)
}

const findByExternalId = statement(
  'tickets_by_external_id',
  { orgId: text, externalId: text },
  (tx: Transaction, p) => tx.select({ id: tickets.id }).from(tickets).where(matches(tickets, p)),
)

/** Locks a ticket and raises its version for a change besides its own columns, in one statement. */
export const touchTicket = statement(
  'tickets_touch',
  { orgId: text, id: text, updatedAt: integer },
  (tx, p) =>
    tx
      .update(tickets)
      .set({ version: sql`${tickets.version} + 1`, updatedAt: p.updatedAt })
      .where(matches(tickets, { orgId: p.orgId, id: p.id }))
      .returning(ticketColumns),
)

/** The same for a new message, besides our automatic replies. */
export const touchWithMessage = statement(
  'tickets_touch_with_message',
  { orgId: text, id: text, at: integer, effect: text },
  (tx, p) =>
    tx
      .update(tickets)
      .set({
        version: sql`${tickets.version} + 1`,
        updatedAt: p.at,
        lastMessageAt: p.at,
        waitingOrder: waitingAfterMessage(p),
      })
      .where(matches(tickets, { orgId: p.orgId, id: p.id }))
      .returning(ticketColumns),
)

/** After an answer was taken back: the customer may wait again. The row is locked. */
export async function waitAgain(tx: Transaction, ticket: Ticket): Promise<void> {
  if (ticket.status === 'resolved') return
  const waitingOrder = await readWaitingOrder(tx, ticket)
  const { orgId, id } = ticket
  await tx.update(tickets).set({ waitingOrder }).where(matches(tickets, { orgId, id }))
  await touchTags(tx, { ...ticket, waitingOrder })
}

export const insertTickets = insertOf(tickets, { except: ['number'] })
export const insertTags = insertOf(ticketTags, {
  except: ['ticketNumber'],
  expressions: {
    ticketNumber: (_, other) => sql`(select number from tickets where id = ${other('ticketId')})`,
  },
})
export const insertMessages = insertOf(messages)

type OwnFields = 'id' | 'orgId' | 'ticketId' | 'role' | 'text' | 'createdAt'

/** A message to insert: plain text without channel-specific fields, except for the given ones. */
export function newMessage(given: Pick<Message, OwnFields> & Partial<Message>): Message {
  return {
    format: 'plain',
    isAutomatic: false,
    author: given.role === 'customer' ? 'customer' : null,
    authorName: null,
    email: null,
    hasHtml: false,
    hasQuote: false,
    isHtmlFormatted: false,
    hasRemoteImages: false,
    attachmentCount: 0,
    agentId: null,
    agentName: null,
    sending: null,
    sendError: null,
    sentBy: null,
    requestHash: null,
    externalId: null,
    telegram: null,
    editedAt: null,
    takenBackAt: null,
    isRemovalShown: false,
    ...given,
  }
}

export const saveTicket = updateOf('tickets_save', tickets, {
  set: [
    'status',
    'subject',
    'assignedTo',
    'place',
    'mergedInto',
    'tags',
    'version',
    'updatedAt',
    'lastMessageAt',
    'waitingOrder',
    'snoozedUntil',
    'externalId',
    'metadata',
  ],
  by: ['orgId', 'id'],
})

export const deleteTag = command('ticket_tags_delete', { orgId: text, tag: text, ticketId: text }, (tx, p) =>
  tx.delete(ticketTags).where(matches(ticketTags, { orgId: p.orgId, ticketId: p.ticketId, tag: p.tag })),
)

/** Keeps the rows of a ticket's tags equal to the ticket: lists filter and sort by them. */
export const saveTagged = updateOf('ticket_tags_save', ticketTags, {
  set: ['status', 'assignedTo', 'place', 'updatedAt', 'lastMessageAt', 'waitingOrder'],
  by: ['orgId', 'ticketId'],
})

/** The same when nothing but the times have changed. */
export async function touchTags(tx: Transaction, ticket: Ticket): Promise<void> {
  if (ticket.tags.length > 0) await saveTimes(tx, { ...ticket, ticketId: ticket.id })
}

const saveTimes = updateOf('ticket_tags_touch', ticketTags, {
  set: ['updatedAt', 'lastMessageAt', 'waitingOrder'],
  by: ['orgId', 'ticketId'],
})

/** Locks the agent's row, so that the agent is not disabled before the ticket is theirs. Call it before `lockTicket`. */
export const lockEnabledAgent = statement('tickets_agent', { orgId: text, id: text }, (tx, p) =>
  tx
    .update(agents)
    .set({ disabledAt: sql`${agents.disabledAt}` })
    .where(and(eq(agents.orgId, p.orgId), eq(agents.id, p.id), isNull(agents.disabledAt)))
    .returning({ id: agents.id }),
)
