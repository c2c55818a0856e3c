import { recordAudit } from '../audit/audit.ts'
import type { Transaction } from '../database/database.ts'
import { agentLinks, type LinkPurpose } from '../database/tables/sessions.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { recordWorkspaceChange } from '../events/workspace-changed.ts'
import { hashToken, newToken } from '../token.ts'
import { endLinks, endSessions } from './access.ts'
import { lockAgent } from './agent-rows.ts'
import { type Agent, insertAgent, type NewAgent, prepareAgent } from './agents.ts'

const HOUR_MS = 3_600_000
const LASTS_MS = { invitation: 7 * 24 * HOUR_MS, reset: 24 * HOUR_MS } satisfies Record<LinkPurpose, number>

/** By `token` somebody chooses a password, once. It is shown here and only its SHA-256 is kept. */
export interface OneTimeLink {
  token: string
  purpose: LinkPurpose
  expiresAt: number
}

/** A new agent, who cannot sign in before they have used the link. Throws 400, and 409 for an address that is taken. */
export async function inviteAgent(
  deps: Deps,
  orgId: string,
  input: Omit<NewAgent, 'password'>,
): Promise<{ agent: Agent; link: OneTimeLink }> {
  const prepared = await prepareAgent(deps, orgId, input)
  const { agent } = prepared
  const link = newLink(deps, agent)
  await deps.database.write(async (tx) => {
    await insertAgent(tx, prepared)
    await insertLink(deps, tx, agent, link)
    await recordAudit(deps, tx, orgId, {
      action: 'agent.invited',
      subject: { id: agent.id, label: agent.email },
      detail: { role: agent.role },
    })
    await recordWorkspaceChange(deps, tx, orgId)
  })
  return { agent, link }
}

/**
 * Another link, by id or address of the agent; the one before is dead. For somebody who has a password it is a reset
 * and ends their sessions. Throws 404, and 409 for a disabled agent.
 */
export function makeLink(deps: Deps, orgId: string, idOrEmail: string): Promise<OneTimeLink> {
  const token = newToken(deps)
  return deps.database.write(async (tx) => {
    const agent = await lockAgent(tx, orgId, idOrEmail)
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
