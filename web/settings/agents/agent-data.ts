import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import type { Agent } from '../../api/workspace.ts'

export type Role = Agent['role']

export const ROLES: { value: Role; label: string; hint: string }[] = [
  { value: 'agent', label: 'Agent', hint: 'Replies to tickets.' },
  { value: 'admin', label: 'Administrator', hint: 'Replies to tickets and changes settings.' },
]

/** Reloads the agents after a change. */
export function agentsChanged(): void {
  void queries.invalidateQueries({ queryKey: queryKeys.agents })
  void queries.invalidateQueries({ queryKey: queryKeys.checklist })
}
