import { sql } from 'drizzle-orm'
import { index, integer, table, text } from '../columns.ts'
import { tickets } from './tickets.ts'

export const MESSAGE_ROLES = ['customer', 'agent'] as const
export type MessageRole = (typeof MESSAGE_ROLES)[number]

export const SENDING_STATES = ['queued', 'sending', 'sent', 'failed', 'bounced'] as const
export type SendingState = (typeof SENDING_STATES)[number]

export const messages = table(
  'messages',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    ticketId: text()
      .notNull()
      .references(() => tickets.id),
    role: text().$type<MessageRole>().notNull(),
    text: text().notNull(),
    /** Who wrote an agent message, as shown at the time of writing. */
    agentId: text(),
    agentName: text(),
    sending: text().$type<SendingState>(),
    /** Why it failed or bounced, in plain words. */
    sendError: text(),
    /** SHA-256 of the request that gave the message its id: tells a repeated request from another message. */
    requestHash: text(),
    createdAt: integer().notNull(),
  },
  (row) => [
    index('messages_by_ticket').on(row.ticketId, row.createdAt, row.id),
    index('messages_failed').on(row.orgId, row.ticketId, row.id).where(sql`sending in ('failed', 'bounced')`),
  ],
)
