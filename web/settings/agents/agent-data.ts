import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import type { Agent } from '../../api/workspace.ts'

export type Role = Agent['role']

export const ROLES: { value: Role; label: string; hint: string }[] = [
  { value: 'agent', label: 'Agent', hint: 'Answers tickets.' },
  { value: 'admin', label: 'Administrator', hint: 'Answers tickets and changes these settings.' },
]

/** Reads the agents again after a change. */
export function agentsChanged(): void {
  void queries.invalidateQueries({ queryKey: queryKeys.agents })
  void queries.invalidateQueries({ queryKey: queryKeys.checklist })
}
