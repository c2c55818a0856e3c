import { sql } from 'drizzle-orm'
import { boolean, bytes, index, integer, json, primaryKey, table, text, uniqueIndex } from '../columns.ts'
import { organizations } from './organizations.ts'
import type { FrozenFile } from './sends.ts'

declare module './sends.ts' {
  interface SendContents {
    telegram: FrozenTelegram
  }
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
 * `refused`: Telegram doesn't know the token anymore. `taken`: another program fetches the bot's messages. Both are
 * retried from time to time, because they can end without a change here.
 */
export const BOT_STATES = ['active', 'paused', 'refused', 'taken'] as const
export type BotState = (typeof BOT_STATES)[number]

/** How messages arrive: by asking for them (`getUpdates`), or by requests from Telegram (`setWebhook`). */
export const BOT_RECEIVING = ['polling', 'webhook'] as const
export type BotReceiving = (typeof BOT_RECEIVING)[number]

/** Telegram bots. */
export const bots = table(
  'bots',
  {
    id: text().primaryKey(),
    orgId: text()
      .notNull()
      .references(() => organizations.id),
    name: text().notNull(),
    /** Telegram's own id of the bot: the part of the token before the colon. */
    telegramId: text().notNull(),
    /** Without `@`. */
    username: text().notNull(),
    state: text().$type<BotState>().notNull(),
    /** Encrypted. Null once the bot is removed. */
    token: bytes(),
    receives: text().$type<BotReceiving>().notNull().default('polling'),
    /** `{ path, secret }` as JSON, encrypted: where Telegram sends updates, and how they are recognized. */
    webhook: bytes(),
    /** SHA-256 of the path, in hexadecimal. */
    webhookHash: text(),
    /**
     * The id of the next update to fetch. Requesting it confirms those before. Reset to 0 afterward, so that ids that
     * start over at a lower number aren't taken for old ones.
     */
    offset: integer().notNull().default(0),
    /** Plain text, sent on `/start`; empty for the default. */
    greeting: text().notNull().default(''),
    /** A message to a ticket that was resolved this many days ago opens a new one. Null: never. */
    newTicketAfterDays: integer(),
    /** Whether customers see "typing…" while an agent writes. */
    showsTyping: boolean().notNull().default(true),
    /** Agent id that new tickets are assigned to; empty for none. */
    defaultAssignee: text().notNull().default(''),
    lastUpdateAt: integer(),
    lastSentAt: integer(),
    /** When Telegram last answered a request for messages. */
    lastCheckedAt: integer(),
    /** In plain words; empty when the last request succeeded. */
    receiveError: text().notNull().default(''),
    sendError: text().notNull().default(''),
    /** When the current run of failures began; null after a success. */
    receiveFailingSince: integer(),
    sendFailingSince: integer(),
    /** Since when every administrator sees a banner about it; null when there is nothing to see. */
    alertedAt: integer(),
    /** The host of a webhook that someone else has set; empty for none. */
    foreignWebhook: text().notNull().default(''),
    /** Telegram keeps messages for 24 hours. Since when some may be lost, because no one fetched them for longer. */
    missedSince: integer(),
    /** Updates of a kind that Bellhop doesn't know, and those that it could not read. */
    unknownUpdates: integer().notNull().default(0),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
    deletedAt: integer(),
  },
  (row) => [
    uniqueIndex('bots_by_telegram_id').on(row.telegramId).where(sql`deleted_at is null`),
    uniqueIndex('bots_by_webhook').on(row.webhookHash),
    index('bots_by_organization').on(row.orgId, row.createdAt, row.id),
  ],
)

export const UPDATE_STATES = ['pending', 'done', 'ignored', 'failed'] as const
export type UpdateState = (typeof UPDATE_STATES)[number]

/** The ledger: every update that Telegram delivered, and what happened to it. Stored together with the bot's offset. */
export const telegramUpdates = table(
  'telegram_updates',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    botId: text()
      .notNull()
      .references(() => bots.id),
    /** They start over at random after a quiet week, so they are not unique. */
    updateId: integer().notNull(),
    /** Empty for an update that belongs to no chat. */
    chatId: text().notNull().default(''),
    /** The name of the field that it came in, such as `edited_message`. */
    kind: text().notNull(),
    /** `media_group_id`: the parts of an album have the same. */
    album: text(),
    /** As Telegram sent it. Null once it is processed, unless it failed or is of an unknown kind. */
    raw: json().$type<unknown>(),
    state: text().$type<UpdateState>().notNull(),
    /** Why it was ignored or failed, in plain words. */
    reason: text().notNull().default(''),
    /** Attempts to process it that ended in a fault. */
    attempts: integer().notNull().default(0),
    /** When the next attempt may start. */
    dueAt: integer().notNull(),
    createdAt: integer().notNull(),
    processedAt: integer(),
  },
  (row) => [
    index('telegram_updates_pending').on(row.botId, row.chatId, row.id).where(sql`state = 'pending'`),
    index('telegram_updates_by_bot').on(row.orgId, row.botId, row.state, row.id),
    index('telegram_updates_by_chat').on(row.botId, row.chatId, row.id),
    index('telegram_updates_processed').on(row.processedAt).where(sql`processed_at is not null`),
  ],
)

