import { index, integer, json, table, text, uniqueIndex } from '../columns.ts'
import { organizations } from './organizations.ts'

export const KEY_KINDS = ['secret', 'public'] as const
export type KeyKind = (typeof KEY_KINDS)[number]

export const KEY_SCOPES = ['tickets:read', 'tickets:write', 'messages:write'] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

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
