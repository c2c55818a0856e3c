import { index, integer, json, primaryKey, table, text } from '../columns.ts'
import type { ActorKind } from './audit.ts'
import type { customers, Metadata } from './customers.ts'
import type { messages } from './messages.ts'
import type { drafts, followers, readMarks } from './threads.ts'
import type { tickets } from './tickets.ts'

/** `merge`: a ticket into another one. `split`: messages into a new ticket. `customer`: a customer into another one. */
export const MOVE_KINDS = ['merge', 'split', 'customer'] as const
export type MoveKind = (typeof MOVE_KINDS)[number]

/** Merges and splits. Undoing one moves back what `movedRows` lists. */
export const moves = table(
  'moves',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    kind: text().$type<MoveKind>().notNull(),
    /** Two tickets, or two customers. */
    fromId: text().notNull(),
    intoId: text().notNull(),
    actorKind: text().$type<ActorKind>().notNull(),
    actorId: text(),
    actorName: text().notNull(),
    createdAt: integer().notNull(),
    undoneAt: integer(),
  },
  (row) => [
    index('moves_by_from').on(row.orgId, row.fromId),
    index('moves_by_into').on(row.orgId, row.intoId),
  ],
)

type Draft = typeof drafts.$inferSelect
type Seen = { seenMessageId: string; seenAt: number }
type Mark = Omit<typeof readMarks.$inferSelect, 'ticketId'>
/** The columns of a ticket that a merge changes. */
export type MergedColumns = Pick<
  typeof tickets.$inferSelect,
  'status' | 'place' | 'tags' | 'lastMessageAt' | 'waitingOrder' | 'snoozedUntil'
>

/** What a merge changes of a customer, with all their addresses. */
export type MergedCustomer = Pick<
  typeof customers.$inferSelect,
  'company' | 'phone' | 'note' | 'unverifiedEmail' | 'isNameTyped'
> & {
  emails: string[]
  /** Absent in merges made before there was any. */
  metadata?: Metadata | null
}

/** How rows were that a move changed, each under its own name. */
export interface MovedValues {
  /** Who had written a message. */
  author?: Pick<typeof messages.$inferSelect, 'author' | 'authorName'>
  /** The recipients of a scheduled message were those that its ticket suggested. */
  hadNoRecipients?: true
  /** The newest message that the author of a scheduled message counts as having seen. */
  seen?: { before: Seen; after: Seen }
  /** An agent's drafts on both tickets, and when the one that they became was saved. */
  draft?: { from: Draft; into: Draft | null; savedAt: number }
  mark?: { before: Mark | null; after: Mark | null }
  /** An agent who followed the other ticket follows this one since. */
  follower?: Omit<typeof followers.$inferSelect, 'ticketId'>
  /** `countedAt` is when the last message before the merge was sent, or its snooze ended: `lastMessageAt` can be later. */
  ticket?: { before: MergedColumns; after: MergedColumns; countedAt?: number }
  customer?: { before: MergedCustomer; after: MergedCustomer }
}

/**
 * What a move has moved or changed, by the ids of the rows. Rows that belong to a message, such as its files and sends,
 * move with it and aren't listed.
 */
export const movedRows = table(
  'moved_rows',
  {
    orgId: text().notNull(),
    moveId: text().notNull(),
    /** What `rowId` is an id of, such as `message`. */
    kind: text().notNull(),
    rowId: text().notNull(),
    /** Of a row that was changed and not only moved. Undo restores it if no one else has changed it since. */
    values: json().$type<MovedValues | null>(),
  },
  (row) => [
    primaryKey({ columns: [row.moveId, row.kind, row.rowId] }),
    index('moved_rows_by_row').on(row.orgId, row.rowId),
  ],
)
