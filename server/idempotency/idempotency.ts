import { and, eq, gt, inArray, lte, or } from 'drizzle-orm'
import type { AlsoSave, Reader, Transaction } from '../database/database.ts'
import { columnsOf, command, integer, statement, text } from '../database/statement.ts'
import { idempotencyKeys } from '../database/tables/api-keys.ts'
import type { Deps } from '../deps.ts'
import { AppError, invalid } from '../errors.ts'
import { startPruning } from '../jobs/pruning.ts'
import type { Loop } from '../loop.ts'

const KEPT_MS = 24 * 60 * 60 * 1000
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255
/** Printable ASCII, as header values can carry it everywhere. */
export const IDEMPOTENCY_KEY_PATTERN = '^[ -~]+$'
const PRINTABLE = new RegExp(IDEMPOTENCY_KEY_PATTERN)
/** Between the owner and the key, as stored. No header can hold it. */
const SEPARATOR = '\n'
const PRUNED_AT_ONCE = 500
const PRUNE_EVERY_MS = 600_000

/** The first answer to a request; a replay returns the same JSON. */
export interface Answer<Body> {
  status: number
  body: Body
  location?: string | null
  etag?: string | null
}

export interface IdempotentRequest {
  orgId: string
  /** The API key, or the agent. Two programs don't know each other's keys. */
  owner: string
  /** The `Idempotency-Key` header. */
  key: string | null
  /** Method, path and body: one key is for one request. */
  method: string
  path: string
  body: unknown
}

interface Change<Made, Body> {
  /** Calls `alsoSave` in its unit, which stores the answer. */
  change(alsoSave: AlsoSave<Made>): Promise<Made>
  asAnswer(made: Made): Answer<Body>
  /** The ticket or upload that the answer shows, and is erased with; empty for none. */
  shows(made: Made): string
}

/**
 * Runs a change at most once for each `Idempotency-Key` of an API key or agent in 24 hours. The answer is stored in the
 * transaction of the change. A second call returns the stored answer (`isReplay`). It throws 422 with another body, and
 * 409 while the first call is still running.
 */
export function createIdempotency(deps: Deps) {
  const running = new Set<string>()

  return async function once<Made, Body>(
    request: IdempotentRequest,
    { change, asAnswer, shows }: Change<Made, Body>,
  ): Promise<Answer<Body> & { isReplay: boolean }> {
    if (request.key === null) return { ...asAnswer(await change(async () => {})), isReplay: false }
    const { orgId, owner } = request
    const given = requireKey(request.key)
    const key = `${owner}${SEPARATOR}${given}`
    const fingerprint = fingerprintOf(request)
    const place = `${orgId} ${key}`
    const isRunning = running.has(place)
    running.add(place)
    try {
      const stored = await storedAnswer(deps, orgId, { key, given })
      if (stored) return replay<Body>(stored, fingerprint)
      if (isRunning) throw stillRunning()
      const made = await change((tx, made) => {
        const { status, body, location = null, etag = null } = asAnswer(made)
        const answer = { status, body: JSON.stringify(body), location, etag }
        return store(deps, tx, { ...answer, orgId, key, ticketId: shows(made), fingerprint })
      })
      return { ...asAnswer(made), isReplay: false }
    } finally {
      if (!isRunning) running.delete(place)
    }
  }
}

/** Deletes answers older than 24 hours every few minutes. */
export function startPruningKeys(deps: Deps): Loop {
  return startPruning(deps, 'prune_idempotency_keys', {
    everyMs: PRUNE_EVERY_MS,
    slice: () => pruneIdempotencyKeys(deps),
  })
}

/** Deletes some answers older than 24 hours. Returns whether there may be more. */
export async function pruneIdempotencyKeys(deps: Deps): Promise<boolean> {
  return deps.database.write(undefined, async (tx) => {
    const until = deps.clock.now() - KEPT_MS
    const old = await tx
      .select({ orgId: idempotencyKeys.orgId, key: idempotencyKeys.key })
      .from(idempotencyKeys)
      .where(lte(idempotencyKeys.createdAt, until))
      .limit(PRUNED_AT_ONCE)
    // On PostgreSQL a key may have been used again since it was found.
    for (const row of old) await deleteExpired(tx, { ...row, until })
    return old.length === PRUNED_AT_ONCE
  })
}

