import { index, integer, json, primaryKey, table, text } from '../columns.ts'
import type { ActorKind } from './audit.ts'

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
    /** Columns before and after, of a row that was changed and not only moved: they are restored if no one else changed them. */
    values: json().$type<unknown>(),
  },
  (row) => [
    primaryKey({ columns: [row.moveId, row.kind, row.rowId] }),
    index('moved_rows_by_row').on(row.orgId, row.rowId),
  ],
)
