import { sql } from 'drizzle-orm'
import { index, integer, json, table, text } from '../columns.ts'
import { type EmailAddress, messages } from './messages.ts'

export const SEND_STATES = ['waiting', 'sending', 'sent', 'failed', 'bounced'] as const
export type SendState = (typeof SEND_STATES)[number]

/** The channels that Bellhop sends through itself. */
const SEND_CHANNELS = ['email'] as const
export type SendChannel = (typeof SEND_CHANNELS)[number]

export const RECIPIENT_STATES = ['sent', 'failed', 'bounced'] as const

/** What happened to one recipient of a send. `detail` is the server's own words. */
export interface RecipientOutcome {
  address: string
  state: (typeof RECIPIENT_STATES)[number]
  detail: string
}

/** An email as it leaves: everything that its bytes are made of, so that each attempt sends the same. */
export interface FrozenEmail {
  /** The address is empty as long as no mailbox is connected. */
  from: EmailAddress
  replyTo: EmailAddress
  to: EmailAddress[]
  cc: EmailAddress[]
  subject: string
  text: string
  html: string
  files: FrozenFile[]
  /** With angle brackets, like the ids below. */
  messageId: string
  /** For `X-Bellhop-Message`: survives a server that replaces the `Message-ID`. */
  token: string
  inReplyTo: string | null
  /** Oldest first. */
  references: string[]
  /** Milliseconds since 1970. */
  date: number
  /** Of mail that no person wrote (RFC 3834). */
  autoSubmitted?: 'auto-replied'
  forwardOf?: string
}

/** The bytes are in the data folder, by their SHA-256 in hexadecimal. */
export interface FrozenFile {
  hash: string
  name: string
  type: string
  size: number
  /** Of an image inside the text. */
  contentId?: string
}

/**
 * One row per message and way out, stored in the unit that stores the message. Everything that leaves is frozen in
 * `content`, so that each attempt sends the same. `messages.sending` is the summary.
 */
export const sends = table(
  'sends',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    ticketId: text().notNull(),
    messageId: text()
      .notNull()
      .references(() => messages.id),
    channel: text().$type<SendChannel>().notNull(),
    /** The mailbox or bot it leaves through. */
    laneId: text().notNull(),
    /** Sends of the same conversation leave in the order of their ids: of one ticket to the same first recipient. */
    conversation: text().notNull(),
    content: json().$type<FrozenEmail>().notNull(),
    state: text().$type<SendState>().notNull(),
    /** When the next attempt may start; `PARKED` while its mailbox is paused or refused. */
    dueAt: integer().notNull(),
    /** Attempts that ended without success so far. */
    attempts: integer().notNull().default(0),
    /** The id in the other system: for email the `Message-ID` without angle brackets. */
    externalId: text(),
    /** Why it has not been sent, in plain words; empty when nothing went wrong. */
    error: text().notNull().default(''),
    /** Of the recipients whose fate is known. Each attempt sends to the others. */
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