/** Deletes the stored answers that show one of these tickets or a message of one, or one of these uploads. */
export async function eraseAnswers(tx: Transaction, orgId: string, ticketIds: string[]): Promise<void> {
  await tx
    .delete(idempotencyKeys)
    .where(and(eq(idempotencyKeys.orgId, orgId), inArray(idempotencyKeys.ticketId, ticketIds)))
}

function requireKey(key: string): string {
  if (key.length <= MAX_IDEMPOTENCY_KEY_LENGTH && PRINTABLE.test(key)) return key
  const detail = `Must be 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} printable ASCII characters.`
  throw invalid([{ parameter: 'Idempotency-Key', code: 'invalid_idempotency_key', detail }])
}

function fingerprintOf({ method, path, body }: IdempotentRequest): string {
  return new Bun.CryptoHasher('sha256').update(`${method} ${path}\n${canonical(body)}`).digest('hex')
}

/** JSON with its keys sorted: spaces and the order of keys don't matter. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}

function replay<Body>(stored: Stored, fingerprint: string): Answer<Body> & { isReplay: boolean } {
  if (stored.fingerprint !== fingerprint) {
    throw new AppError(
      422,
      'idempotency_mismatch',
      'This Idempotency-Key was used with another request. Use a new key.',
    )
  }
  const { status, location, etag } = stored
  return { status, body: JSON.parse(stored.body), location, etag, isReplay: true }
}

function stillRunning(): AppError {
  return new AppError(
    409,
    'idempotency_in_progress',
    'The first request with this Idempotency-Key is still running. Try again in a moment.',
  )
}

type Stored = {
  fingerprint: string
  status: number
  /** JSON. */
  body: string
  location: string | null
  etag: string | null
}

async function storedAnswer(
  deps: Deps,
  orgId: string,
  { key, given }: { key: string; given: string },
): Promise<Stored | undefined> {
  const since = deps.clock.now() - KEPT_MS
  const [stored] = await findKey(deps.database.read, { orgId, key, given, since })
  return stored
}

/** Replaces an expired row with the same key. One that is not expired means that another process was faster. */
async function store(
  deps: Deps,
  tx: Transaction,
  row: Stored & { orgId: string; key: string; ticketId: string },
): Promise<void> {
  const now = deps.clock.now()
  await deleteExpired(tx, { orgId: row.orgId, key: row.key, until: now - KEPT_MS })
  const saved = await insertKey(tx, { ...row, createdAt: now })
  if (saved.length === 0) throw stillRunning()
}

/** Before, a key was of the whole organization: rows of the last day have it alone. */
const findKey = statement(
  'idempotency_find',
  { orgId: text, key: text, given: text, since: integer },
  (read: Reader, p) =>
    read
      .select({
        fingerprint: idempotencyKeys.fingerprint,
        status: idempotencyKeys.status,
        body: idempotencyKeys.body,
        location: idempotencyKeys.location,
        etag: idempotencyKeys.etag,
      })
      .from(idempotencyKeys)
      .where(
        and(
          eq(idempotencyKeys.orgId, p.orgId),
          or(eq(idempotencyKeys.key, p.key), eq(idempotencyKeys.key, p.given)),
          gt(idempotencyKeys.createdAt, p.since),
        ),
      ),
)

const deleteExpired = command(
  'idempotency_delete_expired',
  { orgId: text, key: text, until: integer },
  (tx, p) =>
    tx
      .delete(idempotencyKeys)
      .where(
        and(
          eq(idempotencyKeys.orgId, p.orgId),
          eq(idempotencyKeys.key, p.key),
          lte(idempotencyKeys.createdAt, p.until),
        ),
      ),
)

const insertKey = statement('idempotency_insert', columnsOf(idempotencyKeys), (tx, p) =>
  tx.insert(idempotencyKeys).values(p).onConflictDoNothing().returning({ key: idempotencyKeys.key }),
)
