import type { Accessor } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import type { Agent } from '../../api/workspace.ts'
import { toast, toastError } from '../../ui/toaster.tsx'

/** What an administrator can change about an agent. */
export function createAgentActions(agent: Accessor<Agent>) {
  const one = () => api.console.agents({ id: agent().id })

  /** Runs an action and shows why it failed. */
  async function attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      toastError(errorMessage(error))
    }
    agentsChanged()
  }

  function setRole(role: Role): void {
    const before = agent().role
    void attempt(async () => {
      await ask(one().patch({ role }))
      const word = ROLES.find(({ value }) => value === role)?.label.toLowerCase() ?? role
      toast(`${agent().name} is now an ${word}.`, { text: 'Undo', run: () => setRole(before) })
    })
  }

  function enable(): void {
    void attempt(async () => {
      await ask(one().enable.post())
      toast(`${agent().name} can sign in again.`)
    })
  }

  return {
    attempt,
    setRole,
    enable,
    /** Returns the text of the toast. Throws the server's error, for the dialog to show. */
    async disable(): Promise<string> {
      const { unassignedTickets: count } = await ask(one().disable.post())
      agentsChanged()
      const tickets = count === 1 ? '1 ticket was unassigned' : `${count} tickets were unassigned`
      return `Disabled ${agent().name}. ${count === 0 ? 'They had no tickets' : tickets}.`
    },
    /** Creates a link to choose a password. */
    async link() {
      const made = await ask(one().link.post())
      agentsChanged()
      return made
    },
  }
}

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
