import { sql } from 'drizzle-orm'
import { boolean, bytes, index, integer, json, primaryKey, table, text, uniqueIndex } from './columns.ts'

// Vocabularies: each stands once, here beside the tables, and types everything else.

/** Section 2 of the specification. */
export const TICKET_STATUSES = ['open', 'resolved', 'pending'] as const
export const CHANNELS = ['widget', 'email', 'telegram', 'api'] as const
export const MESSAGE_ROLES = ['customer', 'agent'] as const
export const SENDING_STATES = ['queued', 'sending', 'sent', 'failed', 'bounced'] as const
/** Section 6: the events an endpoint may subscribe to. */
export const WEBHOOK_EVENTS = ['ticket.created', 'message.sent'] as const
/**
 * Everything the log records; what is not a webhook event only tells our own pages that something changed.
 * `desk.changed` is of no ticket: agents, views, saved replies, settings.
 */
export const LOG_EVENTS = [
  ...WEBHOOK_EVENTS,
  'ticket.updated',
  'ticket.deleted',
  'note.added',
  'reply.waiting',
  'desk.changed',
] as const
export const AGENT_ROLES = ['admin', 'agent'] as const
export const KEY_KINDS = ['secret', 'public'] as const
export const KEY_SCOPES = ['tickets:read', 'tickets:write', 'messages:write'] as const
/** As the log shows them. `held` is never stored: it is a pending delivery whose endpoint is off. */
export const DELIVERY_STATES = ['pending', 'in_flight', 'held', 'succeeded', 'failed', 'cancelled'] as const
export const ATTEMPT_KINDS = ['scheduled', 'manual', 'test'] as const
/** Why an endpoint is off: an administrator said so, 120 hours of failures, or a final 410 Gone. */
export const OFF_REASONS = ['manual', 'failing', 'gone'] as const
/** Why a one-time link lets somebody choose a password. */
export const LINK_PURPOSES = ['invitation', 'reset'] as const
/** Who may have done something: an agent, an API key, a command on the server, or the server by itself. */
export const ACTOR_KINDS = ['agent', 'key', 'command', 'system'] as const
export const DRAFT_KINDS = ['reply', 'note'] as const
/** What of a ticket the thread tells changes of. */
export const ACTIVITY_FIELDS = ['status', 'assignedTo', 'tags', 'subject', 'spam'] as const

export type TicketStatus = (typeof TICKET_STATUSES)[number]
export type Channel = (typeof CHANNELS)[number]
export type MessageRole = (typeof MESSAGE_ROLES)[number]
export type SendingState = (typeof SENDING_STATES)[number]
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]
export type LogEvent = (typeof LOG_EVENTS)[number]
export type AgentRole = (typeof AGENT_ROLES)[number]
export type KeyKind = (typeof KEY_KINDS)[number]
export type KeyScope = (typeof KEY_SCOPES)[number]
export type DeliveryState = (typeof DELIVERY_STATES)[number]
export type StoredDeliveryState = Exclude<DeliveryState, 'held'>
export type AttemptKind = (typeof ATTEMPT_KINDS)[number]
export type OffReason = (typeof OFF_REASONS)[number]
export type LinkPurpose = (typeof LINK_PURPOSES)[number]
export type ActorKind = (typeof ACTOR_KINDS)[number]
export type DraftKind = (typeof DRAFT_KINDS)[number]
export type ActivityField = (typeof ACTIVITY_FIELDS)[number]

/** One change of a ticket as its thread tells it. */
export interface FieldChange {
  field: ActivityField
  from: string | string[] | boolean
  to: string | string[] | boolean
}

// Times are whole milliseconds since 1970, UTC. Ids sort by the time they were made.

export const organizations = table('organizations', {
  id: text().primaryKey(),
  name: text().notNull(),
  /** A customer's message sets a pending or resolved ticket to open. */
  reopens: boolean().notNull().default(true),
  /** How the business shows itself to customers; empty: the name. */
  publicName: text().notNull().default(''),
  website: text().notNull().default(''),
  /** Goes under replies by e-mail. */
  signature: text().notNull().default(''),
  /** Number of the newest event; taken inside the unit that records it, so a reader's cursor never skips one. */
  lastEvent: integer().notNull().default(0),
  /** Number of the event with which something was deleted for ever; empty once nothing of it is left on the disk. */
  erasedEvent: integer(),
  createdAt: integer().notNull(),
})

