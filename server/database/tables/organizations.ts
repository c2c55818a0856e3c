import { boolean, integer, json, table, text } from '../columns.ts'

export const organizations = table('organizations', {
  id: text().primaryKey(),
  name: text().notNull(),
  /** A customer's message sets a pending or resolved ticket to open. */
  reopens: boolean().notNull().default(true),
  /** An agent who replies to an unassigned ticket is assigned to it. */
  assignOnReply: boolean().notNull().default(true),
  /** The name customers see; empty: `name`. */
  publicName: text().notNull().default(''),
  website: text().notNull().default(''),
  /** Replies to tickets of the API channel are also sent by email. */
  emailsApiTickets: boolean().notNull().default(false),
  /** Seconds in which an agent can undo a reply before it is sent, by how it leaves; 0 sends it at once. */
  undoEmailSeconds: integer().notNull().default(10),
  undoApiSeconds: integer().notNull().default(10),
  undoWidgetSeconds: integer().notNull().default(0),
  undoTelegramSeconds: integer().notNull().default(0),
  /** Markdown, added to email replies. */
  signature: text().notNull().default(''),
  /** Number of the newest visitor of the widgets who has written. */
  lastVisitor: integer().notNull().default(0),
  /** Number of the newest event. Assigned inside the unit that records it, so a reader's cursor never skips one. */
  lastEvent: integer().notNull().default(0),
  /** Names the event log in the positions that clients keep. Another one begins when data is restored. */
  logId: text().notNull().default(''),
  /** Keys of tickets' and customers' metadata that agents see beside a conversation. */
  shownMetadata: json().$type<string[]>(),
  /** Number of the newest event that deleted data permanently; null once none of that data is left on disk. */
  erasedEvent: integer(),
  createdAt: integer().notNull(),
})
