import { apiKeys, type KeyKind, type KeyScope } from '../database/tables/api-keys.ts'

export interface ApiKey {
  id: string
  orgId: string
  kind: KeyKind
  name: string
  prefix: string
  publicKey: string | null
  /** Null: full access. */
  scopes: KeyScope[] | null
  /** Requests per rolling 60 seconds; null: the server's default. */
  rateLimit: number | null
  expiresAt: number | null
  revokedAt: number | null
  lastUsedAt: number | null
  createdAt: number
}

export const keyColumns = {
  id: apiKeys.id,
  orgId: apiKeys.orgId,
  kind: apiKeys.kind,
  name: apiKeys.name,
  prefix: apiKeys.prefix,
  publicKey: apiKeys.publicKey,
  scopes: apiKeys.scopes,
  rateLimit: apiKeys.rateLimit,
  expiresAt: apiKeys.expiresAt,
  revokedAt: apiKeys.revokedAt,
  lastUsedAt: apiKeys.lastUsedAt,
  createdAt: apiKeys.createdAt,
}
