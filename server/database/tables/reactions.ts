import { integer, table, text } from '../columns.ts'

/** Up to which event of an organization's log the server has reacted. No row: to none. */
export const reactionCursors = table('reaction_cursors', {
  orgId: text().primaryKey(),
  eventNumber: integer().notNull(),
})
