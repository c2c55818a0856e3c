import { index, integer, primaryKey, table, text } from '../columns.ts'

/** Written in the same transaction as the change, and deleted after 24 hours. */
export const idempotencyKeys = table(
  'idempotency_keys',
  {
    orgId: text().notNull(),
    /** Who sent it, a line break, and the `Idempotency-Key`. */
    key: text().notNull(),
    /** SHA-256 of method, path and body. */
    fingerprint: text().notNull(),
    /** The ticket the stored answer shows: erasing the ticket erases the answer. */
    ticketId: text(),
    status: integer().notNull(),
    /** The response, exactly as it was sent. */
    body: text().notNull(),
    location: text(),
    etag: text(),
    createdAt: integer().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.orgId, row.key] }),
    index('idempotency_keys_by_time').on(row.createdAt),
    index('idempotency_keys_by_ticket').on(row.orgId, row.ticketId),
  ],
)
