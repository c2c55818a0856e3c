import { and, asc, eq, isNull, lt, or } from 'drizzle-orm'
import { recordAudit } from '../audit/audit.ts'
import type { Database, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { agents } from '../database/tables/agents.ts'
import { apiKeys, KEY_SCOPES, type KeyKind, type KeyScope } from '../database/tables/api-keys.ts'
import { writeQuietly } from '../database/unit.ts'
import { isoTimeOrNull } from '../dates.ts'
import type { Deps } from '../deps.ts'
import { hashToken } from '../encryption.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import { recordWorkspaceChange } from '../events/events.ts'
import { isProgramOfKey, keyByHash, keyColumns } from '../organizations/directory.ts'
import { requireName } from '../organizations/organizations.ts'

/** Prefixes that people and secret scanners recognize. */
export const KEY_PREFIX = { secret: 'bellhop_sk_', public: 'bellhop_pk_' } as const satisfies Record<
  KeyKind,
  string
>
const KEY_RANDOM_BYTES = 30
const SHOWN_CHARACTERS = 6
const MAX_RATE_LIMIT = 1_000_000
/** Keys in the cache. With more, it starts over. */
const MAX_CACHED = 10_000

/** As it is shown: without the hash of the key itself. */
export type ApiKey = Omit<typeof apiKeys.$inferSelect, 'hash'> & {
  /** That it belongs to, with `agentId`. */
  program: Pick<typeof agents.$inferSelect, 'name' | 'disabledAt'> | null
}

export interface NewApiKey {
  name: string
  kind: KeyKind
  /** Absent: full access. A public key has none. */
  scopes?: KeyScope[]
  rateLimit?: number
  /** Milliseconds since 1970. */
  expiresAt?: number
  /** Id or name of the program that acts with it. */
  program?: string
}

/** `secret` is the whole key. It is returned only here; the database keeps its SHA-256. Throws 400 for invalid input. */
export async function createApiKey(
  deps: Deps,
  orgId: string,
  input: NewApiKey,
): Promise<{ key: ApiKey; secret: string }> {
  const made = newApiKey(deps, orgId, input)
  return deps.database.write(orgId, async (tx) => {
    const key = input.program === undefined ? made.key : await keyOf(tx, made.key, input.program)
    await insertApiKey(deps, tx, { ...made, key })
    recordWorkspaceChange(deps, tx, orgId)
    return { ...made, key }
  })
}

/** A key that isn't stored yet, with its organization in it: `bellhop_sk_<organization>_<random>`. Throws 400 for invalid input. */
export function newApiKey(deps: Deps, orgId: string, input: NewApiKey): { key: ApiKey; secret: string } {
  const { kind } = input
  const start = `${KEY_PREFIX[kind]}${orgId.slice('org_'.length)}_`
  const secret = start + Buffer.from(deps.randomBytes(KEY_RANDOM_BYTES)).toString('base64url')
  const key: ApiKey = {
    id: deps.newId('key'),
    orgId,
    kind,
    name: requireName(input.name),
    prefix: secret.slice(0, start.length + SHOWN_CHARACTERS),
    agentId: null,
    program: null,
    publicKey: kind === 'public' ? secret : null,
    scopes: requireScopes(input),
    rateLimit: requireRateLimit(input.rateLimit),
    expiresAt: requireFuture(input.expiresAt, deps.clock.now()),
    revokedAt: null,
    lastUsedAt: null,
    createdAt: deps.clock.now(),
  }
  return { key, secret }
}

export async function insertApiKey(
  deps: Deps,
  tx: Transaction,
  { key: { program, ...key }, secret }: { key: ApiKey; secret: string },
): Promise<void> {
  await tx.insert(apiKeys).values({ ...key, hash: hashToken(secret) })
  const { id, orgId, kind, name, scopes, rateLimit, expiresAt } = key
  const limits = { kind, scopes, rateLimit, expiresAt: isoTimeOrNull(expiresAt) }
  await recordAudit(deps, tx, orgId, {
    action: 'api_key.created',
    subject: { id, label: name },
    detail: { ...limits, ...(program && { program: program.name }) },
  })
}

/** The key of a program. Throws 400 for an unknown program and a public key, and 409 for a name that several have. */
async function keyOf(tx: Transaction, key: ApiKey, idOrName: string): Promise<ApiKey> {
  const isNamed = or(eq(agents.id, idOrName), eq(agents.name, idOrName))
  const found = await tx
    .select({ id: agents.id, name: agents.name, disabledAt: agents.disabledAt })
    .from(agents)
    .where(and(matches(agents, { orgId: key.orgId, role: 'program' }), isNull(agents.disabledAt), isNamed))
  const [program] = found.filter(({ id }) => id === idOrName).concat(found)
  if (!program || key.kind === 'public') {
    const detail = program
      ? "A public key can't act as a program."
      : 'No enabled program has this id or name.'
    throw invalid([{ pointer: '/program', code: 'not_allowed', detail }])
  }
  if (program.id !== idOrName && found.length > 1) {
    throw new AppError(409, 'ambiguous_name', `Several programs are named "${idOrName}". Use the id.`)
  }
  const { id: agentId, ...shown } = program
  return { ...key, agentId, program: shown }
}

/** Oldest first, revoked ones too. */
export function listApiKeys(deps: Deps, orgId: string): Promise<ApiKey[]> {
  return deps.database.read
    .select(keyColumns)
    .from(apiKeys)
    .leftJoin(agents, isProgramOfKey)
    .where(eq(apiKeys.orgId, orgId))
    .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id))
}

