import { and, eq, isNull, or, sql } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { agents } from '../database/tables/agents.ts'
import { AppError, notFound } from '../errors.ts'
import type { Agent } from './agents.ts'

export const agentColumns = {
  id: agents.id,
  orgId: agents.orgId,
  name: agents.name,
  email: agents.email,
  role: agents.role,
  canSignIn: sql`${agents.passwordHash} is not null`.mapWith(Boolean),
  lastSeenAt: agents.lastSeenAt,
  disabledAt: agents.disabledAt,
  createdAt: agents.createdAt,
}

/** Takes the row of an agent, by id or address: whoever has it changes the agent alone. Throws 404. */
export async function lockAgent(tx: Transaction, orgId: string, idOrEmail: string): Promise<Agent> {
  const isTheAgent = or(eq(agents.id, idOrEmail), eq(agents.emailKey, idOrEmail.toLowerCase()))
  const [agent] = await tx
    .update(agents)
    .set({ disabledAt: sql`${agents.disabledAt}` })
    .where(and(eq(agents.orgId, orgId), isTheAgent))
    .returning(agentColumns)
  if (!agent) throw notFound('agent')
  return agent
}

/** Two administrators may be disabling each other: whoever has the rows is alone. Comes before `lockAgent`. */
export function lockEnabledAdmins(tx: Transaction, orgId: string): Promise<Agent[]> {
  return tx
    .update(agents)
    .set({ disabledAt: sql`${agents.disabledAt}` })
    .where(and(eq(agents.orgId, orgId), eq(agents.role, 'admin'), isNull(agents.disabledAt)))
    .returning(agentColumns)
}

/** One who was only invited replaces nobody who can sign in. Throws 409. */
export function requireOtherAdmin(admins: Agent[], leaving: Agent): void {
  if (!admins.some(({ id }) => id === leaving.id)) return
  const others = admins.filter(({ id }) => id !== leaving.id)
  if (others.some(({ canSignIn }) => canSignIn || !leaving.canSignIn)) return
  const detail =
    others.length === 0
      ? 'This is the last enabled administrator of the organization. Add or enable another one first.'
      : 'This is the last administrator who can sign in. The others have to use their links first.'
  throw new AppError(409, 'last_administrator', detail)
}
