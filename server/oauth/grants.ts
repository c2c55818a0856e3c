import { and, desc, eq, gt, inArray, lte, sql } from 'drizzle-orm'
import { recordAudit } from '../audit/audit.ts'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { integer, statement } from '../database/statement.ts'
import { agents } from '../database/tables/agents.ts'
import { grantTokens, programGrants } from '../database/tables/sessions.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { recordWorkspaceChange } from '../events/events.ts'
import { startPruning } from '../jobs/pruning.ts'
import type { Loop } from '../loop.ts'
import type { SignedIn } from '../sessions/sessions.ts'
import type { Authorization } from './authorization.ts'
import { CODE_MS, issueToken } from './issue-token.ts'
import { redirectHost } from './redirects.ts'

/** Of an agent. With more, the one that wasn't used for longest ends. */
const MAX_GRANTS = 50
const PRUNE_EVERY_MS = 600_000
const PRUNE_SLICE = 500
/** Stands for the agent's own machine. */
const LOOPBACK_HOST = 'localhost'

type ProgramGrant = typeof programGrants.$inferSelect

/** Who ended it: the agent, an administrator, the program itself, or its second use of a code or a refresh token. */
type EndedBy = 'agent' | 'admin' | 'program' | 'reuse' | 'limit'

/** Lets a program act for the agent. Returns the code with which it gets its tokens. */
export async function connectProgram(
  deps: Deps,
  { orgId, agentId }: Pick<SignedIn, 'orgId' | 'agentId'>,
  { client, redirectUri, challenge, scopes }: Authorization,
): Promise<string> {
  const now = deps.clock.now()
  const grant: ProgramGrant = {
    id: deps.newId('grt'),
    orgId,
    agentId,
    clientId: client.id,
    clientName: client.name,
    clientHost: client.host ?? redirectHost(redirectUri) ?? LOOPBACK_HOST,
    scopes,
    createdAt: now,
    lastUsedAt: null,
    // Until the program has its tokens.
    expiresAt: now + CODE_MS,
  }
  return deps.database.write(orgId, async (tx) => {
    await endOldest(deps, tx, { orgId, agentId })
    await tx.insert(programGrants).values(grant)
    const code = await issueToken(deps, tx, grant, { kind: 'code', terms: { redirectUri, challenge } })
    await recordAudit(deps, tx, orgId, {
      action: 'program.connected',
      subject: { id: grant.id, label: grant.clientName },
      detail: { host: grant.clientHost, scopes },
    })
    recordWorkspaceChange(deps, tx, orgId)
    return code
  })
}

export interface ListedGrant {
  grant: ProgramGrant
  agentName: string
  role: SignedIn['role']
}

/** The agent's own, and for administrators those of all agents, once their programs have their tokens. Newest first. */
export function listGrants(deps: Deps, { orgId, agentId, role }: SignedIn): Promise<ListedGrant[]> {
  return deps.database.read
    .select({ grant: programGrants, agentName: agents.name, role: agents.role })
    .from(programGrants)
    .innerJoin(agents, matches(agents, { orgId: programGrants.orgId, id: programGrants.agentId }))
    .where(
      and(
        eq(programGrants.orgId, orgId),
        role === 'admin' ? undefined : eq(programGrants.agentId, agentId),
        gt(programGrants.expiresAt, deps.clock.now()),
        // Until its code is redeemed, it lasts no longer than the code.
        sql`${programGrants.expiresAt} > ${programGrants.createdAt} + ${CODE_MS}`,
      ),
    )
    .orderBy(desc(programGrants.createdAt), desc(programGrants.id))
}

/** Ends the access of a program at once: the agent's own, or for administrators anyone's. Throws 404. */
export async function disconnectProgram(
  deps: Deps,
  { orgId, agentId, role }: SignedIn,
  id: string,
): Promise<void> {
  await deps.database.write(orgId, async (tx) => {
    const grant = await lockGrant(tx, { orgId, id })
    const isOwn = grant?.agentId === agentId
    if (!grant || !(isOwn || role === 'admin')) throw notFound('connected program')
    await endGrant(deps, tx, grant, isOwn ? 'agent' : 'admin')
  })
}

