import { createMemo, For, Show } from 'solid-js'
import { useAgents } from '../../api/workspace.ts'
import { online } from '../../live/presence.ts'
import { Avatar } from '../../ui/avatar.tsx'

const MOST_SHOWN = 5

/** Who has Bellhop open, this agent too. */
export function OnlineAgents() {
  const agents = useAgents()
  const here = createMemo(() => {
    const ids = new Set(online())
    return agents().filter(({ id }) => ids.has(id))
  })
  return (
    <Show when={here().length > 0}>
      <div class="rail-online">
        <ul class="rail-faces" aria-label="Agents online">
          <For each={here().slice(0, MOST_SHOWN)}>
            {(agent) => (
              <li>
                <Avatar name={agent.name} id={agent.id} size="small" />
              </li>
            )}
          </For>
        </ul>
        <span class="count">{here().length} online</span>
      </div>
    </Show>
  )
}
