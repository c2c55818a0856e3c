import { sql } from 'drizzle-orm'
import { boolean, index, integer, primaryKey, table, text, uniqueIndex } from '../columns.ts'
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
    /** The name was made from the address: a name in a mail may replace it. Names from `/v1` and agents are kept. */
    isNameGuessed: boolean().notNull().default(false),
    /** A visitor typed the name into the widget: no one has checked it. */
    isNameTyped: boolean().notNull().default(false),
    /** The address that a visitor typed; null for none, and once the customer has an address. */
    unverifiedEmail: text(),
    /** A visitor of the widget has one: "Visitor 4821". */
    visitorNumber: integer(),
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

/** How a channel other than email knows a customer: a visitor of the widget, a user of a Telegram bot. */
export const customerIdentities = table(
  'customer_identities',
  {
    orgId: text().notNull(),
    /** `widget` or `telegram`. */
    channel: text().notNull(),
    externalId: text().notNull(),
    customerId: text()
      .notNull()
      .references(() => customers.id),
    createdAt: integer().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.orgId, row.channel, row.externalId] }),
    index('customer_identities_by_customer').on(row.customerId),
  ],
)
