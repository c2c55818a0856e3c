import { sql } from 'drizzle-orm'
import { bytes, index, integer, json, primaryKey, table, text } from '../columns.ts'

/** Section 6 of the specification. Their bodies are written in the unit that makes the change. */
export const SPECIFIED_EVENTS = ['ticket.created', 'message.sent'] as const
export type SpecifiedEvent = (typeof SPECIFIED_EVENTS)[number]

/** The events that `/v1/events` has and an endpoint can subscribe to. */
export const WEBHOOK_EVENTS = [
  ...SPECIFIED_EVENTS,
  'ticket.updated',
  'ticket.imported',
  'ticket.deleted',
  'message.updated',
  'note.added',
  'suggestion.added',
  'suggestion.closed',
  'customer.updated',
  'customer.deleted',
  'customer.merged',
] as const
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

/**
 * Every event in the log. Those that aren't webhook events, and `ticket.updated` without `changes`, only notify open pages.
 * `workspace.changed` has no ticket: agents, keys, endpoints, views, saved replies, settings. Rows written before it got
 * this name say `desk.changed`; pages only look at the empty ticket id.
 */
const LOG_EVENTS = [
  ...WEBHOOK_EVENTS,
  'reply.waiting',
  'suggestion.used',
  'conversation.seen',
  'workspace.changed',
] as const
export type LogEvent = (typeof LOG_EVENTS)[number]

/** A value before and after. */
interface FromTo<Value> {
  from: Value
  to: Value
}

/** Fields that changed. Of texts and of what isn't a value, the log keeps only that they did. */
export interface EventChanges {
  status?: FromTo<string>
  /** Agent ids; null is unassigned. */
  assignedTo?: FromTo<string | null>
  tags?: FromTo<string[]>
  spam?: FromTo<boolean>
  /** ISO times; null is awake. */
  snoozedUntil?: FromTo<string | null>
  subject?: Record<string, never>
  customer?: Record<string, never>
  mergedInto?: FromTo<string | null>
  /** Messages came from another ticket or went to one. */
  messages?: Record<string, never>
  metadata?: Record<string, never>
  externalId?: Record<string, never>
  /** Of `customer.merged`: the customer that they were merged into. */
  into?: string
}

/** The event log. Within an organization, numbers have no gaps and follow the order of commits. */
export const events = table(
  'events',
  {
    orgId: text().notNull(),
    number: integer().notNull(),
    type: text().$type<LogEvent>().notNull(),
    /** Empty for events that aren't of a ticket. */
    ticketId: text().notNull(),
    /** The customer who changed, or that of a deleted ticket. Of other events, the ticket says it. */
    customerId: text(),
    /** The message, the note, or the suggestion. */
    messageId: text(),
    /** Id of the agent, the key or the customer who did it; null for the system; empty: who did the next event. */
    byId: text(),
    /** What changed, without texts. Null where the type says it all. */
    changes: json().$type<EventChanges | null>(),
    /** The webhook body: the exact bytes that are signed and sent. Null when no endpoint was subscribed, or none yet. */
    body: bytes(),
    createdAt: integer().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.orgId, row.number] }),
    // For deleting a ticket.
    index('events_by_ticket').on(row.orgId, row.ticketId).where(sql`body is not null`),
  ],
)

/** Up to which event of an organization's log the server has reacted. No row: to none. */
export const reactionCursors = table('reaction_cursors', {
  orgId: text().primaryKey(),
  eventNumber: integer().notNull(),
})