/** Revokes a key permanently, by id or prefix. Does nothing for a revoked key. Throws 404. */
export async function revokeApiKey(deps: Deps, orgId: string, idOrPrefix: string): Promise<void> {
  await deps.database.write(orgId, async (tx) => {
    const isTheKey = and(
      eq(apiKeys.orgId, orgId),
      or(eq(apiKeys.id, idOrPrefix), eq(apiKeys.prefix, idOrPrefix)),
    )
    const found = await tx.select({ id: apiKeys.id }).from(apiKeys).where(isTheKey)
    if (found.length === 0) throw notFound('API key')
    let isChanged = false
    for (const { id } of found) isChanged = (await markRevoked(deps, tx, { orgId, id })) || isChanged
    if (isChanged) recordWorkspaceChange(deps, tx, orgId)
  })
  forgetCachedKeys(deps)
}

/** False for a key that is revoked already. The caller forgets the cached keys after its unit. */
export async function markRevoked(
  deps: Deps,
  tx: Transaction,
  { orgId, id }: { orgId: string; id: string },
): Promise<boolean> {
  const revoked = await tx
    .update(apiKeys)
    .set({ revokedAt: deps.clock.now() })
    .where(and(matches(apiKeys, { orgId, id }), isNull(apiKeys.revokedAt)))
    .returning({ name: apiKeys.name })
  for (const { name } of revoked) {
    await recordAudit(deps, tx, orgId, { action: 'api_key.revoked', subject: { id, label: name } })
  }
  return revoked.length > 0
}

/** For a widget that has another name now. The caller forgets the cached keys after its unit. */
export async function renameKey(
  tx: Transaction,
  { orgId, id, name }: { orgId: string; id: string; name: string },
): Promise<void> {
  await tx.update(apiKeys).set({ name }).where(matches(apiKeys, { orgId, id }))
}

export function forgetCachedKeys(deps: Deps): void {
  clear(cacheOf(deps))
}

/** Finds a key by the token that was sent, unless it is unknown, revoked or expired. */
export async function findValidKey(deps: Deps, token: string): Promise<ApiKey | undefined> {
  const hash = hashToken(token)
  const { keys } = cacheOf(deps)
  const key = keys.get(hash) ?? (await readAndCache(deps, keys, hash))
  if (!key || key.revokedAt !== null) return undefined
  if (key.expiresAt !== null && key.expiresAt <= deps.clock.now()) return undefined
  return key
}

function requireScopes({ kind, scopes }: NewApiKey): KeyScope[] | null {
  if (scopes === undefined) return null
  const isKnown = scopes.length > 0 && scopes.every((scope) => KEY_SCOPES.includes(scope))
  if (isKnown && kind === 'secret') return [...new Set(scopes)]
  const detail =
    kind === 'public' ? "A public key can't have scopes." : `Must be some of: ${KEY_SCOPES.join(', ')}.`
  throw invalid([{ pointer: '/scopes', code: 'not_allowed', detail }])
}

function requireRateLimit(limit: number | undefined): number | null {
  if (limit === undefined) return null
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_RATE_LIMIT) return limit
  const detail = `Must be a whole number from 1 to ${MAX_RATE_LIMIT}.`
  throw invalid([{ pointer: '/rateLimit', code: 'not_whole_number', detail }])
}

function requireFuture(time: number | undefined, now: number): number | null {
  if (time === undefined) return null
  if (time > now) return time
  throw invalid([{ pointer: '/expiresAt', code: 'in_the_past', detail: 'Must be in the future.' }])
}

// Every request looks up a key, and keys rarely change. Rows are cached until a verb here or another process changes
// something. A lookup that was running at that moment fills the discarded map.

const caches = new WeakMap<Database, { keys: Map<string, ApiKey> }>()

function cacheOf(deps: Deps): { keys: Map<string, ApiKey> } {
  const known = caches.get(deps.database)
  if (known && known.keys.size < MAX_CACHED) return known
  if (known) return clear(known)
  const cache = { keys: new Map<string, ApiKey>() }
  caches.set(deps.database, cache)
  deps.externalCommits.listen(() => clear(cache), [apiKeys, agents])
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

const SAVE_EVERY_MS = 10_000

/** Collects when keys were last used and saves it periodically, so that a read doesn't cost a write. */
export function createLastUsed(deps: Deps) {
  const unsaved = new Map<string, number>()
  let cancelTimer: (() => void) | undefined
  let isStopped = false

  async function save(): Promise<void> {
    cancelTimer?.()
    cancelTimer = undefined
    if (unsaved.size === 0) return
    // In the order in which every node locks them.
    const times = [...unsaved].sort(([a], [b]) => (a < b ? -1 : 1))
    await deps.database.write(undefined, async (tx) => {
      writeQuietly()
      for (const [id, lastUsedAt] of times) {
        // Another node may have saved a later time.
        const isLater = or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, lastUsedAt))
        await tx
          .update(apiKeys)
          .set({ lastUsedAt })
          .where(and(eq(apiKeys.id, id), isLater))
      }
    })
    // After the write, so that a failed one is retried. A key used since then has a newer time and stays.
    for (const [id, time] of times) if (unsaved.get(id) === time) unsaved.delete(id)
  }

  function startTimer(): void {
    cancelTimer ??= deps.clock.after(SAVE_EVERY_MS, () => void tryToSave())
  }

  async function tryToSave(): Promise<void> {
    try {
      await save()
    } catch (error) {
      deps.log.warn('last_used_not_saved', { error })
      if (!isStopped) startTimer()
    }
  }

  return {
    record(keyId: string): void {
      unsaved.set(keyId, deps.clock.now())
      startTimer()
    },
    /** Saves what hasn't been saved yet, if it can. */
    stop(): Promise<void> {
      isStopped = true
      return tryToSave()
    },
  }
}
