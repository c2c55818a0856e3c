import { useQuery } from '@tanstack/solid-query'
import UserPlus from 'lucide-solid/icons/user-plus'
import { createSignal, Show } from 'solid-js'
import { type Agent, agentsQuery } from '../../api/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { EntryList } from '../entry.tsx'
import { Page, Section } from '../page.tsx'
import { QueryView } from '../query-view.tsx'
import { AgentRow } from './agent-row.tsx'
import { InviteAgent, LinkDialog, type ShownLink } from './invite-agent.tsx'

/** The agents of the organization: invitations, roles, disabled accounts. */
export function AgentsPage() {
  const query = useQuery(() => ({ ...agentsQuery, reconcile: 'id' }))
  const [isInviting, setInviting] = createSignal(false)
  const [link, setLink] = createSignal<ShownLink>()
  return (
    <Page
      title="Agents"
      lead="Everyone who replies to tickets. Administrators can also change settings."
      actions={
        <Button look="primary" icon={<UserPlus />} onClick={() => setInviting(true)}>
          Invite agent
        </Button>
      }
    >
      <QueryView query={query} what="agents">
        {(list) => (
          <>
            <AgentList agents={list().data.filter(({ state }) => state !== 'disabled')} onLink={setLink} />
            <Show when={list().data.some(({ state }) => state === 'disabled')}>
              <Section title="Disabled">
                <AgentList
                  agents={list().data.filter(({ state }) => state === 'disabled')}
                  onLink={setLink}
                />
              </Section>
            </Show>
          </>
        )}
      </QueryView>
      <Show when={isInviting()}>
        <InviteAgent onClose={() => setInviting(false)} onLink={setLink} />
      </Show>
      <LinkDialog link={link()} onClose={() => setLink(undefined)} />
    </Page>
  )
}

function AgentList(props: { agents: Agent[]; onLink: (link: ShownLink) => void }) {
  return (
    <EntryList items={props.agents}>{(agent) => <AgentRow agent={agent} onLink={props.onLink} />}</EntryList>
  )
}