export const CHAT_STATES = ['active', 'blocked', 'deleted'] as const
export type ChatState = (typeof CHAT_STATES)[number]

/** Chats of a bot. In a private one its id is that of the user. */
export const telegramChats = table(
  'telegram_chats',
  {
    orgId: text().notNull(),
    botId: text()
      .notNull()
      .references(() => bots.id),
    chatId: text().notNull(),
    /** The conversation that a new message belongs to; null before the first one, and after it was deleted. */
    ticketId: text(),
    /** Null for a group. */
    customerId: text(),
    /** As the user set it in Telegram, like their user name (without `@`; empty for none). */
    name: text().notNull().default(''),
    username: text().notNull().default(''),
    /** IETF language tag of the user's app; empty when it is not known. */
    language: text().notNull().default(''),
    /** `blocked`: the user has stopped the bot. `deleted`: their account is gone. Nothing can be sent until they write again. */
    state: text().$type<ChatState>().notNull().default('active'),
    stateAt: integer(),
    /** Whether a group got the answer that the bot works in private chats only. */
    isGroupTold: boolean().notNull().default(false),
    createdAt: integer().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.botId, row.chatId] }),
    index('telegram_chats_by_ticket').on(row.orgId, row.ticketId),
    index('telegram_chats_by_customer').on(row.orgId, row.customerId),
  ],
)

/** Tickets that were opened in Telegram, and the chat that answers go to. */
export const telegramConversations = table(
  'telegram_conversations',
  {
    ticketId: text().primaryKey(),
    orgId: text().notNull(),
    botId: text().notNull(),
    chatId: text().notNull(),
    createdAt: integer().notNull(),
  },
  (row) => [index('telegram_conversations_by_chat').on(row.botId, row.chatId)],
)

export const TELEGRAM_DIRECTIONS = ['in', 'out'] as const

/**
 * The messages of a chat by Telegram's ids: the same one delivered twice is stored once. All parts of an album point to one
 * message. A row stays as a tombstone when its ticket is erased, so that the same message does not open it again.
 */
export const telegramMessages = table(
  'telegram_messages',
  {
    orgId: text().notNull(),
    botId: text().notNull(),
    chatId: text().notNull(),
    telegramMessageId: integer().notNull(),
    direction: text().$type<(typeof TELEGRAM_DIRECTIONS)[number]>().notNull(),
    /** Null if it became no message, and once the ticket is erased. */
    ticketId: text(),
    messageId: text(),
    album: text(),
    /** `file_unique_id` of its file, to detect whether an edit replaced the file. */
    file: text(),
    createdAt: integer().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.botId, row.chatId, row.telegramMessageId] }),
    index('telegram_messages_by_ticket').on(row.orgId, row.ticketId),
    index('telegram_messages_by_message').on(row.orgId, row.messageId),
    index('telegram_messages_by_album').on(row.botId, row.chatId, row.album).where(sql`album is not null`),
  ],
)

export const TELEGRAM_FILE_STATES = ['waiting', 'failed'] as const

/** Files of stored messages that could not be downloaded yet. A row is deleted once its file is an attachment. */
export const telegramFiles = table(
  'telegram_files',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    ticketId: text().notNull(),
    messageId: text().notNull(),
    botId: text().notNull(),
    /** Telegram's `file_id`. */
    fileId: text().notNull(),
    name: text().notNull(),
    /** Media type as Telegram gave it; empty when it did not. */
    type: text().notNull(),
    /** Bytes, if Telegram says. */
    size: integer(),
    /** Order within its message. */
    position: integer().notNull(),
    state: text().$type<(typeof TELEGRAM_FILE_STATES)[number]>().notNull(),
    attempts: integer().notNull().default(0),
    dueAt: integer().notNull(),
    /** In plain words. */
    error: text().notNull().default(''),
    createdAt: integer().notNull(),
  },
  (row) => [
    index('telegram_files_due').on(row.dueAt, row.id).where(sql`state = 'waiting'`),
    index('telegram_files_by_message').on(row.orgId, row.messageId),
    index('telegram_files_by_ticket').on(row.orgId, row.ticketId),
  ],
)
