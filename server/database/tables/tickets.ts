import { sql } from 'drizzle-orm'
import type { ChannelKind } from '../../channels/kinds.ts'
import {
  boolean,
  endingWith,
  index,
  integer,
  json,
  primaryKey,
  rowNumber,
  table,
  text,
  uniqueIndex,
} from '../columns.ts'
import { customers, type Metadata } from './customers.ts'

/** Section 2 of the specification. */
export const TICKET_STATUSES = ['open', 'resolved', 'pending'] as const
export type TicketStatus = (typeof TICKET_STATUSES)[number]

/** Where a ticket is. Numbers, because they are part of most indexes; `spam` is the 1 that `is_spam` was. */
export const PLACES = { inbox: 0, spam: 1, snoozed: 2, merged: 3 } as const
export type Place = (typeof PLACES)[keyof typeof PLACES]
/** What is done to a ticket: by hand, with a saved reply, or when a message is sent. What is absent stays as it is. */
export interface Actions {
  status?: TicketStatus | undefined
  /** Agent id; null or an empty string unassigns. */
  assignedTo?: string | null | undefined
  addTags?: string[] | undefined
  removeTags?: string[] | undefined
  /** An ISO time at most a year away; null wakes it. */
  snoozedUntil?: string | null | undefined
  /** Why it is snoozed. */
  why?: string | undefined
}

export const tickets = table(
  'tickets',
  {
    /** Breaks ties in lists: with it, their indexes need no ids. */
    number: rowNumber(),
    id: text().notNull().unique(),
    orgId: text().notNull(),
    customerId: text()
      .notNull()
      .references(() => customers.id),
    status: text().$type<TicketStatus>().notNull(),
    channel: text().$type<ChannelKind>().notNull(),
    subject: text().notNull(),
    /** Agent id. An empty string means unassigned, so that one index serves both. */
    assignedTo: text().notNull().default(''),
    tags: json().$type<string[]>().notNull(),
    /** The mailbox that received it and that answers leave through; empty for none. */
    mailboxId: text().notNull().default(''),
    /** All but those of the inbox are hidden from its lists and counts. The status stays as it is. */
    place: integer().$type<Place>().notNull().default(PLACES.inbox),
    /** The ticket that it was merged into, which has its messages now. That one can be merged again. */
    mergedInto: text(),
    /** Increases by one on each effective change. Part of the ETag. */
    version: integer().notNull().default(1),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
    /** The newest message besides our automatic replies, or when its snooze ended, if that was later. Notes don't count. */
    lastMessageAt: integer().notNull().default(0),
    /** Where *Waiting longest* lists it: server/tickets/waiting.ts. */
    waitingOrder: integer().notNull().default(0),
    /** When it comes back. Null while it is awake. */
    snoozedUntil: integer(),
    /** Its id in another system, unique in the organization. */
    externalId: text(),
    /** Null for none. */
    metadata: json().$type<Metadata | null>(),
    /** Whether a program's answer is open. Kept by the units that open and close them. */
    isSuggested: boolean().notNull().default(false),
  },
  (row) => [
    index('tickets_suggested').on(row.orgId, row.id).where(sql`is_suggested and status <> 'resolved'`),
    index('tickets_by_wake').on(row.orgId, row.snoozedUntil, row.id).where(sql`snoozed_until is not null`),
    // Together they hold every combination of the filters as at most 48 ranges (server/tickets/list-ranges.ts).
    index('tickets_by_created').on(
      row.orgId,
      row.status,
      row.channel,
      row.place,
      row.createdAt,
      ...endingWith(row.number),
    ),
    index('tickets_by_updated').on(
      row.orgId,
      row.status,
      row.channel,
      row.place,
      row.updatedAt,
      ...endingWith(row.number),
    ),
    index('tickets_by_assignee_created').on(
      row.orgId,
      row.assignedTo,
      row.status,
      row.channel,
      row.place,
      row.createdAt,
      ...endingWith(row.number),
    ),
    index('tickets_by_assignee_updated').on(
      row.orgId,
      row.assignedTo,
      row.status,
      row.channel,
      row.place,
      row.updatedAt,
      ...endingWith(row.number),
    ),
    index('tickets_by_messaged').on(
      row.orgId,
      row.status,
      row.channel,
      row.place,
      row.lastMessageAt,
      ...endingWith(row.number),
    ),
    index('tickets_by_assignee_messaged').on(
      row.orgId,
      row.assignedTo,
      row.status,
      row.channel,
      row.place,
      row.lastMessageAt,
      ...endingWith(row.number),
    ),
    index('tickets_by_waiting').on(
      row.orgId,
      row.status,
      row.channel,
      row.place,
      row.waitingOrder,
      ...endingWith(row.number),
    ),
    index('tickets_by_assignee_waiting').on(
      row.orgId,
      row.assignedTo,
      row.status,
      row.channel,
      row.place,
      row.waitingOrder,
      ...endingWith(row.number),
    ),
    // Starts with the customer, so that deleting one finds its tickets.
    index('tickets_by_customer').on(row.customerId, row.lastMessageAt),
    // The handle shown on the page is the end of the id (server/search/query-language.ts).
    index('tickets_by_handle').on(sql`substr(id, 25)`),
    uniqueIndex('tickets_by_external_id').on(row.orgId, row.externalId).where(sql`external_id is not null`),
    index('tickets_merged').on(row.orgId, row.mergedInto).where(sql`merged_into is not null`),
  ],
)

