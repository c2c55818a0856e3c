import { isoTime, isoTimeOrNull } from '../dates.ts'
import type { ApiKey } from './api-keys.ts'

/** A key without its secret. A public key isn't secret and is included. */
export function viewKey(key: ApiKey) {
  const { id, kind, name, prefix, scopes, rateLimit, publicKey, agentId, program } = key
  return {
    id,
    kind,
    name,
    prefix,
    scopes,
    rateLimit,
    expiresAt: isoTimeOrNull(key.expiresAt),
    revokedAt: isoTimeOrNull(key.revokedAt),
    lastUsedAt: isoTimeOrNull(key.lastUsedAt),
    createdAt: isoTime(key.createdAt),
    ...(publicKey === null ? {} : { publicKey }),
    ...(agentId !== null && program && { program: { id: agentId, name: program.name } }),
  }
}
