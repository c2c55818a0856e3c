import { and, asc, eq, isNull, or } from 'drizzle-orm'
import { recordAudit } from '../audit/audit.ts'
import type { Database, Reader } from '../database/database.ts'
import { apiKeys, KEY_SCOPES, type KeyKind, type KeyScope } from '../database/schema.ts'
import { statement } from '../database/statement.ts'
import type { Deps } from '../deps.ts'
import { invalid, notFound } from '../errors.ts'
import { requireName } from '../organizations/organizations.ts'
import { isoTime } from '../wire.ts'

/** Recognisable by people and by secret scanners. */
const KEY_PREFIX = { secret: 'bellhop_sk_', public: 'bellhop_pk_' } as const satisfies Record<KeyKind, string>
const KEY_RANDOM_BYTES = 30
const SHOWN_CHARACTERS = 6
const HIGHEST_RATE_LIMIT = 1_000_000

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

const columns = {
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

export interface NewApiKey {
  name: string
  kind: KeyKind
  /** Absent: full access. A public key has none. */
  scopes?: KeyScope[]
  rateLimit?: number
  /** Milliseconds since 1970. */
  expiresAt?: number
}

/** `secret` is the whole key; it is shown here once and only its SHA-256 is kept. Throws 400 for wrong input. */
export async function createApiKey(
  deps: Deps,
  orgId: string,
  input: NewApiKey,
): Promise<{ key: ApiKey; secret: string }> {
  const { kind } = input
  const secret = KEY_PREFIX[kind] + Buffer.from(deps.randomBytes(KEY_RANDOM_BYTES)).toString('base64url')
  const key: ApiKey = {
    id: deps.newId('key'),
    orgId,
    kind,
    name: requireName(input.name),
    prefix: secret.slice(0, KEY_PREFIX[kind].length + SHOWN_CHARACTERS),
    publicKey: kind === 'public' ? secret : null,
    scopes: requireScopes(input),
    rateLimit: requireRateLimit(input.rateLimit),
    expiresAt: requireFuture(input.expiresAt, deps.clock.now()),
    revokedAt: null,
    lastUsedAt: null,
    createdAt: deps.clock.now(),
  }
  await deps.database.write(async (tx) => {
    await tx.insert(apiKeys).values({ ...key, hash: hashKey(secret) })
    const { id, name, scopes, rateLimit, expiresAt } = key
    await recordAudit(deps, tx, orgId, {
      action: 'api_key.created',
      subject: { id, label: name },
      detail: { kind, scopes, rateLimit, expiresAt: expiresAt === null ? null : isoTime(expiresAt) },
    })
  })
  return { key, secret }
}

/** Oldest first, revoked ones too. */
export function listApiKeys(deps: Deps, orgId: string): Promise<ApiKey[]> {
  return deps.database.read
    .select(columns)
    .from(apiKeys)
    .where(eq(apiKeys.orgId, orgId))
    .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id))
}

/** Ends a key for ever, by id or shown prefix. A key that is already revoked stays so. Throws 404. */
export async function revokeApiKey(deps: Deps, orgId: string, idOrPrefix: string): Promise<void> {
  await deps.database.write(async (tx) => {
    const isTheKey = and(
      eq(apiKeys.orgId, orgId),
      or(eq(apiKeys.id, idOrPrefix), eq(apiKeys.prefix, idOrPrefix)),
    )
    const found = await tx.select({ id: apiKeys.id }).from(apiKeys).where(isTheKey)
    if (found.length === 0) throw notFound('API key')
    const revoked = await tx
      .update(apiKeys)
      .set({ revokedAt: deps.clock.now() })
      .where(and(isTheKey, isNull(apiKeys.revokedAt)))
      .returning({ id: apiKeys.id, name: apiKeys.name })
    for (const { id, name } of revoked) {
      await recordAudit(deps, tx, orgId, { action: 'api_key.revoked', subject: { id, label: name } })
    }
  })
  forget(memoryOf(deps))
}

/** The key that was sent, if it is one of ours, not revoked and not expired. */
export async function findValidKey(deps: Deps, sent: string): Promise<ApiKey | undefined> {
  const hash = hashKey(sent)
  const { keys } = memoryOf(deps)
  const key = keys.get(hash) ?? (await readAndRemember(deps, keys, hash))
  if (!key || key.revokedAt !== null) return undefined
  if (key.expiresAt !== null && key.expiresAt <= deps.clock.now()) return undefined
  return key
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
  deps.elsewhere.listen(() => forget(memory))
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

function hashKey(key: string): string {
  return new Bun.CryptoHasher('sha256').update(key).digest('hex')
}

function requireScopes({ kind, scopes }: NewApiKey): KeyScope[] | null {
  if (scopes === undefined) return null
  const isKnown = scopes.length > 0 && scopes.every((scope) => KEY_SCOPES.includes(scope))
  if (isKnown && kind === 'secret') return [...new Set(scopes)]
  const detail = kind === 'public' ? 'A public key takes no scopes.' : `Takes ${KEY_SCOPES.join(', ')}.`
  throw invalid([{ pointer: '/scopes', code: 'not_allowed', detail }])
}

function requireRateLimit(limit: number | undefined): number | null {
  if (limit === undefined) return null
  if (Number.isInteger(limit) && limit >= 1 && limit <= HIGHEST_RATE_LIMIT) return limit
  const detail = `Must be a whole number from 1 to ${HIGHEST_RATE_LIMIT}.`
  throw invalid([{ pointer: '/rateLimit', code: 'not_whole_number', detail }])
}

function requireFuture(time: number | undefined, now: number): number | null {
  if (time === undefined) return null
  if (time > now) return time
  throw invalid([{ pointer: '/expiresAt', code: 'in_the_past', detail: 'Must be in the future.' }])
}

const keyByHash = statement<{ hash: string }, ApiKey[], Reader>('api_keys_by_hash', (read, p) =>
  read.select(columns).from(apiKeys).where(eq(apiKeys.hash, p.hash)),
)
