import { sql } from 'drizzle-orm'
import { boolean, bytes, index, integer, json, primaryKey, table, text, uniqueIndex } from '../columns.ts'
import { apiKeys } from './api-keys.ts'
import { organizations } from './organizations.ts'

export const WIDGET_STATES = ['active', 'paused'] as const
export type WidgetState = (typeof WIDGET_STATES)[number]

export const WIDGET_POSITIONS = ['right', 'left'] as const
export const WIDGET_THEMES = ['auto', 'light', 'dark'] as const
/** Languages of the widget's texts; `auto` takes the language of the page, then that of the browser. */
export const WIDGET_LANGUAGES = ['auto', 'en', 'de', 'fr', 'es', 'pt'] as const
/** Whether visitors are asked before their first message. */
export const QUESTION_MODES = ['off', 'optional', 'required'] as const

export interface WidgetAppearance {
  /** The name of the team, at the top of the panel. */
  title: string
  /** Shown before the first message; empty for the text of the visitor's language. */
  greeting: string
  /** `#rrggbb` */
  color: string
  position: (typeof WIDGET_POSITIONS)[number]
  theme: (typeof WIDGET_THEMES)[number]
  language: (typeof WIDGET_LANGUAGES)[number]
  /** Whether a sound is played for a new answer. Visitors can turn it off. */
  sound: boolean
}

type QuestionMode = (typeof QUESTION_MODES)[number]

/** What visitors are asked before their first message. */
export interface WidgetQuestions {
  name: QuestionMode
  email: QuestionMode
  fields: { key: string; label: string; isRequired: boolean }[]
}

/** Opening hours. */
export interface WidgetHours {
  /** IANA name. */
  timeZone: string
  /** Monday first; null for a closed day. Times as `09:00`, of the zone. */
  days: ({ from: string; to: string } | null)[]
  /** What visitors read outside the hours; empty for the text of their language. */
  awayText: string
}

/** The chat in the corner of a website. */
export const widgets = table(
  'widgets',
  {
    id: text().primaryKey(),
    orgId: text()
      .notNull()
      .references(() => organizations.id),
    name: text().notNull(),
    /** The public key in its snippet. Without a valid one the widget doesn't load. */
    keyId: text()
      .notNull()
      .references(() => apiKeys.id),
    state: text().$type<WidgetState>().notNull(),
    /** Websites that may show it: `https://example.com`, or `https://*.example.com`. */
    origins: json().$type<string[]>().notNull(),
    appearance: json().$type<WidgetAppearance>().notNull(),
    questions: json().$type<WidgetQuestions>().notNull(),
    /** Null means always open. */
    hours: json().$type<WidgetHours | null>(),
    /** Whether only users that the website has signed in can write. */
    verifiedOnly: boolean().notNull().default(false),
    /** The bot in which visitors can continue a conversation; empty for none. */
    telegramBotId: text().notNull().default(''),
    /** Signs users (HS256, or HMAC-SHA256 of the user id). Encrypted. */
    identitySecret: bytes().notNull(),
    /** The secret before it, accepted until the time below. Encrypted. */
    previousIdentitySecret: bytes(),
    previousIdentitySecretUntil: integer(),
    /** The page that loaded it last, and when. */
    seenUrl: text().notNull().default(''),
    seenAt: integer(),
    /** The website that was refused last, and when. */
    refusedOrigin: text().notNull().default(''),
    refusedAt: integer(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
    deletedAt: integer(),
  },
  (row) => [
    index('widgets_by_organization').on(row.orgId, row.createdAt, row.id),
    uniqueIndex('widgets_by_key').on(row.keyId),
  ],
)

/** A browser that has written, or in which the website has signed in a user. */
export const visitors = table(
  'visitors',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    widgetId: text()
      .notNull()
      .references(() => widgets.id),
    /** SHA-256 of the visitor's token, in hexadecimal; null after a sign-out. */
    tokenHash: text(),
    tokenExpiresAt: integer().notNull(),
    /** Null before the first message. */
    customerId: text(),
    /** The website's own id of a user whose signature was checked; null for everyone else. */
    userId: text(),
    /** What the website has signed of that user; empty for nothing. */
    verifiedName: text().notNull().default(''),
    verifiedEmail: text().notNull().default(''),
    /** As the visitor typed them: no one has checked them. Empty for none. */
    typedName: text().notNull().default(''),
    typedEmail: text().notNull().default(''),
    /** Answers to the widget's own questions, by their keys. */
    fields: json().$type<Record<string, string>>().notNull(),
    pageUrl: text().notNull().default(''),
    pageTitle: text().notNull().default(''),
    /** Such as `Firefox 140 on Windows`. */
    browser: text().notNull().default(''),
    language: text().notNull().default(''),
    timeZone: text().notNull().default(''),
    /** The IP address. */
    address: text().notNull().default(''),
    lastSeenAt: integer().notNull(),
    /** On PostgreSQL: until then, a page of it was or is connected to one of the nodes. */
    connectedUntil: integer(),
    blockedAt: integer(),
    createdAt: integer().notNull(),
  },
  (row) => [
    uniqueIndex('visitors_by_token').on(row.tokenHash),
    index('visitors_by_customer').on(row.orgId, row.customerId),
    index('visitors_by_user').on(row.widgetId, row.userId),
    index('visitors_by_expiry').on(row.tokenExpiresAt),
    index('visitors_blocked').on(row.orgId, row.blockedAt).where(sql`blocked_at is not null`),
  ],
)

