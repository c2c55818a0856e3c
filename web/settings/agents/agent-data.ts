import { queryOptions } from '@tanstack/solid-query'
import { type Answer, api, ask } from '../../api.ts'
import { queries } from '../../queries.ts'

export type Agent = Answer<typeof api.console.agents.get>['data'][number]
export type Role = Agent['role']

export const ROLES: { value: Role; label: string; hint: string }[] = [
  { value: 'agent', label: 'Agent', hint: 'Answers tickets.' },
  { value: 'admin', label: 'Administrator', hint: 'Answers tickets and changes these settings.' },
]

export const agentsQuery = queryOptions({
  queryKey: ['agents'],
  queryFn: () => ask(api.console.agents.get()),
})

/** Reads the agents again after a change. */
export function agentsChanged(): void {
  void queries.invalidateQueries({ queryKey: ['agents'] })
  void queries.invalidateQueries({ queryKey: ['checklist'] })
}
