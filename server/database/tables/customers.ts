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
    /** The address in lower case: one customer for each organization and address. */
    emailKey: text(),
    /** Grows by one on each change; part of the ETag of the customer's tickets. */
    version: integer().notNull().default(1),
    /** Their name has changed: the tickets behind this one are still found by the old one. Empty: none is. */
    reindexAfter: text(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (row) => [
    uniqueIndex('customers_by_email').on(row.orgId, row.emailKey),
    index('customers_to_reindex').on(row.orgId, row.id).where(sql`reindex_after is not null`),
  ],
)
