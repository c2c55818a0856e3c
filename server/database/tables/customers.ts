import { sql } from 'drizzle-orm'
import { boolean, index, integer, json, primaryKey, table, text, uniqueIndex } from '../columns.ts'
import { organizations } from './organizations.ts'

/** What integrations keep with a ticket or a customer, by key. */
export type Metadata = Record<string, string>

export const customers = table(
  'customers',
  {
    id: text().primaryKey(),
    orgId: text()
      .notNull()
      .references(() => organizations.id),
    name: text().notNull(),
    email: text(),
    /** The email in lower case: one customer per organization and email. Their other addresses are in `customerEmails`. */
    emailKey: text(),
    /** What agents know of them; empty for nothing. Only agents see the note. */
    company: text().notNull().default(''),
    phone: text().notNull().default(''),
    note: text().notNull().default(''),
    /** The name was made from the address: a name in a mail may replace it. Names from `/v1` and agents are kept. */
    isNameGuessed: boolean().notNull().default(false),
    /** A visitor typed the name into the widget: no one has checked it. */
    isNameTyped: boolean().notNull().default(false),
    /** The address that a visitor typed; null for none, and once the customer has an address. */
    unverifiedEmail: text(),
    /** A visitor of the widget has one: "Visitor 4821". */
    visitorNumber: integer(),
    /** Their id in another system, unique in the organization. */
    externalId: text(),
    /** Null for none. */
    metadata: json().$type<Metadata | null>(),
    /** Increases by one on each change. Part of the ETag of the customer's tickets. */
    version: integer().notNull().default(1),
    /**
     * Tickets after this id are still indexed under what the customer was called before, and so is the customer. Empty:
     * all are. `NO_TICKETS`: only the customer isn't indexed. Null for one who is, or will be with their first ticket.
     */
    reindexAfter: text(),
    /** The customer that this one was merged into. No list shows it, and nothing finds it. */
    mergedInto: text(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (row) => [
    uniqueIndex('customers_by_email').on(row.orgId, row.emailKey),
    uniqueIndex('customers_by_external_id').on(row.orgId, row.externalId).where(sql`external_id is not null`),
    index('customers_to_reindex').on(row.orgId, row.id).where(sql`reindex_after is not null`),
    index('customers_by_id').on(row.orgId, row.id).where(sql`merged_into is null`),
    index('customers_merged').on(row.mergedInto).where(sql`merged_into is not null`),
  ],
)

/** After the ids of all tickets. */
export const NO_TICKETS = 'tkt_~'

/**
 * The addresses of customers beside their first, which is in `customers`. An address is in one of the two tables: whoever
 * adds one to a customer looks for it in both, in a unit of the organization.
 */
export const customerEmails = table(
  'customer_emails',
  {
    orgId: text().notNull(),
    /** The address in lower case. */
    emailKey: text().notNull(),
    email: text().notNull(),
    customerId: text()
      .notNull()
      .references(() => customers.id),
    /** Their place in the list of the customer's addresses. */
    position: integer().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.orgId, row.emailKey] }),
    index('customer_emails_by_customer').on(row.customerId, row.position),
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
