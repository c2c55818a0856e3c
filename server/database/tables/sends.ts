import { sql } from 'drizzle-orm'
import { index, integer, json, table, text } from '../columns.ts'
import { type EmailAddress, messages } from './messages.ts'

export const SEND_STATES = ['waiting', 'sending', 'sent', 'failed', 'bounced'] as const
export type SendState = (typeof SEND_STATES)[number]

/** The channels that Bellhop sends through itself. */
const SEND_CHANNELS = ['email', 'telegram'] as const
export type SendChannel = (typeof SEND_CHANNELS)[number]

export const RECIPIENT_STATES = ['sent', 'failed', 'bounced'] as const

/** What happened to one recipient of a send. `detail` is the server's own words. */
export interface RecipientOutcome {
  address: string
  state: (typeof RECIPIENT_STATES)[number]
  detail: string
}

/** An email as it is sent: everything that its bytes are made of, so that each attempt sends the same. */
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
  /** Set for mail that no person wrote (RFC 3834). */
  autoSubmitted?: 'auto-replied'
  forwardOf?: string
}

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
 * A part of a text that Telegram shows in another way (Bot API, `MessageEntity`). `offset` and `length` are in UTF-16
 * units, as in JavaScript.
 */
export type TelegramEntity = { offset: number; length: number } & (
  | { type: 'bold' | 'italic' | 'code' | 'blockquote' }
  | { type: 'pre' }
  | { type: 'text_link'; url: string }
)

/** The content of a send by Telegram. One message can become several in Telegram. */
export interface FrozenTelegram {
  chatId: string
  /** `edit` and `delete` change messages that an earlier send of the same message has sent. */
  action: 'send' | 'edit' | 'delete'
  /** In order. For an edit, how each of `targets` becomes. */
  parts: TelegramPart[]
  /** Telegram's ids of each part that was sent or edited: recorded one by one, so that a crash repeats at most one. */
  done: number[][]
  /** Attempts of the next part that Telegram did not answer. It may have arrived, so it is repeated only once. */
  unanswered: number
  /** For an edit: Telegram's ids of each part, as they were sent. */
  targets?: number[][]
  /**
   * For an edit or deletion: Telegram's ids of the deleted messages. A deletion of a message that was still being sent gets
   * them when that has ended.
   */
  removed?: number[]
}

export type TelegramPart =
  | { kind: 'text'; text: string; entities: TelegramEntity[] }
  /** Several are an album. `text` is shown below them. */
  | { kind: 'files'; files: FrozenFile[]; arePhotos: boolean; text: string; entities: TelegramEntity[] }

/**
 * Messages that leave through a mailbox or bot, stored in the unit that stores the message: one row per message and
 * channel, and for Telegram one per change of the message. Everything that is sent is frozen in `content`, so that each
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
    channel: text().$type<SendChannel>().notNull(),
    /** The mailbox or bot it leaves through. */
    laneId: text().notNull(),
    /**
     * Sends of the same conversation leave in the order of their ids: of one ticket to the same first recipient, or of one
     * chat.
     */
    conversation: text().notNull(),
    content: json().$type<FrozenEmail | FrozenTelegram>().notNull(),
    state: text().$type<SendState>().notNull(),
    /** When the next attempt may start; `PARKED` while its mailbox or bot is paused or refused. */
    dueAt: integer().notNull(),
    /** Attempts that ended without success so far. */
    attempts: integer().notNull().default(0),
    /** The id in the other system: for email the `Message-ID` without angle brackets. */
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
