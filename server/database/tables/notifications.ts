import { sql } from 'drizzle-orm'
import { boolean, bytes, index, integer, json, primaryKey, table, text, uniqueIndex } from '../columns.ts'

/** Why an agent is notified. Of several reasons for the same event, the first in this list counts. */
export const REASONS = [
  'mentioned',
  'assigned',
  'failed',
  'snooze_ended',
  'customer_wrote',
  'followed',
  'unassigned',
  'view',
] as const
export type Reason = (typeof REASONS)[number]

/** Where a reason reaches the agent. `chats`: only for the messages of live chats. */
export interface Ways {
  push: boolean
  email: boolean
  sound: boolean | 'chats'
}

/**
 * What agents are told about, one row for each agent and event: later events of the same ticket are further rows. Kept for
 * 90 days.
 */
export const notifications = table(
  'notifications',
  {
    orgId: text().notNull(),
    agentId: text().notNull(),
    eventNumber: integer().notNull(),
    ticketId: text().notNull(),
    reason: text().$type<Reason>().notNull(),
    /** The message or note; null for a change of the ticket. */
    messageId: text(),
    /** Who did it, as agents know them; empty for Bellhop itself. */
    byName: text().notNull().default(''),
    /** The saved view that the ticket is new in. */
    viewId: text(),
    /** On a channel where the customer waits on a page or in an app. */
    isChat: boolean().notNull().default(false),
    /** Of a bulk change, its tickets; `ticketId` is the first one. */
    tickets: integer().notNull().default(1),
    /** Opened by the agent in a tab that has the focus, or answered by a message of theirs. */
    seenAt: integer(),
    /** The email that told of it. */
    emailId: text(),
    createdAt: integer().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.orgId, row.agentId, row.eventNumber] }),
    // SQLite uses a partial index only for a query that contains its condition literally.
    index('notifications_unseen').on(row.orgId, row.agentId, row.ticketId).where(sql`seen_at is null`),
    index('notifications_by_ticket').on(row.orgId, row.ticketId),
    index('notifications_by_age').on(row.createdAt),
  ],
)

/** What an agent chose, and when their next emails are due. Without a row, the defaults. */
export const notificationSettings = table(
  'notification_settings',
  {
    orgId: text().notNull(),
    agentId: text().notNull(),
    /** Only what differs from the defaults. */
    ways: json().$type<Partial<Record<Reason, Partial<Ways>>>>().notNull(),
    /** Whether pushes contain the subject and the beginning of the message. */
    showsText: boolean().notNull().default(true),
    /** Nothing is pushed, emailed or heard until then. */
    pausedUntil: integer(),
    /** A summary at 8:00 in the time zone of the browser that switched it on. */
    hasSummary: boolean().notNull().default(false),
    timeZone: text().notNull().default('UTC'),
    summaryDueAt: integer(),
    emailDueAt: integer(),
    lastEmailedAt: integer(),
  },
  (row) => [
    primaryKey({ columns: [row.orgId, row.agentId] }),
    index('notification_settings_email_due').on(row.emailDueAt).where(sql`email_due_at is not null`),
    index('notification_settings_summary_due').on(row.summaryDueAt).where(sql`summary_due_at is not null`),
  ],
)

/** Saved views of which an agent wants to know the new tickets. */
export const viewBells = table(
  'view_bells',
  {
    orgId: text().notNull(),
    agentId: text().notNull(),
    viewId: text().notNull(),
    push: boolean().notNull(),
    email: boolean().notNull(),
    createdAt: integer().notNull(),
  },
  (row) => [primaryKey({ columns: [row.orgId, row.agentId, row.viewId] })],
)

/** With which an organization identifies itself to push services (RFC 8292). Made at first use. */
export const pushKeys = table('push_keys', {
  orgId: text().primaryKey(),
  /** Uncompressed, base64url, as browsers want it. */
  publicKey: text().notNull(),
  /** A JWK, encrypted. */
  privateKey: bytes().notNull(),
  createdAt: integer().notNull(),
})

/** Browsers that show notifications of an agent. A signed-out one gets none. */
export const pushSubscriptions = table(
  'push_subscriptions',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    agentId: text().notNull(),
    sessionId: text().notNull(),
    /** The address that the browser's push service gave it. */
    endpoint: text().notNull(),
    /** The browser's keys (RFC 8291) as JSON, encrypted. */
    keys: bytes().notNull(),
    /** Where the browser opens Bellhop, such as `https://help.example.com`. */
    origin: text().notNull(),
    /** The browser's user agent, truncated. */
    device: text().notNull().default(''),
    createdAt: integer().notNull(),
    lastSentAt: integer(),
    /** Why the newest push did not reach the push service, in plain words; empty when it did. */
    error: text().notNull().default(''),
  },
  (row) => [
    uniqueIndex('push_subscriptions_by_endpoint').on(row.orgId, row.agentId, row.endpoint),
    index('push_subscriptions_by_session').on(row.sessionId),
  ],
)

/** Pushes to be sent. A newer one of the same ticket replaces an older one, here and in the browser. */
export const pushes = table(
  'pushes',
  {
    subscriptionId: text().notNull(),
    /** What it replaces: a ticket id, or `test`. */
    tag: text().notNull(),
    orgId: text().notNull(),
    agentId: text().notNull(),
    /** The event that it tells of; 0 for a test. */
    eventNumber: integer().notNull(),
    dueAt: integer().notNull(),
    /** Attempts that failed so far. */
    attempts: integer().notNull().default(0),
  },
  (row) => [
    primaryKey({ columns: [row.subscriptionId, row.tag] }),
    index('pushes_due').on(row.dueAt, row.subscriptionId),
    index('pushes_by_agent').on(row.orgId, row.agentId, row.tag),
  ],
)

/** Emails about notifications, so that an answer to one finds its ticket. Kept for 90 days. */
export const notificationEmails = table(
  'notification_emails',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    agentId: text().notNull(),
    /** Empty for one about several tickets. */
    ticketId: text().notNull(),
    /** The row in `sends` with its text. */
    sendId: text().notNull(),
    createdAt: integer().notNull(),
  },
  (row) => [
    index('notification_emails_by_age').on(row.createdAt),
    index('notification_emails_by_ticket').on(row.orgId, row.ticketId),
  ],
)
