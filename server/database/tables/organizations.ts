import { boolean, integer, table, text } from '../columns.ts'

export const organizations = table('organizations', {
  id: text().primaryKey(),
  name: text().notNull(),
  /** A customer's message sets a pending or resolved ticket to open. */
  reopens: boolean().notNull().default(true),
  /** An agent who replies to an unassigned ticket is assigned to it. */
  assignOnReply: boolean().notNull().default(true),
  /** How the business shows itself to customers; empty: the name. */
  publicName: text().notNull().default(''),
  website: text().notNull().default(''),
  /** Goes under replies by e-mail. */
  signature: text().notNull().default(''),
  /** Number of the newest event; taken inside the unit that records it, so a reader's cursor never skips one. */
  lastEvent: integer().notNull().default(0),
  /** Number of the event with which something was deleted for ever; empty once nothing of it is left on the disk. */
  erasedEvent: integer(),
  createdAt: integer().notNull(),
})
