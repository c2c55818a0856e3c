import { sql } from 'drizzle-orm'
import { boolean, index, integer, json, primaryKey, table, text } from '../columns.ts'
import type { ActorKind } from './audit.ts'
import type { MessageFormat } from './messages.ts'
import type { Recipients } from './scheduled-messages.ts'
import { type Actions, tickets } from './tickets.ts'

/**
 * A merge or split: `from` is the id of the other ticket, and `to` that of the move. `merged` and `split` are in the ticket
 * that messages came to or went from, `mergedInto` and `splitFrom` in the other one, `moveUndone` in both.
 */
export const MOVE_LINES = ['merged', 'mergedInto', 'split', 'splitFrom', 'moveUndone'] as const

/** The fields whose changes a thread shows. */
export const ACTIVITY_FIELDS = [
  'status',
  'assignedTo',
  'tags',
  'subject',
  /** ISO times; empty while awake. */
  'snoozedUntil',
  /** Why it is snoozed. */
  'why',
  'spam',
  'customer',
  'mailbox',
  ...MOVE_LINES,
] as const
type ActivityField = (typeof ACTIVITY_FIELDS)[number]

/** One change of a field, as a thread shows it. */
export interface FieldChange {
  field: ActivityField
  from: string | string[] | boolean
  to: string | string[] | boolean
}

export const DRAFT_KINDS = ['reply', 'note'] as const
export type DraftKind = (typeof DRAFT_KINDS)[number]

/** Notes that agents write to each other on a ticket. Only the inbox shows them: no webhook, no API. */
export const notes = table(
  'notes',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    ticketId: text()
      .notNull()
      .references(() => tickets.id),
    agentId: text().notNull(),
    agentName: text().notNull(),
    text: text().notNull(),
    format: text().$type<MessageFormat>().notNull().default('plain'),
    attachmentCount: integer().notNull().default(0),
    createdAt: integer().notNull(),
  },
  (row) => [index('notes_by_ticket').on(row.ticketId, row.createdAt, row.id)],
)

/** The lines of a thread that say who changed what. */
export const activities = table(
  'activities',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    ticketId: text()
      .notNull()
      .references(() => tickets.id),
    actorKind: text().$type<ActorKind>().notNull(),
    actorId: text(),
    actorName: text().notNull(),
    changes: json().$type<FieldChange[]>().notNull(),
    createdAt: integer().notNull(),
  },
  (row) => [index('activities_by_ticket').on(row.ticketId, row.createdAt, row.id)],
)

/** Up to which message an agent has read a ticket. */
export const readMarks = table(
  'read_marks',
  {
    orgId: text().notNull(),
    agentId: text().notNull(),
    ticketId: text()
      .notNull()
      .references(() => tickets.id),
    messageId: text().notNull(),
    /** When that message was written: a later one of the customer is unread. */
    messageAt: integer().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.orgId, row.agentId, row.ticketId] }),
    index('read_marks_by_ticket').on(row.ticketId),
  ],
)

/** An agent's unsent text on a ticket: a reply and a note separately. */
export const drafts = table(
  'drafts',
  {
    orgId: text().notNull(),
    agentId: text().notNull(),
    ticketId: text()
      .notNull()
      .references(() => tickets.id),
    kind: text().$type<DraftKind>().notNull(),
    text: text().notNull(),
    /** Ids of the uploads that the draft had when it was saved, in order. */
    attachments: json().$type<string[]>().notNull(),
    /** Recipients that the agent changed; null for those that the ticket suggests. */
    recipients: json().$type<Recipients | null>(),
    /** Of a saved reply: what is done to the ticket when the reply is sent. Null for nothing. */
    actions: json().$type<Actions | null>(),
    /** When its reply is sent, if that was to be sent later before it was edited. Null for when its author presses Send. */
    sendAt: integer(),
    savedAt: integer().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.orgId, row.agentId, row.ticketId, row.kind] }),
    index('drafts_by_ticket').on(row.ticketId),
  ],
)

/** Who was mentioned in a note, besides its author. A row moves with its note to another ticket. */
export const mentions = table(
  'mentions',
  {
    orgId: text().notNull(),
    agentId: text().notNull(),
    noteId: text()
      .notNull()
      .references(() => notes.id),
    ticketId: text()
      .notNull()
      .references(() => tickets.id),
    /** When they opened the ticket after it; null while it is new to them. */
    seenAt: integer(),
    createdAt: integer().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.noteId, row.agentId] }),
    index('mentions_by_agent').on(row.orgId, row.agentId, row.createdAt),
    index('mentions_unseen').on(row.orgId, row.agentId).where(sql`seen_at is null`),
    index('mentions_by_ticket').on(row.ticketId),
  ],
)

/** Who follows a ticket. Who stopped following it by themselves keeps a row, so that no mention makes them follow it again. */
export const followers = table(
  'followers',
  {
    orgId: text().notNull(),
    agentId: text().notNull(),
    ticketId: text()
      .notNull()
      .references(() => tickets.id),
    isFollowing: boolean().notNull(),
    /** When they began or stopped. */
    changedAt: integer().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.orgId, row.agentId, row.ticketId] }),
    index('followers_by_ticket').on(row.ticketId),
  ],
)