/** Locks a grant before its tokens are used or deleted. Undefined when it has ended. */
export async function lockGrant(
  tx: Transaction,
  { orgId, id }: Pick<ProgramGrant, 'orgId' | 'id'>,
): Promise<ProgramGrant | undefined> {
  const [grant] = await tx
    .update(programGrants)
    .set({ expiresAt: sql`${programGrants.expiresAt}` })
    .where(matches(programGrants, { orgId, id }))
    .returning()
  return grant
}

/** Deletes a locked grant with its tokens. */
export async function endGrant(
  deps: Deps,
  tx: Transaction,
  { orgId, id, clientName, clientHost }: Pick<ProgramGrant, 'orgId' | 'id' | 'clientName' | 'clientHost'>,
  by: EndedBy,
): Promise<void> {
  await tx.delete(grantTokens).where(matches(grantTokens, { orgId, grantId: id }))
  await tx.delete(programGrants).where(matches(programGrants, { orgId, id }))
  await recordAudit(deps, tx, orgId, {
    action: 'program.disconnected',
    subject: { id, label: clientName },
    detail: { by, host: clientHost },
  })
  recordWorkspaceChange(deps, tx, orgId)
}

/** Makes room for one more. */
async function endOldest(
  deps: Deps,
  tx: Transaction,
  { orgId, agentId }: Pick<ProgramGrant, 'orgId' | 'agentId'>,
): Promise<void> {
  const extra = await tx
    .select({ id: programGrants.id })
    .from(programGrants)
    .where(matches(programGrants, { orgId, agentId }))
    .orderBy(desc(sql`coalesce(${programGrants.lastUsedAt}, ${programGrants.createdAt})`))
    .offset(MAX_GRANTS - 1)
    .limit(MAX_GRANTS)
  for (const { id } of extra) {
    const grant = await lockGrant(tx, { orgId, id })
    if (grant) await endGrant(deps, tx, grant, 'limit')
  }
}

/** Periodically deletes what has expired, of all organizations. */
export function startPruningGrants(deps: Deps): Loop {
  return startPruning(deps, 'prune_grants', { everyMs: PRUNE_EVERY_MS, slice: () => pruneSlice(deps) })
}

/** Returns whether more may be left. */
async function pruneSlice({ database, clock }: Deps): Promise<boolean> {
  const now = clock.now()
  const [tokens, grants] = await Promise.all([
    expiredTokens(database.read, { now }),
    expiredGrants(database.read, { now }),
  ])
  if (tokens.length + grants.length === 0) return false
  // Each in a unit of its own: a request locks the grant first, and then its tokens.
  await database.write(undefined, async (tx) => {
    const hashes = tokens.map(({ hash }) => hash)
    await tx.delete(grantTokens).where(inArray(grantTokens.hash, hashes))
  })
  await database.write(undefined, async (tx) => {
    const ids = grants.map(({ id }) => id)
    // One that was refreshed since the read stays.
    const locked = await tx
      .update(programGrants)
      .set({ expiresAt: sql`${programGrants.expiresAt}` })
      .where(and(inArray(programGrants.id, ids), lte(programGrants.expiresAt, now)))
      .returning({ id: programGrants.id })
    const ended = locked.map(({ id }) => id)
    await tx.delete(grantTokens).where(inArray(grantTokens.grantId, ended))
    await tx.delete(programGrants).where(inArray(programGrants.id, ended))
  })
  return tokens.length === PRUNE_SLICE || grants.length === PRUNE_SLICE
}

const expiredTokens = statement('grant_tokens_expired', { now: integer }, (read: Reader, p) =>
  read
    .select({ hash: grantTokens.hash })
    .from(grantTokens)
    .where(lte(grantTokens.expiresAt, p.now))
    .limit(PRUNE_SLICE),
)

const expiredGrants = statement('program_grants_expired', { now: integer }, (read: Reader, p) =>
  read
    .select({ id: programGrants.id })
    .from(programGrants)
    .where(lte(programGrants.expiresAt, p.now))
    .limit(PRUNE_SLICE),
)