/** Tickets that were opened in a widget. */
export const widgetConversations = table(
  'widget_conversations',
  {
    ticketId: text().primaryKey(),
    orgId: text().notNull(),
    widgetId: text().notNull(),
    visitorId: text().notNull(),
    /** Id of a verified user, who sees the conversation on every device; null for everyone else. */
    userId: text(),
    /** Made by the page: a repeated request finds the conversation that the first one opened. */
    clientId: text().notNull(),
    /** The newest message of an agent that the visitor has seen, and when; empty before. */
    seenMessageId: text().notNull().default(''),
    seenAt: integer(),
    /** When agents last read the ticket after a message of the visitor. */
    seenByAgentAt: integer(),
    /** When unread answers go out by email; null when there are none. */
    emailDueAt: integer(),
    lastEmailedAt: integer(),
    createdAt: integer().notNull(),
  },
  (row) => [
    uniqueIndex('widget_conversations_by_client_id').on(row.visitorId, row.clientId),
    index('widget_conversations_by_user').on(row.orgId, row.userId).where(sql`user_id is not null`),
    index('widget_conversations_email_due').on(row.emailDueAt).where(sql`email_due_at is not null`),
  ],
)

/** The messages of visitors by the ids that their pages made: the same one sent twice is stored once. */
export const widgetMessages = table(
  'widget_messages',
  {
    orgId: text().notNull(),
    visitorId: text().notNull(),
    clientId: text().notNull(),
    ticketId: text().notNull(),
    messageId: text().notNull(),
    /** SHA-256 of text and attachments: tells a repeated request from another message. */
    requestHash: text().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.visitorId, row.clientId] }),
    index('widget_messages_by_ticket').on(row.orgId, row.ticketId),
  ],
)

/** IP addresses whose visitors can't write. */
export const blockedAddresses = table(
  'blocked_addresses',
  {
    orgId: text().notNull(),
    address: text().notNull(),
    agentId: text().notNull(),
    createdAt: integer().notNull(),
  },
  (row) => [primaryKey({ columns: [row.orgId, row.address] })],
)

/** Addresses that visitors typed and that got answers by email: those that never answer soon get no more. */
export const emailedVisitors = table(
  'emailed_visitors',
  {
    orgId: text().notNull(),
    /** In lower case. */
    addressKey: text().notNull(),
    /** Emails since the last answer from the address. */
    unanswered: integer().notNull(),
    answeredAt: integer(),
  },
  (row) => [primaryKey({ columns: [row.orgId, row.addressKey] })],
)
