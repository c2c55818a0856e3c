import { and, eq } from 'drizzle-orm'
import { recordAudit } from '../audit/audit.ts'
import type { Transaction } from '../database/database.ts'
import { type AgentRole, agents } from '../database/tables/agents.ts'
import type { Deps } from '../deps.ts'
import { recordWorkspaceChange } from '../events/events.ts'
import { requireName } from '../organizations/organizations.ts'
import { type Agent, lockAgent, lockEnabledAdmins, requireOtherAdmin } from './agents.ts'

interface AgentChange {
  name?: string
  role?: AgentRole
}

/** Changes the given fields. Throws 404, 400 for an invalid name, and 409 for the last administrator. */
export function changeAgent(
  deps: Deps,
  orgId: string,
  { id, change }: { id: string; change: AgentChange },
): Promise<Agent> {
  const name = change.name === undefined ? undefined : requireName(change.name)
  return deps.database.write(async (tx) => {
    const admins = change.role === undefined ? [] : await lockEnabledAdmins(tx, orgId)
    const before = await lockAgent(tx, orgId, id)
    const after = { ...before, name: name ?? before.name, role: change.role ?? before.role }
    if (after.name === before.name && after.role === before.role) return before
    if (after.role !== 'admin') requireOtherAdmin(admins, before)
    const { role } = after
    await tx
      .update(agents)
      .set({ name: after.name, role })
      .where(and(eq(agents.orgId, orgId), eq(agents.id, id)))
    await auditChanges(deps, tx, before, after)
    await recordWorkspaceChange(deps, tx, orgId)
    return after
  })
}

/** Restores a disabled agent's access, by id or email. Their former tickets stay unassigned. Throws 404. */
export function enableAgent(deps: Deps, orgId: string, idOrEmail: string): Promise<Agent> {
  return deps.database.write(async (tx) => {
    const agent = await lockAgent(tx, orgId, idOrEmail)
    if (agent.disabledAt === null) return agent
    const { id, email } = agent
    await tx
      .update(agents)
      .set({ disabledAt: null })
      .where(and(eq(agents.orgId, orgId), eq(agents.id, id)))
    await recordAudit(deps, tx, orgId, { action: 'agent.enabled', subject: { id, label: email } })
    await recordWorkspaceChange(deps, tx, orgId)
    return { ...agent, disabledAt: null }
  })
}

async function auditChanges(deps: Deps, tx: Transaction, before: Agent, after: Agent): Promise<void> {
  const { orgId, id, email } = before
  const subject = { id, label: email }
  if (after.name !== before.name) {
    const detail = { from: before.name, to: after.name }
    await recordAudit(deps, tx, orgId, { action: 'agent.renamed', subject, detail })
  }
  if (after.role !== before.role) {
    const detail = { from: before.role, to: after.role }
    await recordAudit(deps, tx, orgId, { action: 'agent.role_changed', subject, detail })
  }
}
