import { and, eq, gt, inArray, isNull, lte } from 'drizzle-orm'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { command, integer, statement, text } from '../database/statement.ts'
import { type AgentRole, agents } from '../database/tables/agents.ts'
import { organizations } from '../database/tables/organizations.ts'
import { agentLinks, sessions } from '../database/tables/sessions.ts'
import { writeQuietly } from '../database/unit.ts'
import type { Deps } from '../deps.ts'
import { hashToken } from '../encryption.ts'
import { AppError } from '../errors.ts'
import { startPruning } from '../jobs/pruning.ts'
import type { Loop } from '../loop.ts'

const DAY_MS = 86_400_000
/** A session ends after this long without use. */
const IDLE_MS = 14 * DAY_MS
/** A session ends this long after it began, even when used. */
const MAX_MS = 90 * DAY_MS
const MAX_DEVICE_LENGTH = 300
const ID_BATCH_SIZE = 500
const PRUNE_EVERY_MS = 600_000
const PRUNE_SLICE = 500

/** Who is signed in, in which browser. */
export interface SignedIn {
  sessionId: string
  orgId: string
  orgName: string
  agentId: string
  name: string
  email: string
  role: AgentRole
  sendsByEnter: boolean
  createdAt: number
  expiresAt: number
  lastSeenAt: number
}

/** Where a session is used from. */
export interface SeenFrom {
  device: string
  address: string
}

/** Starts a session. Only the cookie holds the token; the database keeps its SHA-256. Returns the session's id. */
export async function startSession(
  deps: Deps,
  tx: Transaction,
  { orgId, agentId, token, device, address }: { orgId: string; agentId: string; token: string } & SeenFrom,
): Promise<string> {
  const now = deps.clock.now()
  const id = deps.newId('ses')
  await seeAgent(tx, { orgId, agentId, now })
  await tx.insert(sessions).values({
    id,
    orgId,
    agentId,
    hash: hashToken(token),
    device: device.slice(0, MAX_DEVICE_LENGTH),
    address,
    createdAt: now,
    lastSeenAt: now,
    expiresAt: now + IDLE_MS,
  })
  return id
}

/** The session of a cookie's token, unless it ended or its agent is disabled. */
export async function findSession(deps: Deps, token: string): Promise<SignedIn | undefined> {
  const [session] = await sessionByHash(deps.database.read, { hash: hashToken(token) })
  return session && session.expiresAt > deps.clock.now() ? session : undefined
}

/** The session of a token. Throws 401 when it has ended. */
export async function requireSignedIn(deps: Deps, token: string): Promise<SignedIn> {
  const session = await findSession(deps, token)
  if (!session) throw signedOut()
  return session
}

export function signedOut(): AppError {
  return new AppError(401, 'signed_out', 'Your session has ended. Sign in again.')
}

/** The cookie went over plain http, where others could read it, so it doesn't count on https. */
export function movedToHttps(): AppError {
  return new AppError(401, 'moved_to_https', 'Bellhop now uses https. Sign in again.')
}

/** Signs out. Does nothing for a session that has already ended. */
export async function endSession(deps: Deps, token: string): Promise<void> {
  const session = await findSession(deps, token)
  if (!session) return
  const { orgId, sessionId } = session
  await deps.database.write(orgId, async (tx) => {
    await tx.delete(sessions).where(matches(sessions, { orgId, id: sessionId }))
  })
}

/** Returns which of the sessions are still open and belong to enabled agents. */
export async function openSessions(deps: Deps, ids: string[]): Promise<Set<string>> {
  const open = new Set<string>()
  for (let start = 0; start < ids.length; start += ID_BATCH_SIZE) {
    const found = await deps.database.read
      .select({ id: sessions.id })
      .from(sessions)
      .innerJoin(agents, matches(agents, { orgId: sessions.orgId, id: sessions.agentId }))
      .where(
        and(
          inArray(sessions.id, ids.slice(start, start + ID_BATCH_SIZE)),
          gt(sessions.expiresAt, deps.clock.now()),
          isNull(agents.disabledAt),
        ),
      )
    for (const { id } of found) open.add(id)
  }
  return open
}

/** Extends a session in use: updates `lastSeenAt` and `expiresAt`. */
export async function extendSession(deps: Deps, session: SignedIn): Promise<SignedIn> {
  const { sessionId, orgId, agentId, createdAt } = session
  const now = deps.clock.now()
  const expiresAt = Math.min(now + IDLE_MS, createdAt + MAX_MS)
  await deps.database.write(orgId, async (tx) => {
    writeQuietly()
    await seeAgent(tx, { orgId, agentId, now })
    await tx
      .update(sessions)
      .set({ lastSeenAt: now, expiresAt })
      .where(and(matches(sessions, { orgId, id: sessionId }), gt(sessions.expiresAt, now)))
  })
  return { ...session, lastSeenAt: now, expiresAt }
}

/** Periodically deletes expired sessions and links of all organizations. */
export function startPruningSessions(deps: Deps): Loop {
  return startPruning(deps, 'prune_sessions', { everyMs: PRUNE_EVERY_MS, slice: () => pruneSlice(deps) })
}

/** Returns whether more may be left. Reads first, because there is rarely anything to delete. */
async function pruneSlice({ database, clock }: Deps): Promise<boolean> {
  const now = clock.now()
  const { read } = database
  const [ended, over] = await Promise.all([
    read.select({ id: sessions.id }).from(sessions).where(lte(sessions.expiresAt, now)).limit(PRUNE_SLICE),
    read
      .select({ id: agentLinks.id })
      .from(agentLinks)
      .where(lte(agentLinks.expiresAt, now))
      .limit(PRUNE_SLICE),
  ])
  if (ended.length + over.length === 0) return false
  await database.write(undefined, async (tx) => {
    // A session extended since the read stays.
    await tx.delete(sessions).where(and(inArray(sessions.id, idsOf(ended)), lte(sessions.expiresAt, now)))
    await tx.delete(agentLinks).where(inArray(agentLinks.id, idsOf(over)))
  })
  return ended.length === PRUNE_SLICE || over.length === PRUNE_SLICE
}

function idsOf(rows: { id: string }[]): string[] {
  return rows.map(({ id }) => id)
}

const seeAgent = command('agents_see', { orgId: text, agentId: text, now: integer }, (tx, p) =>
  tx
    .update(agents)
    .set({ lastSeenAt: p.now })
    .where(matches(agents, { orgId: p.orgId, id: p.agentId })),
)

const sessionByHash = statement('sessions_by_hash', { hash: text }, (read: Reader, p) =>
  read
    .select({
      sessionId: sessions.id,
      orgId: sessions.orgId,
      orgName: organizations.name,
      agentId: agents.id,
      name: agents.name,
      email: agents.email,
      role: agents.role,
      sendsByEnter: agents.sendsByEnter,
      createdAt: sessions.createdAt,
      expiresAt: sessions.expiresAt,
      lastSeenAt: sessions.lastSeenAt,
    })
    .from(sessions)
    .innerJoin(agents, matches(agents, { orgId: sessions.orgId, id: sessions.agentId }))
    .innerJoin(organizations, eq(organizations.id, sessions.orgId))
    .where(and(eq(sessions.hash, p.hash), isNull(agents.disabledAt))),
)
