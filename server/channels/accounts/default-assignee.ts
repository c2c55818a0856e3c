import { and, eq, isNull } from 'drizzle-orm'
import type { Transaction } from '../../database/database.ts'
import { agents } from '../../database/tables/agents.ts'
import { invalid } from '../../errors.ts'

/** Throws 400 for an unknown agent. The one that is already stored may have been disabled since. Empty is none. */
export async function requireAssignee(
  tx: Transaction,
  orgId: string,
  id: string,
  before = '',
): Promise<void> {
  if (id === '' || id === before) return
  const isEnabled = and(eq(agents.orgId, orgId), eq(agents.id, id), isNull(agents.disabledAt))
  const [agent] = await tx.select({ id: agents.id }).from(agents).where(isEnabled)
  if (agent) return
  const detail = 'No enabled agent has this id.'
  throw invalid([{ pointer: '/defaultAssignee', code: 'unknown_agent', detail }])
}

/** The input of a request, with the empty text for no assignee, as the row has it. */
export function withAssignee<Input extends { defaultAssignee?: string | null }>(input: Input) {
  const { defaultAssignee, ...fields } = input
  return { ...fields, ...(defaultAssignee !== undefined && { defaultAssignee: defaultAssignee ?? '' }) }
}
