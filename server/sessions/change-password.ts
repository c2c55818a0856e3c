import { and, eq } from 'drizzle-orm'
import { endLinks, endSessions } from '../agents/access.ts'
import { hashPassword, isPassword } from '../agents/password.ts'
import { recordAudit } from '../audit/audit.ts'
import { agents } from '../database/tables/agents.ts'
import type { Deps } from '../deps.ts'
import { invalid } from '../errors.ts'
import type { SignedIn } from './sessions.ts'

/** Changes the password and ends the agent's other sessions and links. Throws 400 for a wrong current or an invalid new password. */
export async function changePassword(
  deps: Deps,
  me: SignedIn,
  input: { current: string; password: string },
): Promise<void> {
  const { orgId, agentId } = me
  const [agent] = await deps.database.read
    .select({ passwordHash: agents.passwordHash })
    .from(agents)
    .where(and(eq(agents.orgId, orgId), eq(agents.id, agentId)))
  const before = agent?.passwordHash ?? null
  if (before === null || !(await isPassword(deps, input.current, before))) throw wrongPassword()
  const passwordHash = await hashPassword(deps, input.password)
  await deps.database.write(async (tx) => {
    // Fails when the password was changed or reset since it was checked.
    const changed = await tx
      .update(agents)
      .set({ passwordHash })
      .where(and(eq(agents.orgId, orgId), eq(agents.id, agentId), eq(agents.passwordHash, before)))
      .returning({ id: agents.id })
    if (changed.length === 0) throw wrongPassword()
    await endSessions(tx, me, me.sessionId)
    await endLinks(tx, me)
    await recordAudit(deps, tx, orgId, {
      action: 'agent.password_set',
      subject: { id: agentId, label: me.email },
    })
  })
}

function wrongPassword() {
  const detail = "This isn't your current password."
  return invalid([{ pointer: '/current', code: 'wrong_password', detail }])
}
