import { sql } from 'drizzle-orm'
import { bytes, index, integer, primaryKey, table, text } from '../columns.ts'

/** Section 6 of the specification: the events an endpoint can subscribe to. */
export const WEBHOOK_EVENTS = ['ticket.created', 'message.sent'] as const
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

/**
 * Every event in the log. Those that aren't webhook events only notify open pages of a change.
 * `workspace.changed` has no ticket: agents, keys, endpoints, views, saved replies, settings. Rows written before it got
 * this name say `desk.changed`; pages only look at the empty ticket id.
 */
const LOG_EVENTS = [
  ...WEBHOOK_EVENTS,
  'ticket.updated',
  'ticket.deleted',
  'note.added',
  'reply.waiting',
  'conversation.seen',
  'workspace.changed',
] as const
export type LogEvent = (typeof LOG_EVENTS)[number]

/** The event log. Within an organization, numbers have no gaps and follow the order of commits. */
export const events = table(
  'events',
  {
    orgId: text().notNull(),
    number: integer().notNull(),
    type: text().$type<LogEvent>().notNull(),
    ticketId: text().notNull(),
    /** The webhook body: the exact bytes that are signed and sent. Null when no endpoint was subscribed. */
    body: bytes(),
    createdAt: integer().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.orgId, row.number] }),
    // For deleting a ticket.
    index('events_by_ticket').on(row.orgId, row.ticketId).where(sql`body is not null`),
  ],
)
