import { boolean, index, integer, json, primaryKey, table, text } from '../columns.ts'
import { organizations } from './organizations.ts'
import type { Actions } from './tickets.ts'

/** Answers that agents insert. One without a text is applied at once. Files are in `attachments`. */
export const savedReplies = table(
  'saved_replies',
  {
    id: text().primaryKey(),
    orgId: text()
      .notNull()
      .references(() => organizations.id),
    /** Who wrote it. Only they see it unless it is shared. Null in rows from before agents had their own. */
    agentId: text(),
    isShared: boolean().notNull().default(true),
    /** `Billing / Refund` is in the group `Billing`. */
    name: text().notNull(),
    /** Markdown, as agents write it. May contain variables such as `{{customer.name}}`, which the page fills in. */
    text: text().notNull(),
    /** What is done to the ticket when the reply is sent, or at once without a text. */
    actions: json().$type<Actions | null>(),
    attachmentCount: integer().notNull().default(0),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (row) => [index('saved_replies_by_name').on(row.orgId, row.name, row.id)],
)

/** How often an agent has used a saved reply: each finds first what they use most. */
export const savedReplyUses = table(
  'saved_reply_uses',
  {
    orgId: text().notNull(),
    agentId: text().notNull(),
    replyId: text()
      .notNull()
      .references(() => savedReplies.id),
    count: integer().notNull(),
    lastUsedAt: integer().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.orgId, row.agentId, row.replyId] }),
    index('saved_reply_uses_by_reply').on(row.replyId),
  ],
)
