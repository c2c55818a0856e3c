import { index, integer, table, text } from '../columns.ts'
import { organizations } from './organizations.ts'

export const savedReplies = table(
  'saved_replies',
  {
    id: text().primaryKey(),
    orgId: text()
      .notNull()
      .references(() => organizations.id),
    name: text().notNull(),
    /** Markdown, as agents write it. May contain variables such as `{{customer.name}}`, which the page fills in. */
    text: text().notNull(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (row) => [index('saved_replies_by_name').on(row.orgId, row.name, row.id)],
)
