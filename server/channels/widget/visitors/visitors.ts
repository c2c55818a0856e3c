import { eq, sql } from 'drizzle-orm'
import type { Database, Reader, Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { statement, text } from '../../../database/statement.ts'
import { blockedAddresses, visitors } from '../../../database/tables/widgets.ts'
import type { Deps } from '../../../deps.ts'
import { hashToken } from '../../../encryption.ts'
import { AppError } from '../../../errors.ts'

const TOKEN_PREFIX = 'bellhop_vt_'
const TOKEN_RANDOM_BYTES = 30
const DAY_MS = 86_400_000
/** How long a token is valid after it was last renewed. */
export const TOKEN_LIFETIME_MS = 90 * DAY_MS
/** More visitors than can be connected at once. With more, the cache starts over. */
const MAX_CACHED = 20_000
/** A message to other nodes has at most 7,000 bytes. */
const TOLD_AT_ONCE = 50

export type Visitor = typeof visitors.$inferSelect

/** A visitor whose token was found. */
export type SignedInVisitor = Visitor & { tokenHash: string }

/** The token is returned once; the database keeps its SHA-256. */
export function newVisitorToken(deps: Deps): { token: string; hash: string } {
  const token = TOKEN_PREFIX + Buffer.from(deps.randomBytes(TOKEN_RANDOM_BYTES)).toString('base64url')
  return { token, hash: hashToken(token) }
}

/** Finds the visitor of a valid token, whatever the widget. Cached, because every request of a page needs it. */
export async function findVisitorByToken(deps: Deps, token: string): Promise<SignedInVisitor | undefined> {
  return token.startsWith(TOKEN_PREFIX) ? findVisitorByHash(deps, hashToken(token)) : undefined
}

/** The same visitor, found by the hash of the token. */
export async function findVisitorByHash(deps: Deps, tokenHash: string): Promise<SignedInVisitor | undefined> {
  const cache = cacheOf(deps)
  const visitor = cache.visitors.get(tokenHash) ?? (await readAndCache(deps, cache, tokenHash))
  return visitor && visitor.tokenExpiresAt > deps.clock.now() ? visitor : undefined
}

/** Whether an agent has blocked the visitor, or their address. */
export async function isBlocked(deps: Deps, visitor: Visitor, address: string): Promise<boolean> {
  return visitor.blockedAt !== null || isAddressBlocked(deps, visitor.orgId, address)
}

export async function isAddressBlocked(deps: Deps, orgId: string, address: string): Promise<boolean> {
  const cache = cacheOf(deps)
  const { version } = cache
  const known = cache.blocked.get(orgId)
  if (known) return known.has(address)
  const rows = await blockedOf(deps.database.read, { orgId })
  const blocked = new Set(rows.map((row) => row.address))
  if (cache.version === version) cache.blocked.set(orgId, blocked)
  return blocked.has(address)
}

/** Who may be signed out or blocked now: visitors by the hashes of their tokens, everyone of an organization, or anyone. */
type ChangedVisitors = string[] | { orgId: string } | 'anyone'

/** Calls back after sessions have ended, and after visitors or addresses were blocked, by any process. */
export function onVisitorsChanged(deps: Deps, call: (changed: ChangedVisitors) => void): () => void {
  const { listeners } = cacheOf(deps)
  listeners.add(call)
  return () => listeners.delete(call)
}

/**
 * Call this every minute. Most open pages make no requests, and visitors who were deleted with their customer are
 * refused from then on.
 */
export function forgetCachedVisitors(deps: Deps): void {
  clear(cacheOf(deps))
}

/** Call it after the rows of some visitors have changed, with the tokens that they had. Other nodes forget them, too. */
export function forgetVisitors(deps: Deps, tokenHashes: (string | null)[]): void {
  const changed = tokenHashes.flatMap((hash) => hash ?? [])
  forget(cacheOf(deps), changed)
  tellOthers(deps, 'forget', changed)
}

/** The same for a change that other nodes learn a minute later: that of when they were last seen. */
export function forgetVisitorsHere(deps: Deps, tokenHashes: string[]): void {
  forget(cacheOf(deps), tokenHashes)
}

/** Call it after sessions have ended, or visitors or addresses were blocked: their streams end on all nodes. */
export function recheckVisitors(deps: Deps, changed: ChangedVisitors): void {
  recheck(cacheOf(deps), changed)
  tellOthers(deps, 'recheck', changed)
}

/** Locks the row of a visitor, so that what they send at the same time is stored in turn. Throws 401. */
export async function lockVisitor(tx: Transaction, me: SignedInVisitor): Promise<Visitor> {
  const [visitor] = await lock(tx, { orgId: me.orgId, id: me.id })
  if (visitor?.tokenHash !== me.tokenHash) throw invalidVisitor()
  return visitor
}

export function invalidVisitor(): AppError {
  const detail = 'This visitor is unknown or signed out. Start a new session.'
  return new AppError(401, 'invalid_visitor', detail, {
    headers: { 'www-authenticate': 'Bearer realm="Bellhop widget"' },
  })
}

export function visitorBlocked(): AppError {
  return new AppError(403, 'visitor_blocked', "You can't write here anymore.")
}

interface Cache {
  visitors: Map<string, SignedInVisitor>
  /** Blocked addresses by organization. */
  blocked: Map<string, Set<string>>
  /** Changes when an entry is removed. The result of a lookup that was running then is not cached. */
  version: number
  listeners: Set<(changed: ChangedVisitors) => void>
}

const caches = new WeakMap<Database, Cache>()

function cacheOf(deps: Deps): Cache {
  const known = caches.get(deps.database)
  if (known) return known
  const cache: Cache = { visitors: new Map(), blocked: new Map(), version: 0, listeners: new Set() }
  caches.set(deps.database, cache)
  deps.cluster.bus.on('visitors', (text) => {
    const { what, changed }: Told = JSON.parse(text)
    if (what === 'forget' && Array.isArray(changed)) forget(cache, changed)
    else recheck(cache, changed)
  })
  // Nodes say whom they have changed, because visitors change all the time.
  deps.externalCommits.listen(() => recheck(cache, 'anyone'), [])
  return cache
}

/** What another node has changed. */
interface Told {
  what: 'forget' | 'recheck'
  changed: ChangedVisitors
}

function tellOthers(deps: Deps, what: Told['what'], changed: ChangedVisitors): void {
  const tell = (some: ChangedVisitors) =>
    deps.cluster.bus.send('visitors', JSON.stringify({ what, changed: some } satisfies Told))
  if (!Array.isArray(changed)) tell(changed)
  else for (let at = 0; at < changed.length; at += TOLD_AT_ONCE) tell(changed.slice(at, at + TOLD_AT_ONCE))
}

function forget(cache: Cache, tokenHashes: string[]): void {
  cache.version += 1
  for (const hash of tokenHashes) cache.visitors.delete(hash)
}

function recheck(cache: Cache, changed: ChangedVisitors): void {
  if (changed === 'anyone') clear(cache)
  else if (Array.isArray(changed)) forget(cache, changed)
  else {
    cache.version += 1
    cache.blocked.delete(changed.orgId)
  }
  for (const call of cache.listeners) call(changed)
}

function clear(cache: Cache): void {
  cache.version += 1
  cache.visitors.clear()
  cache.blocked.clear()
}

async function readAndCache(
  deps: Deps,
  cache: Cache,
  tokenHash: string,
): Promise<SignedInVisitor | undefined> {
  const { version } = cache
  const [found] = await byToken(deps.database.read, { tokenHash })
  if (!found) return undefined
  const visitor = { ...found, tokenHash }
  if (cache.visitors.size >= MAX_CACHED) cache.visitors.clear()
  if (cache.version === version) cache.visitors.set(tokenHash, visitor)
  return visitor
}

const byToken = statement('visitors_by_token', { tokenHash: text }, (read: Reader, p) =>
  read.select().from(visitors).where(eq(visitors.tokenHash, p.tokenHash)),
)

const lock = statement('visitors_lock', { orgId: text, id: text }, (tx, p) =>
  tx
    .update(visitors)
    .set({ lastSeenAt: sql`${visitors.lastSeenAt}` })
    .where(matches(visitors, { orgId: p.orgId, id: p.id }))
    .returning(),
)

const blockedOf = statement('visitors_blocked_addresses', { orgId: text }, (read: Reader, p) =>
  read
    .select({ address: blockedAddresses.address })
    .from(blockedAddresses)
    .where(eq(blockedAddresses.orgId, p.orgId)),
)
