import { useQuery } from '@tanstack/solid-query'
import UserPlus from 'lucide-solid/icons/user-plus'
import { createSignal } from 'solid-js'
import { agentsQuery } from '../../api/workspace.ts'
import { ListPage } from '../query-view.tsx'
import { AgentRow, type ShownLink } from './agent-row.tsx'
import { InviteAgent, LinkDialog } from './invite-agent.tsx'

/** The agents of the organization: invitations, roles, disabled accounts. */
export function AgentsPage() {
  const query = useQuery(() => ({ ...agentsQuery, reconcile: 'id' }))
  const [link, setLink] = createSignal<ShownLink>()
  return (
    <ListPage
      title="Agents"
      lead="Everyone who replies to tickets. Administrators can also change settings."
      query={query}
      what="agents"
      add={{
        text: 'Invite agent',
        icon: <UserPlus />,
        dialog: (close) => <InviteAgent onClose={close} onLink={setLink} />,
      }}
      empty={{ title: 'No agents' }}
      row={(agent) => <AgentRow agent={agent} onLink={setLink} />}
      ended={{ has: ({ state }) => state === 'disabled', title: 'Disabled' }}
    >
      <LinkDialog link={link()} onClose={() => setLink(undefined)} />
    </ListPage>
  )
}
