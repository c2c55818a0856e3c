import { sql } from 'drizzle-orm'
import type { ChannelKind } from '../../channels/kinds.ts'
import { index, integer, json, table, text } from '../columns.ts'
import { messages } from './messages.ts'

export const SEND_STATES = ['waiting', 'sending', 'sent', 'failed', 'bounced'] as const
export type SendState = (typeof SEND_STATES)[number]

export const RECIPIENT_STATES = ['sent', 'failed', 'bounced'] as const

/** What happened to one recipient of a send. `detail` is the server's own words. */
export interface RecipientOutcome {
  address: string
  state: (typeof RECIPIENT_STATES)[number]
  detail: string
}

/** What is sent, in the form of its channel: each adds its own by augmenting this module. */
export interface SendContents {
  nothing: never
}

/** An `edit` or a `delete` changes what an earlier send of the same message has sent. */
type SendContent = SendContents[keyof SendContents] & { action?: 'send' | 'edit' | 'delete' }

/** The bytes are in the data folder, by their SHA-256 in hexadecimal. */
export interface FrozenFile {
  hash: string
  name: string
  type: string
  size: number
  /** Set for an image inside the text. */
  contentId?: string
}

/**
 * Messages that leave through a mailbox or bot, stored in the unit that stores the message: one row per message and
 * channel, and one per change of a message that was sent. Everything that is sent is frozen in `content`, so that each
 * attempt sends the same. `messages.sending` summarizes the newest row.
 */
export const sends = table(
  'sends',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    /** Empty without a message. */
    ticketId: text().notNull(),
    /** Null for a greeting or notice of a bot, which is part of no ticket. */
    messageId: text().references(() => messages.id),
    channel: text().$type<ChannelKind>().notNull(),
    /** The mailbox or bot it leaves through. */
    laneId: text().notNull(),
    /**
     * Sends of the same conversation leave in the order of their ids: of one ticket to the same first recipient, or of one
     * chat.
     */
    conversation: text().notNull(),
    content: json().$type<SendContent>().notNull(),
    state: text().$type<SendState>().notNull(),
    /** When the next attempt may start; `UNTIL_RESUMED` while its mailbox or bot is paused or refused. */
    dueAt: integer().notNull(),
    /** Attempts that ended without success so far. */
    attempts: integer().notNull().default(0),
    /** The id in the other system: of an email the `Message-ID` without angle brackets. */
    externalId: text(),
    /** Why it has not been sent, in plain words; empty when nothing went wrong. */
    error: text().notNull().default(''),
    /** The recipients whose outcome is known. Each attempt sends to the others. */
    outcomes: json().$type<RecipientOutcome[]>().notNull(),
    createdAt: integer().notNull(),
    finishedAt: integer(),
  },
  (row) => [
    // SQLite uses a partial index only for a query that contains its condition literally.
    index('sends_due').on(row.dueAt, row.id).where(sql`state in ('waiting', 'sending')`),
    index('sends_by_lane').on(row.laneId, row.dueAt, row.id).where(sql`state in ('waiting', 'sending')`),
    index('sends_by_conversation').on(row.conversation, row.id).where(sql`state in ('waiting', 'sending')`),
    index('sends_reached').on(row.finishedAt).where(sql`state = 'sent' and error = ''`),
    index('sends_by_message').on(row.orgId, row.messageId),
    index('sends_by_ticket').on(row.orgId, row.ticketId),
    index('sends_by_external_id').on(row.orgId, row.externalId),
  ],
)
