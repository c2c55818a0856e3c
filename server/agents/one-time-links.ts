import { recordAudit } from '../audit/audit.ts'
import type { Transaction } from '../database/database.ts'
import { agentLinks, type LinkPurpose } from '../database/tables/sessions.ts'
import type { Deps } from '../deps.ts'
import { hashToken, newToken } from '../encryption.ts'
import { AppError } from '../errors.ts'
import { recordWorkspaceChange } from '../events/events.ts'
import {
  type Agent,
  endLinks,
  endSessions,
  insertAgent,
  lockAgent,
  type NewAgent,
  prepareAgent,
  requirePerson,
} from './agents.ts'

const HOUR_MS = 3_600_000
const LASTS_MS = { invitation: 7 * 24 * HOUR_MS, reset: 24 * HOUR_MS } satisfies Record<LinkPurpose, number>

/** Lets its holder set a password once. The token is returned only here; the database keeps its SHA-256. */
export interface OneTimeLink {
  token: string
  purpose: LinkPurpose
  expiresAt: number
}

/** Creates an agent who can sign in after accepting the link. Throws 400, and 409 for an email in use. */
export async function inviteAgent(
  deps: Deps,
  orgId: string,
  input: Omit<NewAgent, 'password'>,
): Promise<{ agent: Agent; link: OneTimeLink }> {
  const prepared = await prepareAgent(deps, orgId, input)
  const { agent } = prepared
  const link = newLink(deps, agent)
  await deps.database.write(orgId, async (tx) => {
    await insertAgent(tx, prepared)
    await insertLink(deps, tx, agent, link)
    await recordAudit(deps, tx, orgId, {
      action: 'agent.invited',
      subject: { id: agent.id, label: agent.email },
      detail: { role: agent.role },
    })
    recordWorkspaceChange(deps, tx, orgId)
  })
  return { agent, link }
}

/**
 * Creates a new link for an agent, by id or email, and cancels the previous one. For an agent with a password it is a
 * reset and ends their sessions. Throws 404, and 409 for a disabled agent and for a program.
 */
export function createLink(deps: Deps, orgId: string, idOrEmail: string): Promise<OneTimeLink> {
  const token = newToken(deps)
  return deps.database.write(orgId, async (tx) => {
    const agent = await lockAgent(tx, orgId, idOrEmail)
    requirePerson(agent)
    if (agent.disabledAt !== null) {
      throw new AppError(409, 'agent_disabled', 'This agent is disabled. Enable them first.')
    }
    const link = newLink(deps, agent, token)
    const { id, email } = agent
    if (link.purpose === 'reset') await endSessions(tx, { orgId, agentId: id })
    await endLinks(tx, { orgId, agentId: id })
    await insertLink(deps, tx, agent, link)
    await recordAudit(deps, tx, orgId, {
      action: 'agent.link_made',
      subject: { id, label: email },
      detail: { purpose: link.purpose },
    })
    return link
  })
}

function newLink(deps: Deps, { canSignIn }: Agent, token = newToken(deps)): OneTimeLink {
  const purpose = canSignIn ? 'reset' : 'invitation'
  return { token, purpose, expiresAt: deps.clock.now() + LASTS_MS[purpose] }
}

async function insertLink(deps: Deps, tx: Transaction, agent: Agent, link: OneTimeLink): Promise<void> {
  const { token, purpose, expiresAt } = link
  await tx.insert(agentLinks).values({
    id: deps.newId('lnk'),
    orgId: agent.orgId,
    agentId: agent.id,
    purpose,
    hash: hashToken(token),
    createdAt: deps.clock.now(),
    expiresAt,
  })
}