export const agents = table(
  'agents',
  {
    id: text().primaryKey(),
    orgId: text()
      .notNull()
      .references(() => organizations.id),
    name: text().notNull(),
    email: text().notNull(),
    /** The address in lower case: what makes it unique. */
    emailKey: text().notNull(),
    role: text().$type<AgentRole>().notNull(),
    /** argon2id; empty until the agent has chosen a password. */
    passwordHash: text(),
    /** When a browser of theirs last asked for something, to the minute. */
    lastSeenAt: integer(),
    disabledAt: integer(),
    createdAt: integer().notNull(),
  },
  (row) => [
    uniqueIndex('agents_by_email').on(row.orgId, row.emailKey),
    // Signing in knows an address and no organization.
    index('agents_by_address').on(row.emailKey),
  ],
)

/** Signed-in browsers. The cookie holds a random token, the row its SHA-256. */
export const sessions = table(
  'sessions',
  {
    id: text().primaryKey(),
    orgId: text()
      .notNull()
      .references(() => organizations.id),
    agentId: text()
      .notNull()
      .references(() => agents.id),
    hash: text().notNull(),
    /** What the browser calls itself, shortened; for the agent to recognise it by. */
    device: text().notNull().default(''),
    address: text().notNull().default(''),
    createdAt: integer().notNull(),
    lastSeenAt: integer().notNull(),
    /** Moves on while it is used, up to a limit from `createdAt`. */
    expiresAt: integer().notNull(),
  },
  (row) => [
    uniqueIndex('sessions_by_hash').on(row.hash),
    index('sessions_by_agent').on(row.orgId, row.agentId, row.lastSeenAt),
    index('sessions_by_expiry').on(row.expiresAt),
  ],
)

/** One-time links by which somebody chooses a password: an invitation, or a reset by an administrator. */
export const agentLinks = table(
  'agent_links',
  {
    id: text().primaryKey(),
    orgId: text()
      .notNull()
      .references(() => organizations.id),
    agentId: text()
      .notNull()
      .references(() => agents.id),
    purpose: text().$type<LinkPurpose>().notNull(),
    /** SHA-256 of the token, hex. */
    hash: text().notNull(),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
  },
  (row) => [
    uniqueIndex('agent_links_by_hash').on(row.hash),
    index('agent_links_by_agent').on(row.orgId, row.agentId),
    index('agent_links_by_expiry').on(row.expiresAt),
  ],
)

/** Who did what to the settings, when and from where. Written in the unit of the change. */
export const auditEntries = table(
  'audit_entries',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    actorKind: text().$type<ActorKind>().notNull(),
    actorId: text(),
    actorName: text().notNull(),
    /** A noun and what happened to it: `agent.invited`, `api_key.revoked`. */
    action: text().notNull(),
    subjectId: text(),
    subjectLabel: text(),
    detail: json().$type<Record<string, unknown>>(),
    address: text(),
    createdAt: integer().notNull(),
  },
  (row) => [
    index('audit_entries_by_organization').on(row.orgId, row.id),
    index('audit_entries_by_action').on(row.orgId, row.action, row.id),
  ],
)

export const apiKeys = table(
  'api_keys',
  {
    id: text().primaryKey(),
    orgId: text()
      .notNull()
      .references(() => organizations.id),
    kind: text().$type<KeyKind>().notNull(),
    name: text().notNull(),
    /** SHA-256 of the whole key, hex. A key has 240 random bits, so a slow hash would protect nothing. */
    hash: text().notNull(),
    /** The beginning, for people to recognise a key by. */
    prefix: text().notNull(),
    /** Only of a public key, which is shown again in every widget snippet. */
    publicKey: text(),
    /** Empty: full access. */
    scopes: json().$type<KeyScope[]>(),
    /** Requests per rolling minute; empty: the server's default. */
    rateLimit: integer(),
    expiresAt: integer(),
    revokedAt: integer(),
    lastUsedAt: integer(),
    createdAt: integer().notNull(),
  },
  (row) => [
    uniqueIndex('api_keys_by_hash').on(row.hash),
    index('api_keys_by_organization').on(row.orgId, row.createdAt),
  ],
)

