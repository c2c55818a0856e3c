import { eq } from 'drizzle-orm'
import type { Database, Reader } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { apiKeys } from '../database/tables/api-keys.ts'
import type { Deps } from '../deps.ts'
import { hashToken } from '../token.ts'
import { type ApiKey, keyColumns } from './key-rows.ts'

/** The key that was sent, if it is one of ours, not revoked and not expired. */
export async function findValidKey(deps: Deps, sent: string): Promise<ApiKey | undefined> {
  const hash = hashToken(sent)
  const { keys } = memoryOf(deps)
  const key = keys.get(hash) ?? (await readAndRemember(deps, keys, hash))
  if (!key || key.revokedAt !== null) return undefined
  if (key.expiresAt !== null && key.expiresAt <= deps.clock.now()) return undefined
  return key
}

/** After a change of a key: what is remembered may be old. */
export function forgetKeys(deps: Deps): void {
  forget(memoryOf(deps))
}

// A key is looked up at every request and hardly ever changes: rows are remembered until a verb here or another
// process changes something. A lookup that was under way then fills a map that nobody asks any more.

const MOST_REMEMBERED = 10_000
const memories = new WeakMap<Database, { keys: Map<string, ApiKey> }>()

function memoryOf(deps: Deps): { keys: Map<string, ApiKey> } {
  const known = memories.get(deps.database)
  if (known && known.keys.size < MOST_REMEMBERED) return known
  if (known) return forget(known)
  const memory = { keys: new Map<string, ApiKey>() }
  memories.set(deps.database, memory)
  deps.externalCommits.listen(() => forget(memory))
  return memory
}

function forget(memory: { keys: Map<string, ApiKey> }) {
  memory.keys = new Map()
  return memory
}

async function readAndRemember(
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
