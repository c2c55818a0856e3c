import { createSignal, For, Show } from 'solid-js'
import { useAgents } from '../../api/workspace.ts'
import { Time } from '../../ui/relative-time.tsx'
import type { ActivityEntry } from '../ticket-query.ts'
import { activitySentence } from './activity-sentence.ts'
import { clockTime } from './times.ts'

/** More changes in a row are folded into one line. */
const MAX_SHOWN = 2

/** Changes to the ticket, one muted line each. */
export function ActivityLines(props: { items: ActivityEntry[] }) {
  const [isOpen, setOpen] = createSignal(false)
  const isFolded = () => props.items.length > MAX_SHOWN && !isOpen()
  return (
    <div class="activity-lines">
      <Show when={props.items.length > MAX_SHOWN}>
        <button
          type="button"
          class="activity-lines-toggle"
          aria-expanded={isOpen()}
          onClick={() => setOpen(!isOpen())}
        >
          {isOpen() ? 'Show fewer changes' : `${props.items.length - 1} earlier changes`}
        </button>
      </Show>
      <For each={isFolded() ? props.items.slice(-1) : props.items}>
        {(entry) => <ActivityLine entry={entry} />}
      </For>
    </div>
  )
}

/** "Ben marked it resolved 09:40" */
function ActivityLine(props: { entry: ActivityEntry }) {
  const agents = useAgents()
  const nameOf = (id: string) => agents().find((agent) => agent.id === id)?.name ?? 'someone'
  return (
    <p class="activity-lines-item">
      {activitySentence(props.entry, nameOf)}
      <Time at={props.entry.createdAt}>{clockTime(props.entry.createdAt)}</Time>
    </p>
  )
}