export const customers = table(
  'customers',
  {
    id: text().primaryKey(),
    orgId: text()
      .notNull()
      .references(() => organizations.id),
    name: text().notNull(),
    email: text(),
    /** The address in lower case: one customer for each organization and address. */
    emailKey: text(),
    /** Grows by one on each change; part of the ETag of the customer's tickets. */
    version: integer().notNull().default(1),
    /** Their name has changed: the tickets behind this one are still found by the old one. Empty: none is. */
    reindexAfter: text(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (row) => [
    uniqueIndex('customers_by_email').on(row.orgId, row.emailKey),
    index('customers_to_reindex').on(row.orgId, row.id).where(sql`reindex_after is not null`),
  ],
)

export const tickets = table(
  'tickets',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    customerId: text()
      .notNull()
      .references(() => customers.id),
    status: text().$type<TicketStatus>().notNull(),
    channel: text().$type<Channel>().notNull(),
    subject: text().notNull(),
    /** Agent id; empty string when nobody has it, so that one index serves `unassigned` too. */
    assignedTo: text().notNull().default(''),
    tags: json().$type<string[]>().notNull(),
    /** Hidden from the inbox; the public status stays as it is. */
    isSpam: boolean().notNull().default(false),
    /** Grows by one on each effective change; the ETag. */
    version: integer().notNull().default(1),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (row) => [
    // Only spam stands in it: what the inbox shows by `is:spam`, and leaves out elsewhere.
    index('tickets_spam').on(row.orgId, row.updatedAt, row.id).where(sql`is_spam`),
    // Led by what it refers to, so that deleting a customer finds what refers to them; so are those of a ticket's rows.
    index('tickets_by_customer').on(row.customerId, row.updatedAt, row.id),
    index('tickets_by_created').on(row.orgId, row.createdAt, row.id),
    index('tickets_by_updated').on(row.orgId, row.updatedAt, row.id),
    index('tickets_by_status_created').on(row.orgId, row.status, row.createdAt, row.id),
    index('tickets_by_status_updated').on(row.orgId, row.status, row.updatedAt, row.id),
    index('tickets_by_channel_created').on(row.orgId, row.channel, row.createdAt, row.id),
    index('tickets_by_channel_updated').on(row.orgId, row.channel, row.updatedAt, row.id),
    index('tickets_by_assignee_created').on(row.orgId, row.assignedTo, row.createdAt, row.id),
    index('tickets_by_assignee_updated').on(row.orgId, row.assignedTo, row.updatedAt, row.id),
    // What agents look at all day: my open tickets, and those nobody has.
    index('tickets_by_status_assignee_updated').on(
      row.orgId,
      row.status,
      row.assignedTo,
      row.updatedAt,
      row.id,
    ),
  ],
)

/** A ticket's tags once more, one row each, with the times a list may be sorted by. */
export const ticketTags = table(
  'ticket_tags',
  {
    orgId: text().notNull(),
    tag: text().notNull(),
    ticketId: text()
      .notNull()
      .references(() => tickets.id),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.orgId, row.ticketId, row.tag] }),
    index('ticket_tags_by_ticket').on(row.ticketId),
    index('ticket_tags_by_created').on(row.orgId, row.tag, row.createdAt, row.ticketId),
    index('ticket_tags_by_updated').on(row.orgId, row.tag, row.updatedAt, row.ticketId),
  ],
)

/** How many tickets each single filter of the list finds; kept in the transaction that changes the ticket. */
export const ticketCounters = table(
  'ticket_counters',
  {
    orgId: text().notNull(),
    /**
     * `all`, `status:open`, `channel:api`, `assignedTo:agt_…` (or nothing behind the colon), `tag:…`, and status with one
     * of the last two. Spam is counted once more under the same names behind `spam,`.
     */
    filter: text().notNull(),
    count: integer().notNull(),
  },
  (row) => [primaryKey({ columns: [row.orgId, row.filter] })],
)

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
    createdAt: integer().notNull(),
  },
  (row) => [
    index('messages_by_ticket').on(row.ticketId, row.createdAt, row.id),
    index('messages_failed').on(row.orgId, row.ticketId, row.id).where(sql`sending in ('failed', 'bounced')`),
  ],
)

/** What agents write to each other on a ticket. Never leaves the inbox: no webhook, no API. */
export const notes = table(
  'notes',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    ticketId: text()
      .notNull()
      .references(() => tickets.id),
    agentId: text().notNull(),
    agentName: text().notNull(),
    text: text().notNull(),
    createdAt: integer().notNull(),
  },
  (row) => [index('notes_by_ticket').on(row.ticketId, row.createdAt, row.id)],
)

/** The lines of a thread that say who changed what. */
export const activities = table(
  'activities',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    ticketId: text()
      .notNull()
      .references(() => tickets.id),
    actorKind: text().$type<ActorKind>().notNull(),
    actorId: text(),
    actorName: text().notNull(),
    changes: json().$type<FieldChange[]>().notNull(),
    createdAt: integer().notNull(),
  },
  (row) => [index('activities_by_ticket').on(row.ticketId, row.createdAt, row.id)],
)

/** Up to which message an agent has read a ticket. */
export const readMarks = table(
  'read_marks',
  {
    orgId: text().notNull(),
    agentId: text().notNull(),
    ticketId: text()
      .notNull()
      .references(() => tickets.id),
    messageId: text().notNull(),
    /** When that message was written: a later one of the customer is unread. */
    messageAt: integer().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.orgId, row.agentId, row.ticketId] }),
    index('read_marks_by_ticket').on(row.ticketId),
  ],
)

