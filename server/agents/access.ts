import { and, eq, ne } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { agentLinks, sessions } from '../database/tables/sessions.ts'

interface OfAgent {
  orgId: string
  agentId: string
}

/** Ends the sessions of an agent, all or all but one; answers how many. */
export async function endSessions(
  tx: Transaction,
  { orgId, agentId }: OfAgent,
  exceptId?: string,
): Promise<number> {
  const isOther = exceptId === undefined ? undefined : ne(sessions.id, exceptId)
  const ended = await tx
    .delete(sessions)
    .where(and(eq(sessions.orgId, orgId), eq(sessions.agentId, agentId), isOther))
    .returning({ id: sessions.id })
  return ended.length
}

/** Links by which an agent could choose a password are dead from now on. */
export async function endLinks(tx: Transaction, { orgId, agentId }: OfAgent): Promise<void> {
  await tx.delete(agentLinks).where(and(eq(agentLinks.orgId, orgId), eq(agentLinks.agentId, agentId)))
}
