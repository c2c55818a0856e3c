import { sql } from 'drizzle-orm'
import type { SentBy } from '../../channels/kinds.ts'
import { boolean, index, integer, json, primaryKey, table, text } from '../columns.ts'
import { tickets } from './tickets.ts'

export const MESSAGE_ROLES = ['customer', 'agent'] as const
export type MessageRole = (typeof MESSAGE_ROLES)[number]

export const SENDING_STATES = ['queued', 'sending', 'sent', 'failed', 'bounced'] as const
export type SendingState = (typeof SENDING_STATES)[number]

/** `markdown` is the subset that agents write. What customers and the API send is plain. */
export const MESSAGE_FORMATS = ['plain', 'markdown'] as const
export type MessageFormat = (typeof MESSAGE_FORMATS)[number]

/** An address as it is in a mail; `name` is empty when there is none. */
export interface EmailAddress {
  name: string
  address: string
}

/** The people on a message that arrived or left by email. Frozen when the message is stored. */
export interface MessageEmail {
  from: EmailAddress
  replyTo: EmailAddress[]
  to: EmailAddress[]
  cc: EmailAddress[]
  /** Of an agent's message, for agents only; absent for none. */
  bcc?: EmailAddress[]
  subject: string
  /** The `Message-ID` without angle brackets; null when the mail had none. */
  messageId: string | null
  /** Oldest first, without angle brackets. */
  references: string[]
  /** The message that this one forwards to someone outside the conversation. */
  forwardOf?: string
  /** The person who wrote it, when a form or a group sent it in their name. */
  writer?: EmailAddress
  /** Where it was delivered, without our own addresses: they may be aliases. */
  deliveredTo?: string[]
  /** The mailbox's own server found that the sender's domain did not send this mail. */
  isUnverified?: boolean
}

/** Fields of messages that arrived in a chat of a messenger. */
export interface MessageChat {
  /** The origin of a forwarded message, as the messenger names it. */
  forwardedFrom?: string
  /** The message it replies to. Null when that is not in the ticket; `text` is what the messenger showed of it. */
  repliesTo?: { messageId: string | null; text: string }
  /** Files that could not be downloaded, so far or ever. `size` is in bytes. */
  missingFiles?: MissingFile[]
}

export interface MissingFile {
  name: string
  size: number | null
  /** In plain words. */
  reason: string
}

/** Who wrote a message of the role `customer`: the ticket's customer, someone else on it, or an outside address. */
export const MESSAGE_AUTHORS = ['customer', 'participant', 'third_party'] as const
export type MessageAuthor = (typeof MESSAGE_AUTHORS)[number]

export const messages = table(
  'messages',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    ticketId: text()
      .notNull()
      .references(() => tickets.id),
    role: text().$type<MessageRole>().notNull(),
    /** For an email, only what its sender wrote; the text it quotes is in `messageContents`. */
    text: text().notNull(),
    format: text().$type<MessageFormat>().notNull().default('plain'),
    /** Written by a program, such as a vacation notice. It reopens nothing and gets no answer. */
    isAutomatic: boolean().notNull().default(false),
    /** For a message by an agent: `third_party` if it was forwarded to a third party, null for all others. */
    author: text().$type<MessageAuthor>(),
    /** Who wrote a customer message, when it is not the ticket's customer. */
    authorName: text(),
    /** Null unless it arrived or left by email. */
    email: json().$type<MessageEmail | null>(),
    /** Whether `messageContents` has the HTML, or quoted text. */
    hasHtml: boolean().notNull().default(false),
    hasQuote: boolean().notNull().default(false),
    /** Whether the HTML shows more than the text: pictures, tables, colors. */
    isHtmlFormatted: boolean().notNull().default(false),
    /** Whether the HTML has images from elsewhere, which are shown only when an agent asks. */
    hasRemoteImages: boolean().notNull().default(false),
    /** The number of attachments, including those shown inside the text. If it is 0, they aren't looked up. */
    attachmentCount: integer().notNull().default(0),
    /** Who wrote an agent message, as shown at the time of writing. */
    agentId: text(),
    agentName: text(),
    sending: text().$type<SendingState>(),
    /** Why it failed or bounced, in plain words. */
    sendError: text(),
    /** What takes an agent's message to the customer. Null for other messages. */
    sentBy: text().$type<SentBy>(),
    /** SHA-256 of the request that gave the message its id: tells a repeated request from another message. */
    requestHash: text(),
    telegram: json().$type<MessageChat | null>(),
    /** When its text was last changed after it was sent. The texts before are in `messageEdits`. */
    editedAt: integer(),
    /** When an agent took it back: the customer doesn't see it anymore. */
    takenBackAt: integer(),
    /** The visitor of a widget had seen it before it was taken back: their page says that a message was removed. */
    isRemovalShown: boolean().notNull().default(false),
    /** Its id in the system that it was imported from. */
    externalId: text(),
    createdAt: integer().notNull(),
  },
  (row) => [
    // Only for queries with its condition. Otherwise, SQLite would use it for one ticket, and read all messages.
    index('messages_by_organization').on(row.orgId, row.createdAt, row.id).where(sql`org_id <> ''`),
    index('messages_by_ticket').on(row.ticketId, row.createdAt, row.id),
    index('messages_failed').on(row.orgId, row.ticketId, row.id).where(sql`sending in ('failed', 'bounced')`),
  ],
)

/** Parts of a mail that a thread loads on demand: the quoted text and the sanitized HTML. */
export const messageContents = table(
  'message_contents',
  {
    messageId: text()
      .notNull()
      .references(() => messages.id),
    orgId: text().notNull(),
    ticketId: text().notNull(),
    quoted: text(),
    html: text(),
    /** The row of the ledger, for the original. */
    mailId: text(),
  },
  (row) => [
    primaryKey({ columns: [row.messageId] }),
    index('message_contents_by_ticket').on(row.orgId, row.ticketId),
  ],
)

/** The texts of a message before each of its edits. */
export const messageEdits = table(
  'message_edits',
  {
    messageId: text()
      .notNull()
      .references(() => messages.id),
    /** 1 for the first text. */
    version: integer().notNull(),
    orgId: text().notNull(),
    ticketId: text().notNull(),
    text: text().notNull(),
    format: text().$type<MessageFormat>().notNull(),
    /** When the next text replaced it. */
    editedAt: integer().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.messageId, row.version] }),
    index('message_edits_by_ticket').on(row.orgId, row.ticketId),
  ],
)
