import { eq } from 'drizzle-orm'
import type { Database, Reader } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { apiKeys } from '../database/tables/api-keys.ts'
import type { Deps } from '../deps.ts'
import { hashToken } from '../token.ts'
import { type ApiKey, keyColumns } from './queries.ts'

/** Finds a key by the token that was sent, unless it is unknown, revoked or expired. */
export async function findValidKey(deps: Deps, token: string): Promise<ApiKey | undefined> {
  const hash = hashToken(token)
  const { keys } = cacheOf(deps)
  const key = keys.get(hash) ?? (await readAndCache(deps, keys, hash))
  if (!key || key.revokedAt !== null) return undefined
  if (key.expiresAt !== null && key.expiresAt <= deps.clock.now()) return undefined
  return key
}

/** Clears the cache after a key changed. */
export function clearKeyCache(deps: Deps): void {
  clear(cacheOf(deps))
}

// Every request looks up a key, and keys rarely change. Rows are cached until a verb here or another process changes
// something. A lookup that was running at that moment fills the discarded map.

const MOST_CACHED = 10_000
const caches = new WeakMap<Database, { keys: Map<string, ApiKey> }>()

function cacheOf(deps: Deps): { keys: Map<string, ApiKey> } {
  const known = caches.get(deps.database)
  if (known && known.keys.size < MOST_CACHED) return known
  if (known) return clear(known)
  const cache = { keys: new Map<string, ApiKey>() }
  caches.set(deps.database, cache)
  deps.externalCommits.listen(() => clear(cache))
  return cache
}

function clear(cache: { keys: Map<string, ApiKey> }) {
  cache.keys = new Map()
  return cache
}

async function readAndCache(
  deps: Deps,
  keys: Map<string, ApiKey>,
  hash: string,
): Promise<ApiKey | undefined> {
  const [key] = await keyByHash(deps.database.read, { hash })
  if (key) keys.set(hash, key)
  return key
}

const keyByHash = statement<{ hash: string }, ApiKey[], Reader>('api_keys_by_hash', (read, p) =>
  read.select(keyColumns).from(apiKeys).where(eq(apiKeys.hash, p.hash)),
)
