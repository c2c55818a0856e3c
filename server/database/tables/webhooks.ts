import { sql } from 'drizzle-orm'
import type { ChannelKind } from '../../channels/kinds.ts'
import { boolean, bytes, index, integer, json, primaryKey, table, text } from '../columns.ts'
import type { EventChanges, WebhookEvent } from './events.ts'
import { organizations } from './organizations.ts'

/** States in the delivery log. `held` is never stored: it is a pending delivery whose endpoint is off. */
export const DELIVERY_STATES = ['pending', 'in_flight', 'held', 'succeeded', 'failed', 'cancelled'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]
type StoredDeliveryState = Exclude<DeliveryState, 'held'>

export const ATTEMPT_KINDS = ['scheduled', 'manual', 'test'] as const
export type AttemptKind = (typeof ATTEMPT_KINDS)[number]

/** Why an endpoint is off: disabled by an administrator, 120 hours of failures, or a final 410 Gone. */
export const OFF_REASONS = ['manual', 'failing', 'gone'] as const
export type OffReason = (typeof OFF_REASONS)[number]

/** The fields of a ticket whose changes an endpoint can choose. */
export const CHANGED_FIELDS = [
  'status',
  'assignedTo',
  'tags',
  'spam',
  'snoozedUntil',
  'subject',
  'customer',
  'mergedInto',
  'messages',
  'metadata',
  'externalId',
] as const satisfies (keyof EventChanges)[]
export type ChangedField = (typeof CHANGED_FIELDS)[number]

/** An absent filter lets everything through. */
export interface EndpointFilters {
  channels?: ChannelKind[]
  tags?: string[]
  /** Fields of `ticket.updated`. */
  changes?: ChangedField[]
}

