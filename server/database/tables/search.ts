import { integer, primaryKey, table, text, uniqueIndex } from '../columns.ts'

/**
 * One row for each ticket that the full-text index holds. The number is the row of `search_index` (full-text.ts): a
 * ticket that changes is taken out and put in again under a new one, so higher numbers changed later.
 */
export const searchDocuments = table(
  'search_documents',
  {
    orgId: text().notNull(),
    ticketId: text().notNull(),
    number: integer().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.orgId, row.ticketId] }),
    uniqueIndex('search_documents_by_number').on(row.number),
  ],
)

/** How far the log has been read into the full-text index. */
export const searchCursors = table('search_cursors', {
  orgId: text().primaryKey(),
  eventNumber: integer().notNull(),
  /**
   * Tickets from before the log was first read are put in from the newest back: last activity and id of the last one
   * that was. Empty time: all are in.
   */
  backAt: integer(),
  backId: text().notNull().default(''),
})
