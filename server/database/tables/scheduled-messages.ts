import { sql } from 'drizzle-orm'
import { boolean, index, integer, json, table, text } from '../columns.ts'
import type { EmailAddress, MessageFormat } from './messages.ts'
import { type Actions, type TicketStatus, tickets } from './tickets.ts'

/**
 * `answered`: another agent replied first. `customer_wrote`: its author chose a later time, and the customer wrote before. `disabled`: the agent is disabled, the key is revoked, or the program disconnected. `too_long`: it was
 * taken back, but its text and the agent's draft together are too long for one draft. `not_by_email`: it was written as an
 * email, and its ticket was merged into one that isn't answered by email.
 */
export const HELD_BECAUSE = ['answered', 'customer_wrote', 'disabled', 'too_long', 'not_by_email'] as const
export type HeldBecause = (typeof HELD_BECAUSE)[number]

/** Where an email reply goes. */
export interface Recipients {
  to: EmailAddress[]
  cc: EmailAddress[]
  /** Absent for none. No one else learns of them: they are in no header. */
  bcc?: EmailAddress[] | undefined
}

/** The ticket that a message opens when it is sent. */
export interface Opening {
  subject: string
  /** The mailbox it leaves through. */
  mailboxId: string
  status: TicketStatus
  /** Agent id; empty for no one. */
  assignedTo: string
  tags: string[]
}

/**
 * Agent messages that are not sent yet: each waits until `sendAt`, or is held until someone decides. The row is deleted
 * in the unit that stores the message, which keeps the id.
 */
export const scheduledMessages = table(
  'scheduled_messages',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    /** Null for a message that opens a ticket: `opening` says which. */
    ticketId: text().references(() => tickets.id),
    opening: json().$type<Opening | null>(),
    /** The author: an agent or an API key. A program's key is beside it, and so is the grant of one that an agent connected. */
    agentId: text(),
    keyId: text(),
    agentName: text().notNull(),
    text: text().notNull(),
    format: text().$type<MessageFormat>().notNull().default('plain'),
    attachmentCount: integer().notNull().default(0),
    /** The recipients that the agent chose; null for those that the ticket suggests. */
    recipients: json().$type<Recipients | null>(),
    /** What is done to the ticket when the message is sent; null for nothing. */
    actions: json().$type<Actions | null>(),
    /** Its author chose the time. Otherwise it waits only as long as it can be undone. */
    isLater: boolean().notNull().default(false),
    /** The newest message its author had seen, and when that one was written. Null: it is never held for an answer. */
    seenMessageId: text(),
    seenAt: integer(),
    /** Is sent even if another agent replied meanwhile. */
    isForced: boolean().notNull().default(false),
    isHeld: boolean().notNull().default(false),
    heldBecause: text().$type<HeldBecause>(),
    /** SHA-256 of the request that scheduled it: tells a repeated request from another message under the same id. */
    requestHash: text(),
    sendAt: integer().notNull(),
    createdAt: integer().notNull(),
  },
  (row) => [
    index('scheduled_messages_due').on(row.isHeld, row.sendAt),
    index('scheduled_messages_by_ticket').on(row.ticketId, row.createdAt),
    index('scheduled_messages_opening').on(row.orgId, row.createdAt).where(sql`ticket_id is null`),
    index('scheduled_messages_later').on(row.orgId, row.ticketId).where(sql`is_later and not is_held`),
    index('scheduled_messages_held').on(row.orgId, row.ticketId).where(sql`is_held`),
  ],
)
