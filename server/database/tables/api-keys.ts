import { index, integer, json, primaryKey, table, text, uniqueIndex } from '../columns.ts'
import { organizations } from './organizations.ts'

export const KEY_KINDS = ['secret', 'public'] as const
export type KeyKind = (typeof KEY_KINDS)[number]

export const KEY_SCOPES = [
  'tickets:read',
  'tickets:write',
  'messages:write',
  'notes:read',
  'notes:write',
  'customers:read',
  'customers:write',
  'agents:read',
  'suggestions:write',
  'endpoints:read',
  'endpoints:write',
  'import:write',
  'erase',
] as const
export type KeyScope = (typeof KEY_SCOPES)[number]
/** Never part of full access: a key has them only by name. */
export const NAMED_SCOPES: readonly KeyScope[] = ['endpoints:write', 'import:write', 'erase']

export const apiKeys = table(
  'api_keys',
  {
    id: text().primaryKey(),
    orgId: text()
      .notNull()
      .references(() => organizations.id),
    kind: text().$type<KeyKind>().notNull(),
    name: text().notNull(),
    /** SHA-256 of the whole key, hex. A key has 240 random bits, so a slow hash would add nothing. */
    hash: text().notNull(),
    /** The first characters, for people to recognize a key by. */
    prefix: text().notNull(),
    /** The program that the key belongs to; null for none. */
    agentId: text(),
    /** Only for public keys, which every widget snippet contains. */
    publicKey: text(),
    /** Null means full access. */
    scopes: json().$type<KeyScope[]>(),
    /** Requests per rolling minute; null: the server's default. */
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

/** Written in the same transaction as the change, and deleted after 24 hours. */
export const idempotencyKeys = table(
  'idempotency_keys',
  {
    orgId: text().notNull(),
    /** Who sent it, a line break, and the `Idempotency-Key`. */
    key: text().notNull(),
    /** SHA-256 of method, path and body. */
    fingerprint: text().notNull(),
    /** The ticket the stored answer shows: erasing the ticket erases the answer. */
    ticketId: text(),
    status: integer().notNull(),
    /** The response, exactly as it was sent. */
    body: text().notNull(),
    location: text(),
    etag: text(),
    createdAt: integer().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.orgId, row.key] }),
    index('idempotency_keys_by_time').on(row.createdAt),
    index('idempotency_keys_by_ticket').on(row.orgId, row.ticketId),
  ],
)
