import { isoTime } from '../wire.ts'
import type { ApiKey } from './key-rows.ts'

/** A key without its secret; the one of the widget is no secret. */
export function viewKey(key: ApiKey) {
  const { id, kind, name, prefix, scopes, rateLimit, publicKey } = key
  return {
    id,
    kind,
    name,
    prefix,
    scopes,
    rateLimit,
    expiresAt: time(key.expiresAt),
    revokedAt: time(key.revokedAt),
    lastUsedAt: time(key.lastUsedAt),
    createdAt: isoTime(key.createdAt),
    ...(publicKey === null ? {} : { publicKey }),
  }
}

function time(milliseconds: number | null): string | null {
  return milliseconds === null ? null : isoTime(milliseconds)
}
