import { sql } from 'drizzle-orm'
import { boolean, index, integer, table, text } from '../columns.ts'

/**
 * Files of messages and notes. The bytes are in the data folder or a bucket, one file per SHA-256, so that the same file sent twice
 * is stored once. Attachments with the same bytes are separate, each with its own name.
 */
export const attachments = table(
  'attachments',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    /** Null for an upload that is neither sent nor in a draft. */
    ticketId: text(),
    /** The message, scheduled message, note or saved reply that it belongs to. Null for an upload that is not sent. */
    ownerId: text(),
    /** The agent or API key that uploaded it; null when it was received. Only they can send the upload. */
    uploadedBy: text(),
    /** SHA-256 of the bytes, in hexadecimal: the name of the file. */
    hash: text().notNull(),
    name: text().notNull(),
    /** Media type, from the bytes where they tell it. */
    type: text().notNull(),
    /** Bytes. */
    size: integer().notNull(),
    /** Size of an image as a browser shows it, in pixels. Null if its first bytes don't tell. */
    width: integer(),
    height: integer(),
    /** The `Content-ID` that HTML of the same mail refers to, without angle brackets. */
    contentId: text(),
    /** Shown inside the text, not below it. */
    isInline: boolean().notNull().default(false),
    /** Order within its message. */
    position: integer().notNull().default(0),
    /** When it was uploaded, received, or taken back: an upload that is not sent is deleted a day later. */
    createdAt: integer().notNull(),
  },
  (row) => [
    index('attachments_by_owner').on(row.orgId, row.ownerId, row.position),
    index('attachments_by_ticket').on(row.orgId, row.ticketId),
    index('attachments_by_hash').on(row.hash),
    index('attachments_unsent').on(row.createdAt).where(sql`owner_id is null`),
  ],
)

/**
 * Files in a bucket that are being stored or deleted at the moment, by any process. One that is kept isn't deleted, and one
 * that is being deleted isn't stored until that is over.
 */
export const fileLocks = table(
  'file_locks',
  {
    /** SHA-256 in hexadecimal. */
    hash: text().primaryKey(),
    /** How many callers keep it; 0 while it is being deleted. */
    keepers: integer().notNull(),
    /** When it no longer counts, because its process must have ended. Milliseconds since 1970. */
    until: integer().notNull(),
  },
  (row) => [index('file_locks_by_end').on(row.until)],
)
