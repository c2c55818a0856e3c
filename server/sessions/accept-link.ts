import { and, eq, isNull } from 'drizzle-orm'
import { endSessions } from '../agents/agents.ts'
import { hashPassword } from '../agents/password.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { statement, text } from '../database/statement.ts'
import { agents } from '../database/tables/agents.ts'
import { organizations } from '../database/tables/organizations.ts'
import { agentLinks, type LinkPurpose } from '../database/tables/sessions.ts'
import { actingAs, type Deps } from '../deps.ts'
import { hashToken, newToken } from '../encryption.ts'
import { AppError } from '../errors.ts'
import { recordWorkspaceChange } from '../events/events.ts'
import { requireName } from '../organizations/organizations.ts'
import { type SeenFrom, startSession } from './sessions.ts'

export interface Link {
  id: string
  purpose: LinkPurpose
  expiresAt: number
  orgId: string
  orgName: string
  agentId: string
  name: string
  email: string
}

/** Reads a one-time link. Throws 404 when it is unknown, used, replaced or expired, or its agent is disabled. */
export async function readLink(deps: Deps, token: string): Promise<Link> {
  const [link] = await linkByHash(deps.database.read, { hash: hashToken(token) })
  if (!link || link.expiresAt <= deps.clock.now()) throw linkExpired()
  return link
}

interface AcceptedLink {
  token: string
  password: string
  name?: string
  from: SeenFrom
}

/**
 * Sets the agent's password, uses up the link, ends their other sessions and signs them in. Returns the token of the
 * new session. Throws 404 like `readLink`, and 400 for an invalid name or password.
 */
export async function acceptLink(deps: Deps, input: AcceptedLink): Promise<string> {
  const link = await readLink(deps, input.token)
  const name = input.name === undefined ? link.name : requireName(input.name)
  const passwordHash = await hashPassword(deps, input.password)
  const token = newToken(deps)
  const { orgId, agentId } = link
  const actor = { kind: 'agent', id: agentId, name, address: input.from.address } as const
  await deps.database.write(orgId, async (tx) => {
    await setPassword(tx, link, { name, passwordHash })
    await deleteLink(deps, tx, link)
    await endSessions(tx, { orgId, agentId })
    await startSession(deps, tx, { orgId, agentId, token, ...input.from })
    await recordAudit(actingAs(deps, actor), tx, orgId, {
      action: 'agent.password_set',
      subject: { id: agentId, label: link.email },
      detail: { by: link.purpose },
    })
    recordWorkspaceChange(deps, tx, orgId)
  })
  return token
}

async function setPassword(
  tx: Transaction,
  { orgId, agentId }: Link,
  set: { name: string; passwordHash: string },
): Promise<void> {
  const [agent] = await tx
    .update(agents)
    .set(set)
    .where(and(matches(agents, { orgId, id: agentId }), isNull(agents.disabledAt)))
    .returning({ id: agents.id })
  if (!agent) throw linkExpired()
}

/** Deletes the link. Throws 404 when a concurrent request already did. */
async function deleteLink(deps: Deps, tx: Transaction, { id, orgId }: Link): Promise<void> {
  const [used] = await tx
    .delete(agentLinks)
    .where(matches(agentLinks, { orgId, id }))
    .returning({ expiresAt: agentLinks.expiresAt })
  if (!used || used.expiresAt <= deps.clock.now()) throw linkExpired()
}

function linkExpired(): AppError {
  const detail = 'This link has expired, was used, or was replaced. Ask an administrator for a new one.'
  return new AppError(404, 'link_expired', detail)
}

const linkByHash = statement('agent_links_by_hash', { hash: text }, (read: Reader, p) =>
  read
    .select({
      id: agentLinks.id,
      purpose: agentLinks.purpose,
      expiresAt: agentLinks.expiresAt,
      orgId: agentLinks.orgId,
      orgName: organizations.name,
      agentId: agents.id,
      name: agents.name,
      email: agents.email,
    })
    .from(agentLinks)
    .innerJoin(agents, matches(agents, { orgId: agentLinks.orgId, id: agentLinks.agentId }))
    .innerJoin(organizations, eq(organizations.id, agentLinks.orgId))
    .where(and(eq(agentLinks.hash, p.hash), isNull(agents.disabledAt))),
)
