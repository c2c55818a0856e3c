import { sql } from 'drizzle-orm'
import { boolean, index, integer, table, text } from '../columns.ts'
import { type TicketStatus, tickets } from './tickets.ts'

/** Somebody else has answered, its agent is disabled, or it was taken back and does not fit before their draft. */
export const HELD_BECAUSE = ['answered', 'disabled', 'too_long'] as const
export type HeldBecause = (typeof HELD_BECAUSE)[number]

/** Replies between Send and gone: they can be taken back until `sendAt`, and are held for a reason above. */
export const waitingReplies = table(
  'waiting_replies',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    ticketId: text()
      .notNull()
      .references(() => tickets.id),
    agentId: text().notNull(),
    agentName: text().notNull(),
    text: text().notNull(),
    /** The status the ticket gets when the reply goes; empty: it stays. */
    thenStatus: text().$type<TicketStatus>(),
    /** The newest message the agent had seen. */
    lastMessageId: text().notNull(),
    /** Goes even if somebody answered meanwhile. */
    isForced: boolean().notNull().default(false),
    isHeld: boolean().notNull().default(false),
    /** Of those held before there was another reason it is empty: they were answered. */
    heldBecause: text().$type<HeldBecause>(),
    sendAt: integer().notNull(),
    createdAt: integer().notNull(),
  },
  (row) => [
    index('waiting_replies_due').on(row.isHeld, row.sendAt),
    index('waiting_replies_by_ticket').on(row.ticketId, row.createdAt),
    index('waiting_replies_held').on(row.orgId, row.ticketId).where(sql`is_held`),
  ],
)