/** One row per ticket and tag, with the columns of the ticket that lists filter and sort by. */
export const ticketTags = table(
  'ticket_tags',
  {
    orgId: text().notNull(),
    tag: text().notNull(),
    ticketId: text()
      .notNull()
      .references(() => tickets.id),
    ticketNumber: integer().notNull(),
    status: text().$type<TicketStatus>().notNull(),
    channel: text().$type<ChannelKind>().notNull(),
    assignedTo: text().notNull(),
    place: integer().$type<Place>().notNull(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
    lastMessageAt: integer().notNull().default(0),
    waitingOrder: integer().notNull().default(0),
  },
  (row) => [
    // Starts with the ticket, so that deleting one finds its tags.
    primaryKey({ columns: [row.ticketId, row.tag] }),
    index('ticket_tags_by_created').on(
      row.orgId,
      row.tag,
      row.status,
      row.channel,
      row.place,
      row.createdAt,
      row.ticketNumber,
    ),
    index('ticket_tags_by_updated').on(
      row.orgId,
      row.tag,
      row.status,
      row.channel,
      row.place,
      row.updatedAt,
      row.ticketNumber,
    ),
    index('ticket_tags_by_assignee_created').on(
      row.orgId,
      row.tag,
      row.assignedTo,
      row.status,
      row.channel,
      row.place,
      row.createdAt,
      row.ticketNumber,
    ),
    index('ticket_tags_by_assignee_updated').on(
      row.orgId,
      row.tag,
      row.assignedTo,
      row.status,
      row.channel,
      row.place,
      row.updatedAt,
      row.ticketNumber,
    ),
    index('ticket_tags_by_messaged').on(
      row.orgId,
      row.tag,
      row.status,
      row.channel,
      row.place,
      row.lastMessageAt,
      row.ticketNumber,
    ),
    index('ticket_tags_by_assignee_messaged').on(
      row.orgId,
      row.tag,
      row.assignedTo,
      row.status,
      row.channel,
      row.place,
      row.lastMessageAt,
      row.ticketNumber,
    ),
    index('ticket_tags_by_waiting').on(
      row.orgId,
      row.tag,
      row.status,
      row.channel,
      row.place,
      row.waitingOrder,
      row.ticketNumber,
    ),
    index('ticket_tags_by_assignee_waiting').on(
      row.orgId,
      row.tag,
      row.assignedTo,
      row.status,
      row.channel,
      row.place,
      row.waitingOrder,
      row.ticketNumber,
    ),
  ],
)

/**
 * How many tickets there are of each status, channel and place, for every assignee and every tag and for all of them; kept
 * in the transaction that changes the ticket. The total of any combination of filters is a sum of at most 48 rows.
 */
export const ticketCounters = table(
  'ticket_counters',
  {
    orgId: text().notNull(),
    /** Agent id, an empty string for unassigned tickets, or `any` for all tickets, assigned or not. */
    assignedTo: text().notNull(),
    status: text().$type<TicketStatus>().notNull(),
    /** An empty string for all tickets, with tags or without. */
    tag: text().notNull(),
    channel: text().$type<ChannelKind>().notNull(),
    place: integer().$type<Place>().notNull(),
    count: integer().notNull(),
  },
  (row) => [
    // Ordered for the most frequent read: the tags of open tickets.
    primaryKey({ columns: [row.orgId, row.assignedTo, row.status, row.tag, row.channel, row.place] }),
  ],
)
