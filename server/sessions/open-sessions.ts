import { and, eq, gt, inArray, isNull } from 'drizzle-orm'
import { agents } from '../database/tables/agents.ts'
import { sessions } from '../database/tables/sessions.ts'
import type { Deps } from '../deps.ts'

const IDS_AT_ONCE = 500

/** Which of these sessions have not ended, and belong to agents who are not disabled. */
export async function openSessions(deps: Deps, ids: string[]): Promise<Set<string>> {
  const open = new Set<string>()
  for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
    const found = await deps.database.read
      .select({ id: sessions.id })
      .from(sessions)
      .innerJoin(agents, and(eq(agents.orgId, sessions.orgId), eq(agents.id, sessions.agentId)))
      .where(
        and(
          inArray(sessions.id, ids.slice(start, start + IDS_AT_ONCE)),
          gt(sessions.expiresAt, deps.clock.now()),
          isNull(agents.disabledAt),
        ),
      )
    for (const { id } of found) open.add(id)
  }
  return open
}
