import { and, eq, ne } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { agentLinks, sessions } from '../database/tables/sessions.ts'

interface OfAgent {
  orgId: string
  agentId: string
}

/** Ends an agent's sessions, optionally all but one. Returns how many. */
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

/** Deletes the links with which an agent could set a password. */
export async function endLinks(tx: Transaction, { orgId, agentId }: OfAgent): Promise<void> {
  await tx.delete(agentLinks).where(and(eq(agentLinks.orgId, orgId), eq(agentLinks.agentId, agentId)))
}
