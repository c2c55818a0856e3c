import { and, eq } from 'drizzle-orm'
import { recordAudit } from '../audit/audit.ts'
import { agents } from '../database/tables/agents.ts'
import type { Deps } from '../deps.ts'
import { recordWorkspaceChange } from '../events/workspace-changed.ts'
import { lockAgent } from './agent-rows.ts'
import type { Agent } from './agents.ts'

/** Gives a disabled agent access again, by id or address. Tickets they had stay unassigned. Throws 404. */
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
