import { index, integer, json, table, text, uniqueIndex } from '../columns.ts'
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