export const endpoints = table(
  'endpoints',
  {
    id: text().primaryKey(),
    orgId: text()
      .notNull()
      .references(() => organizations.id),
    url: text().notNull(),
    description: text().notNull().default(''),
    events: json().$type<WebhookEvent[]>().notNull(),
    /** Only events of tickets with one of these channels, with one of these tags, and changes of one of these fields. Null: all. */
    filters: json().$type<EndpointFilters | null>(),
    /** Signing secrets, encrypted. The next one signs together with the current one until it is promoted. */
    secret: bytes().notNull(),
    nextSecret: bytes(),
    previousSecret: bytes(),
    previousSecretUntil: integer(),
    offAt: integer(),
    offReason: text().$type<OffReason>(),
    /** When the current run of failures began; null after a success. */
    failingSince: integer(),
    /** How many attempts in a row got no response. Until the next response, the endpoint gets one socket at a time. */
    connectFailures: integer().notNull().default(0),
    /** Whether the newest attempt succeeded. */
    isHealthy: boolean().notNull().default(false),
    /** The newest outcomes, oldest first: `s` a success, `f` a failure. */
    recentOutcomes: text().notNull().default(''),
    lastSuccessAt: integer(),
    lastErrorAt: integer(),
    lastError: text(),
    /**
     * When the delivery loop processes this endpoint next: when its earliest pending delivery is due, or when it was
     * last processed if more was due then, so that endpoints share the loop fairly. Null: there is nothing to send.
     */
    nextDeliveryAt: integer(),
    deletedAt: integer(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (row) => [
    index('endpoints_by_organization').on(row.orgId, row.createdAt, row.id),
    index('endpoints_by_schedule').on(row.isHealthy, row.nextDeliveryAt),
  ],
)

/** One for each event and each endpoint subscribed at that moment. The id is sent as `X-Service-Delivery`. */
export const deliveries = table(
  'deliveries',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    endpointId: text()
      .notNull()
      .references(() => endpoints.id),
    /** Number of the event in the organization's log; 0 for a test. */
    eventNumber: integer().notNull(),
    eventType: text().$type<WebhookEvent>().notNull(),
    ticketId: text(),
    /** Only for a test delivery, which has no event. All others send the event's body. */
    testBody: bytes(),
    state: text().$type<StoredDeliveryState>().notNull(),
    /** When the next attempt may start. Does not change when it starts. 0 is sent before everything else. */
    dueAt: integer().notNull(),
    /** Scheduled attempts that failed so far: 0 before the first attempt ends. */
    retries: integer().notNull().default(0),
    /** Interrupted attempts. Each is repeated without using up a retry, at most five times. */
    interruptions: integer().notNull().default(0),
    /** Number of the newest attempt: a result counts only for the attempt that is still current. */
    attempt: integer().notNull().default(0),
    /** Whether an agent requested the next or current attempt. */
    manual: boolean().notNull().default(false),
    lastError: text(),
    lastStatus: integer(),
    createdAt: integer().notNull(),
    /** When it finished. A finished delivery that is pending again gets one more attempt. */
    finishedAt: integer(),
  },
  (row) => [
    // SQLite uses a partial index only for a query that contains its condition literally.
    index('deliveries_due').on(row.endpointId, row.dueAt, row.eventNumber).where(sql`state = 'pending'`),
    index('deliveries_in_flight').on(row.endpointId).where(sql`state = 'in_flight'`),
    // With the time, the index covers "resend all failed since". Without it, SQLite picks deliveries_by_endpoint.
    index('deliveries_failed').on(row.endpointId, row.id, row.createdAt).where(sql`state = 'failed'`),
    // Ids sort by time, so the log needs no other column for its order. The last column avoids reading the row.
    index('deliveries_by_organization').on(row.orgId, row.id),
    index('deliveries_by_state').on(row.orgId, row.state, row.id, row.endpointId),
    index('deliveries_by_endpoint').on(row.endpointId, row.id),
    // Also for those of a ticket, whose events are found by `events_by_ticket`: its id would be ten times as long.
    index('deliveries_by_event').on(row.orgId, row.eventNumber),
  ],
)

export const attempts = table(
  'attempts',
  {
    deliveryId: text()
      .notNull()
      .references(() => deliveries.id),
    number: integer().notNull(),
    orgId: text().notNull(),
    kind: text().$type<AttemptKind>().notNull(),
    url: text().notNull(),
    startedAt: integer().notNull(),
    durationMs: integer(),
    /** `succeeded` or one of `DELIVERY_ERRORS`; null while in flight. */
    outcome: text(),
    status: integer(),
    /** What exactly happened, where that says more than the outcome. */
    detail: text(),
    requestHeaders: json().$type<Record<string, string>>(),
    responseHeaders: json().$type<Record<string, string>>(),
    responseBody: bytes(),
    /** The body was longer than what is stored, or did not arrive in time. */
    isBodyCut: boolean().notNull().default(false),
  },
  (row) => [primaryKey({ columns: [row.deliveryId, row.number] })],
)

/** `failed`: what failed is sent again. `replay`: events are sent again, or only those that the endpoint never got. */
export const RESEND_KINDS = ['failed', 'replay', 'replay_missing'] as const
export type ResendKind = (typeof RESEND_KINDS)[number]

/** Jobs of "resend all failed since" and of replays. They continue after a crash. */
export const resendJobs = table(
  'resend_jobs',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    endpointId: text()
      .notNull()
      .references(() => endpoints.id),
    kind: text().$type<ResendKind>().notNull().default('failed'),
    /** Times of deliveries. */
    since: integer().notNull(),
    until: integer().notNull(),
    /** Of a replay: the number of the event before the first, and that of the last. */
    afterEvent: integer(),
    untilEvent: integer(),
    /** Id of the last delivery that was queued again; of a replay, the number of the last event. */
    cursor: text().notNull().default(''),
    resent: integer().notNull().default(0),
    createdAt: integer().notNull(),
    finishedAt: integer(),
  },
  (row) => [index('resend_jobs_open').on(row.createdAt).where(sql`finished_at is null`)],
)
