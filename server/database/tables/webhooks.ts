import { sql } from 'drizzle-orm'
import { boolean, bytes, index, integer, json, primaryKey, table, text } from '../columns.ts'
import type { WebhookEvent } from './events.ts'
import { organizations } from './organizations.ts'

/** As the log shows them. `held` is never stored: it is a pending delivery whose endpoint is off. */
export const DELIVERY_STATES = ['pending', 'in_flight', 'held', 'succeeded', 'failed', 'cancelled'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]
export type StoredDeliveryState = Exclude<DeliveryState, 'held'>

export const ATTEMPT_KINDS = ['scheduled', 'manual', 'test'] as const
export type AttemptKind = (typeof ATTEMPT_KINDS)[number]

/** Why an endpoint is off: an administrator said so, 120 hours of failures, or a final 410 Gone. */
export const OFF_REASONS = ['manual', 'failing', 'gone'] as const
export type OffReason = (typeof OFF_REASONS)[number]

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
    /** Signing secrets, encrypted. The next one signs beside the current one until it is promoted. */
    secret: bytes().notNull(),
    nextSecret: bytes(),
    previousSecret: bytes(),
    previousSecretUntil: integer(),
    offAt: integer(),
    offReason: text().$type<OffReason>(),
    /** Start of the present run of failures; empty after a success. */
    failingSince: integer(),
    /** How many of the newest attempts in a row failed to connect. */
    connectFailures: integer().notNull().default(0),
    /** The newest attempt succeeded. Endpoints that are not steady share a part of the sockets only. */
    isSteady: boolean().notNull().default(false),
    /** The newest outcomes, oldest first: `s` a success, `f` a failure. */
    recentOutcomes: text().notNull().default(''),
    lastSuccessAt: integer(),
    lastErrorAt: integer(),
    lastError: text(),
    /**
     * When the delivery loop looks at this endpoint again: the due time of its earliest pending delivery, or of its
     * last turn when more was due then, so that endpoints with work take turns. Empty: there is nothing to send.
     */
    nextTurnAt: integer(),
    deletedAt: integer(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (row) => [
    index('endpoints_by_organization').on(row.orgId, row.createdAt, row.id),
    index('endpoints_by_turn').on(row.isSteady, row.nextTurnAt),
  ],
)

/** One for each event and endpoint subscribed at that moment. The id is `X-Service-Delivery`. */
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
    /** Only of a test delivery, which belongs to no event; otherwise the event's body is sent. */
    testBody: bytes(),
    state: text().$type<StoredDeliveryState>().notNull(),
    /** When the next attempt may start; kept when it starts. 0 goes before everything that waits. */
    dueAt: integer().notNull(),
    /** Failed attempts of the schedule so far: 0 means the first is still to come. */
    retries: integer().notNull().default(0),
    /** Attempts lost to a crash; each goes again without using up a retry, at most five times. */
    interruptions: integer().notNull().default(0),
    /** Number of the newest attempt: a result counts only for the attempt that is still current. */
    attempt: integer().notNull().default(0),
    /** The next attempt, or the present one, was asked for by a person. */
    manual: boolean().notNull().default(false),
    lastError: text(),
    lastStatus: integer(),
    createdAt: integer().notNull(),
    /** When it came to its end; one that has an end and is pending again gets one more attempt. */
    finishedAt: integer(),
  },
  (row) => [
    // SQLite uses a partial index only for a query that carries its condition literally.
    index('deliveries_due').on(row.endpointId, row.dueAt, row.eventNumber).where(sql`state = 'pending'`),
    index('deliveries_in_flight').on(row.endpointId).where(sql`state = 'in_flight'`),
    // With the time SQLite has all that "resend all failed since" asks for; without, it takes deliveries_by_endpoint.
    index('deliveries_failed').on(row.endpointId, row.id, row.createdAt).where(sql`state = 'failed'`),
    // Ids sort by time, so the log needs no other column to be in order. The last column spares the row.
    index('deliveries_by_organization').on(row.orgId, row.id),
    index('deliveries_by_state').on(row.orgId, row.state, row.id, row.endpointId),
    index('deliveries_by_endpoint').on(row.endpointId, row.id),
    index('deliveries_by_ticket').on(row.orgId, row.ticketId),
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
    /** `succeeded` or one of the delivery errors; empty while in flight. */
    outcome: text(),
    status: integer(),
    /** What exactly happened, in plain words, where it says more than the outcome. */
    detail: text(),
    requestHeaders: json().$type<Record<string, string>>(),
    responseHeaders: json().$type<Record<string, string>>(),
    responseBody: bytes(),
    /** There was more of the body, or it did not come in time. */
    isBodyCut: boolean().notNull().default(false),
  },
  (row) => [primaryKey({ columns: [row.deliveryId, row.number] })],
)

/** "Resend all failed since": a job that a crash does not end. */
export const resendJobs = table(
  'resend_jobs',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    endpointId: text()
      .notNull()
      .references(() => endpoints.id),
    since: integer().notNull(),
    until: integer().notNull(),
    /** Id of the last delivery that was queued again. */
    cursor: text().notNull().default(''),
    resent: integer().notNull().default(0),
    createdAt: integer().notNull(),
    finishedAt: integer(),
  },
  (row) => [index('resend_jobs_open').on(row.createdAt).where(sql`finished_at is null`)],
)