/** What an agent has begun to write on a ticket: a reply and a note, each for itself. */
export const drafts = table(
  'drafts',
  {
    orgId: text().notNull(),
    agentId: text().notNull(),
    ticketId: text()
      .notNull()
      .references(() => tickets.id),
    kind: text().$type<DraftKind>().notNull(),
    text: text().notNull(),
    savedAt: integer().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.orgId, row.agentId, row.ticketId, row.kind] }),
    index('drafts_by_ticket').on(row.ticketId),
  ],
)

/** Replies between Send and gone: they can be taken back until `sendAt`, and are held when somebody answered meanwhile. */
/** Somebody else has answered, its agent is disabled, or it was taken back and does not fit before their draft. */
export const HELD_BECAUSE = ['answered', 'disabled', 'too_long'] as const
export type HeldBecause = (typeof HELD_BECAUSE)[number]

export const waitingReplies = table(
  'waiting_replies',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    ticketId: text()
      .notNull()
      .references(() => tickets.id),
    agentId: text().notNull(),
    agentName: text().notNull(),
    text: text().notNull(),
    /** The status the ticket gets when the reply goes; empty: it stays. */
    thenStatus: text().$type<TicketStatus>(),
    /** The newest message the agent had seen. */
    lastMessageId: text().notNull(),
    /** Goes even if somebody answered meanwhile. */
    isForced: boolean().notNull().default(false),
    isHeld: boolean().notNull().default(false),
    /** Of those held before there was another reason it is empty: they were answered. */
    heldBecause: text().$type<HeldBecause>(),
    sendAt: integer().notNull(),
    createdAt: integer().notNull(),
  },
  (row) => [
    index('waiting_replies_due').on(row.isHeld, row.sendAt),
    index('waiting_replies_by_ticket').on(row.ticketId, row.createdAt),
  ],
)

export const savedReplies = table(
  'saved_replies',
  {
    id: text().primaryKey(),
    orgId: text()
      .notNull()
      .references(() => organizations.id),
    name: text().notNull(),
    /** With variables such as `{{customer.name}}`, which the page fills in. */
    text: text().notNull(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (row) => [index('saved_replies_by_name').on(row.orgId, row.name, row.id)],
)

/** Searches that stand in the rail. */
export const savedViews = table(
  'saved_views',
  {
    id: text().primaryKey(),
    orgId: text()
      .notNull()
      .references(() => organizations.id),
    /** Who made it; it is theirs alone unless shared. */
    agentId: text().notNull(),
    isShared: boolean().notNull().default(false),
    name: text().notNull(),
    query: text().notNull(),
    createdAt: integer().notNull(),
  },
  (row) => [index('saved_views_by_organization').on(row.orgId, row.createdAt, row.id)],
)

/**
 * One row for each ticket that the full-text index holds. The number is the row of `search_index` (full-text.ts): a
 * ticket that changes is taken out and put in again under a new one, so higher numbers changed later.
 */
export const searchDocuments = table(
  'search_documents',
  {
    orgId: text().notNull(),
    ticketId: text().notNull(),
    number: integer().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.orgId, row.ticketId] }),
    uniqueIndex('search_documents_by_number').on(row.number),
  ],
)

/** How far the log has been read into the full-text index. */
export const searchCursors = table('search_cursors', {
  orgId: text().primaryKey(),
  eventNumber: integer().notNull(),
  /**
   * Tickets from before the log was first read are put in from the newest back: last activity and id of the last one
   * that was. Empty time: all are in.
   */
  backAt: integer(),
  backId: text().notNull().default(''),
})

/** The log. Numbers are dense and in commit order within an organization. */
export const events = table(
  'events',
  {
    orgId: text().notNull(),
    number: integer().notNull(),
    id: text().notNull(),
    type: text().$type<LogEvent>().notNull(),
    ticketId: text().notNull(),
    /** The webhook body, frozen: the bytes that are signed and sent. Empty when no endpoint was subscribed. */
    body: bytes(),
    createdAt: integer().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.orgId, row.number] }),
    // What has to be forgotten when a ticket is deleted for ever.
    index('events_by_ticket').on(row.orgId, row.ticketId).where(sql`body is not null`),
  ],
)

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
    /** Signing secrets, sealed. The next one signs beside the current one until it is promoted. */
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

/** Stored in the same transaction as the write it stands for; forgotten after 24 hours. */
export const idempotencyKeys = table(
  'idempotency_keys',
  {
    orgId: text().notNull(),
    key: text().notNull(),
    /** SHA-256 over method, path and body. */
    fingerprint: text().notNull(),
    status: integer().notNull(),
    /** The stored answer, exactly as it was sent. */
    body: text().notNull(),
    location: text(),
    etag: text(),
    createdAt: integer().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.orgId, row.key] }),
    index('idempotency_keys_by_time').on(row.createdAt),
  ],
)
