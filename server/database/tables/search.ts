import { integer, rowNumber, table, text } from '../columns.ts'

/**
 * One row per ticket and customer in the full-text index, by its id. The number is its row in `search_index` (full-text.ts). A changed ticket
 * is indexed again under a new number, so higher numbers changed later.
 */
export const searchDocuments = table('search_documents', {
  number: rowNumber(),
  orgId: text().notNull(),
  ticketId: text().notNull().unique(),
})

/** How much of the event log has been indexed. */
export const searchCursors = table('search_cursors', {
  orgId: text().primaryKey(),
  eventNumber: integer().notNull(),
  /**
   * Tickets older than the first indexed event are indexed from the newest back. Last activity and id of the last one
   * indexed; a null time means that all are.
   */
  backAt: integer(),
  backId: text().notNull().default(''),
})
