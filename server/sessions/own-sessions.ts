import { and, desc, eq, gt } from 'drizzle-orm'
import { endSessions } from '../agents/access.ts'
import { recordAudit } from '../audit/audit.ts'
import { sessions } from '../database/tables/sessions.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { isId } from '../ids.ts'
import { deviceName } from './device.ts'
import type { SignedIn } from './sessions.ts'

export type BrowserSession = Pick<
  typeof sessions.$inferSelect,
  'id' | 'device' | 'address' | 'createdAt' | 'lastSeenAt'
>

/** The browsers where an agent is signed in, most recently used first. */
export function listSessions(deps: Deps, { orgId, agentId }: SignedIn): Promise<BrowserSession[]> {
  const { id, device, address, createdAt, lastSeenAt } = sessions
  return deps.database.read
    .select({ id, device, address, createdAt, lastSeenAt })
    .from(sessions)
    .where(
      and(eq(sessions.orgId, orgId), eq(sessions.agentId, agentId), gt(sessions.expiresAt, deps.clock.now())),
    )
    .orderBy(desc(sessions.lastSeenAt), desc(sessions.id))
}

/** Ends one of the agent's sessions. Throws 404. */
export async function revokeSession(deps: Deps, me: SignedIn, id: string): Promise<void> {
  if (!isId('ses', id)) throw notFound('session')
  await deps.database.write(async (tx) => {
    const [ended] = await tx
      .delete(sessions)
      .where(and(eq(sessions.orgId, me.orgId), eq(sessions.agentId, me.agentId), eq(sessions.id, id)))
      .returning({ device: sessions.device })
    if (!ended) throw notFound('session')
    const subject = { id, label: deviceName(ended.device) }
    await recordAudit(deps, tx, me.orgId, { action: 'session.revoked', subject })
  })
}

/** Ends the agent's other sessions. Returns how many. */
export function revokeOtherSessions(deps: Deps, me: SignedIn): Promise<number> {
  return deps.database.write(async (tx) => {
    const ended = await endSessions(tx, me, me.sessionId)
    if (ended === 0) return 0
    await recordAudit(deps, tx, me.orgId, {
      action: 'session.others_revoked',
      subject: { id: me.agentId, label: me.email },
      detail: { ended },
    })
    return ended
  })
}
