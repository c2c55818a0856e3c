import { createMemo, For, Show } from 'solid-js'
import { useAgents } from '../inbox/inbox-data.ts'
import { presenceOf } from '../live.ts'
import { useSession } from '../session.tsx'
import { Avatar } from '../ui/avatar.tsx'

/** Who else has the ticket open, and who is writing. */
export function PresenceLine(props: { ticketId: string }) {
  const session = useSession()
  const agents = useAgents()
  const others = createMemo(() =>
    presenceOf(props.ticketId).flatMap(({ agentId, state }) => {
      const agent = agents().find(({ id }) => id === agentId)
      return agent && agentId !== session().agent.id ? [{ ...agent, isReplying: state === 'replying' }] : []
    }),
  )
  return (
    <span class="presence" role="status">
      <For each={others()}>
        {(agent) => (
          <span class="presence-agent" data-replying={agent.isReplying || undefined}>
            <Avatar name={agent.name} id={agent.id} size="small" isDecorative />
            <span class="presence-text">
              {agent.name}{' '}
              <Show when={agent.isReplying} fallback="is here">
                is replying
              </Show>
            </span>
          </span>
        )}
      </For>
    </span>
  )
}
