import { type Accessor, createMemo, For, Show } from 'solid-js'
import { useAgents } from '../../api/workspace.ts'
import { presenceOf } from '../../live/live.ts'
import { Avatar } from '../../ui/avatar.tsx'

/** Who else has the ticket open, and who is writing. */
export function PresenceLine(props: { ticketId: string }) {
  const colleagues = useColleaguesAt(() => props.ticketId)
  return (
    <span class="presence" role="status">
      <For each={colleagues()}>
        {(agent) => (
          <span
            class="presence-agent"
            data-replying={agent.isReplying || undefined}
            title={`${agent.name} ${agent.isReplying ? 'is replying' : 'is here'}`}
          >
            <Avatar name={agent.name} id={agent.id} size="small" isDecorative />
            <span class="presence-text">
              {agent.name} {agent.isReplying ? 'is replying' : 'is here'}
            </span>
          </span>
        )}
      </For>
    </span>
  )
}

/** Who is writing at this moment, beside where this agent writes. */
export function ReplyingNow(props: { ticketId: string }) {
  const colleagues = useColleaguesAt(() => props.ticketId)
  const names = () =>
    colleagues()
      .filter(({ isReplying }) => isReplying)
      .map(({ name }) => name)
  return (
    <Show when={names().length > 0}>
      <p class="composer-replying" aria-hidden="true">
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
  // Each move of anybody is heard of here; who is still where they were is not to be read out again.
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
