import { sql } from 'drizzle-orm'
import { index, integer, table, text, uniqueIndex } from '../columns.ts'
import { organizations } from './organizations.ts'

export const customers = table(
  'customers',
  {
    id: text().primaryKey(),
    orgId: text()
      .notNull()
      .references(() => organizations.id),
    name: text().notNull(),
    email: text(),
    /** The email in lower case: one customer per organization and email. */
    emailKey: text(),
    /** Increases by one on each change. Part of the ETag of the customer's tickets. */
    version: integer().notNull().default(1),
    /** After a name change, tickets after this id are still indexed under the old name. Empty: none are. */
    reindexAfter: text(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (row) => [
    uniqueIndex('customers_by_email').on(row.orgId, row.emailKey),
    index('customers_to_reindex').on(row.orgId, row.id).where(sql`reindex_after is not null`),
  ],
)
