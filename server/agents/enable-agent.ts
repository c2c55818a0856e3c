import { and, eq, or } from 'drizzle-orm'
import { agents } from '../database/schema.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'

/**
 * Gives a disabled agent access again, by id or address; answers the id. Tickets they had stay unassigned. Throws 404.
 */
export async function enableAgent(deps: Deps, orgId: string, idOrEmail: string): Promise<string> {
  return deps.database.write(async (tx) => {
    const isTheAgent = or(eq(agents.id, idOrEmail), eq(agents.emailKey, idOrEmail.toLowerCase()))
    const [enabled] = await tx
      .update(agents)
      .set({ disabledAt: null })
      .where(and(eq(agents.orgId, orgId), isTheAgent))
      .returning({ id: agents.id })
    if (!enabled) throw notFound('agent')
    return enabled.id
  })
}
