import type { Accessor } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import type { Agent } from '../../api/workspace.ts'
import { toast, toastError } from '../../ui/toaster.tsx'
import { agentsChanged, ROLES, type Role } from './agent-data.ts'

/** What an administrator can do with an agent. */
export function createAgentActions(agent: Accessor<Agent>) {
  const one = () => api.console.agents({ id: agent().id })

  /** Runs it and says why it was refused. */
  async function tried(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      toastError(errorMessage(error))
    }
    agentsChanged()
  }

  function setRole(role: Role): void {
    const before = agent().role
    void tried(async () => {
      await ask(one().patch({ role }))
      const word = ROLES.find(({ value }) => value === role)?.label.toLowerCase() ?? role
      toast(`${agent().name} is an ${word} now.`, { text: 'Undo', run: () => setRole(before) })
    })
  }

  function enable(): void {
    void tried(async () => {
      await ask(one().enable.post())
      toast(`${agent().name} can sign in again.`)
    })
  }

  return {
    tried,
    setRole,
    enable,
    /** Throws the refusal, for the dialog that asked. Answers what to say. */
    async disable(): Promise<string> {
      const { unassignedTickets: count } = await ask(one().disable.post())
      agentsChanged()
      const tickets = count === 1 ? 'One ticket is' : `${count} tickets are`
      return `${agent().name} is disabled. ${count === 0 ? 'No ticket was theirs.' : `${tickets} unassigned now.`}`
    },
    /** A link by which they choose a password. */
    async link() {
      const made = await ask(one().link.post())
      agentsChanged()
      return made
    },
  }
}
