import { sql } from 'drizzle-orm'
import { boolean, index, integer, json, primaryKey, rowNumber, table, text } from '../columns.ts'
import { customers } from './customers.ts'

/** Section 2 of the specification. */
export const TICKET_STATUSES = ['open', 'resolved', 'pending'] as const
export type TicketStatus = (typeof TICKET_STATUSES)[number]

export const CHANNELS = ['widget', 'email', 'telegram', 'api'] as const
export type Channel = (typeof CHANNELS)[number]

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
    channel: text().$type<Channel>().notNull(),
    subject: text().notNull(),
    /** Agent id. An empty string means unassigned, so that one index serves both. */
    assignedTo: text().notNull().default(''),
    tags: json().$type<string[]>().notNull(),
    /** The mailbox that received it and that answers leave through; empty for none. */
    mailboxId: text().notNull().default(''),
    /** Hidden from the inbox; the public status stays as it is. */
    isSpam: boolean().notNull().default(false),
    /** Increases by one on each effective change. Part of the ETag. */
    version: integer().notNull().default(1),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (row) => [
    index('tickets_by_created').on(row.orgId, row.createdAt, row.id),
    index('tickets_by_updated').on(row.orgId, row.updatedAt, row.id),
    index('tickets_by_status_created').on(row.orgId, row.status, row.createdAt, row.id),
    index('tickets_by_status_updated').on(row.orgId, row.status, row.updatedAt, row.id),
    index('tickets_by_channel_created').on(row.orgId, row.channel, row.createdAt, row.id),
    index('tickets_by_channel_updated').on(row.orgId, row.channel, row.updatedAt, row.id),
    index('tickets_by_assignee_created').on(row.orgId, row.assignedTo, row.createdAt, row.id),
    index('tickets_by_assignee_updated').on(row.orgId, row.assignedTo, row.updatedAt, row.id),
    // The views agents use most: my open tickets, and unassigned ones.
    index('tickets_by_status_assignee_updated').on(
      row.orgId,
      row.status,
      row.assignedTo,
      row.updatedAt,
      row.id,
    ),
    // Only spam: `is:spam` lists it. After tickets_by_updated, because without statistics SQLite picks the newer of two
    // equally good indexes.
    index('tickets_spam').on(row.orgId, row.updatedAt, row.id).where(sql`is_spam`),
    // Starts with the customer, so that deleting one finds its tickets.
    index('tickets_by_customer').on(row.customerId, row.updatedAt),
    // The handle shown on the page is the end of the id (server/search/query-language.ts).
    index('tickets_by_handle').on(sql`substr(id, 25)`),
  ],
)

/** One row per ticket and tag, with the times that lists sort by. */
export const ticketTags = table(
  'ticket_tags',
  {
    orgId: text().notNull(),
    tag: text().notNull(),
    ticketId: text()
      .notNull()
      .references(() => tickets.id),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.orgId, row.ticketId, row.tag] }),
    index('ticket_tags_by_ticket').on(row.ticketId),
    index('ticket_tags_by_created').on(row.orgId, row.tag, row.createdAt, row.ticketId),
    index('ticket_tags_by_updated').on(row.orgId, row.tag, row.updatedAt, row.ticketId),
  ],
)

/** How many tickets each single filter of the list finds; kept in the transaction that changes the ticket. */
export const ticketCounters = table(
  'ticket_counters',
  {
    orgId: text().notNull(),
    /**
     * `all`, `status:open`, `channel:api`, `assignedTo:agt_…` (or nothing after the colon), `tag:…`, and status with one
     * of the last two. Spam is counted again under the same names with the prefix `spam,`.
     */
    filter: text().notNull(),
    count: integer().notNull(),
  },
  (row) => [primaryKey({ columns: [row.orgId, row.filter] })],
)
