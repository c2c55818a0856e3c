import { sql } from 'drizzle-orm'
import { boolean, index, integer, json, primaryKey, table, text, uniqueIndex } from '../columns.ts'
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

/**
 * `sent`: an agent sent it as it was; `edited`: with changes. `rejected`: an agent dismissed it. `superseded`: the ticket was
 * answered otherwise, the customer wrote again, or the program suggested something else. `withdrawn`: its program deleted it.
 */
export const SUGGESTION_STATES = ['open', 'sent', 'edited', 'rejected', 'superseded', 'withdrawn'] as const
export type SuggestionState = (typeof SUGGESTION_STATES)[number]

/** What an answer is based on. */
export interface SuggestionSource {
  title: string
  /** Http or https. */
  url: string
}

/** Answers that programs suggest and agents decide about. Closed ones are kept for 90 days. */
export const suggestions = table(
  'suggestions',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    ticketId: text()
      .notNull()
      .references(() => tickets.id),
    /** Who suggests it: an agent, such as a program, a key that belongs to none, or a program that an agent connected. */
    byId: text().notNull(),
    text: text().notNull(),
    format: text().$type<MessageFormat>().notNull(),
    attachmentCount: integer().notNull().default(0),
    /** Id of the customer's message. */
    answers: text().notNull(),
    sources: json().$type<SuggestionSource[]>().notNull(),
    /** From 0 to 1; null if its program didn't say. */
    confidence: json().$type<number | null>(),
    state: text().$type<SuggestionState>().notNull().default('open'),
    /** The agents who took it into their composer, the latest last. The next message of any on the ticket closes it. */
    usedBy: json().$type<string[]>().notNull(),
    /** The message that it became. */
    messageId: text(),
    /** From 0 to 1: how much of it is in that message. */
    similarity: json().$type<number | null>(),
    /** Why an agent dismissed it; empty for no reason. */
    reason: text().notNull().default(''),
    createdAt: integer().notNull(),
    closedAt: integer(),
  },
  (row) => [
    index('suggestions_by_ticket').on(row.ticketId, row.createdAt, row.id),
    uniqueIndex('suggestions_open').on(row.orgId, row.ticketId, row.byId).where(sql`state = 'open'`),
    index('suggestions_by_state').on(row.orgId, row.byId, row.state),
    index('suggestions_closed').on(row.closedAt).where(sql`closed_at is not null`),
  ],
)
