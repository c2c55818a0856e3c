import { type Accessor, createMemo, For, Show } from 'solid-js'
import { useAgents } from '../../api/workspace.ts'
import { presenceOf } from '../../live/live.ts'
import { Avatar } from '../../ui/avatar.tsx'

/** Other agents who have the ticket open, and who is replying. */
export function PresenceLine(props: { ticketId: string }) {
  const colleagues = useColleaguesAt(() => props.ticketId)
  return (
    <span class="presence-line" role="status">
      <For each={colleagues()}>
        {(agent) => (
          <span
            class="presence-line-agent"
            data-replying={agent.isReplying || undefined}
            title={`${agent.name} ${agent.isReplying ? 'is replying' : 'is viewing'}`}
          >
            <Avatar name={agent.name} id={agent.id} size="small" isDecorative />
            <span class="presence-line-text">
              {agent.name} {agent.isReplying ? 'is replying' : 'is viewing'}
            </span>
          </span>
        )}
      </For>
    </span>
  )
}

/** Agents who are replying now, shown above the field. */
export function ReplyingNow(props: { ticketId: string }) {
  const colleagues = useColleaguesAt(() => props.ticketId)
  const names = () =>
    colleagues()
      .filter(({ isReplying }) => isReplying)
      .map(({ name }) => name)
  return (
    <Show when={names().length > 0}>
      <p class="composer-replying cut" aria-hidden="true">
        {names().join(', ')} {names().length === 1 ? 'is' : 'are'} replying
      </p>
    </Show>
  )
}

interface Colleague {
  id: string
  name: string
  isReplying: boolean
}

function useColleaguesAt(ticketId: () => string): Accessor<Colleague[]> {
  const agents = useAgents()
  // Presence updates arrive for all tickets. Without a change on this one, screen readers stay silent.
  return createMemo<Colleague[]>(
    () =>
      presenceOf(ticketId()).flatMap(({ agentId, state }) => {
        const agent = agents().find(({ id }) => id === agentId)
        return agent ? [{ id: agent.id, name: agent.name, isReplying: state === 'replying' }] : []
      }),
    [],
    { equals: areSame },
  )
}

function areSame(before: Colleague[], now: Colleague[]): boolean {
  return (
    before.length === now.length &&
    before.every(({ id, name, isReplying }, at) => {
      const other = now[at]
      return id === other?.id && name === other.name && isReplying === other.isReplying
    })
  )
}
