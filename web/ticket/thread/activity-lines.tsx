import { createSignal, For, Show } from 'solid-js'
import { useAgents } from '../../api/workspace.ts'
import { RelativeTime, Time } from '../../ui/relative-time.tsx'
import type { ActivityEntry } from '../ticket-query.ts'
import { activitySentence } from './activity-sentence.ts'
import { clockTime } from './times.ts'

/** More than these in a row are folded into one line. */
const MOST_SHOWN = 2

/** What was done to the ticket, one muted line each. */
export function ActivityLines(props: { items: ActivityEntry[] }) {
  const [isOpen, setOpen] = createSignal(false)
  const isFolded = () => props.items.length > MOST_SHOWN && !isOpen()
  return (
    <div class="activity">
      <Show when={props.items.length > MOST_SHOWN}>
        <button
          type="button"
          class="activity-fold"
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

/** "Ben set it to resolved 09:40", or how long ago where no day stands above it. */
export function ActivityLine(props: { entry: ActivityEntry; isDated?: boolean }) {
  const agents = useAgents()
  const nameOf = (id: string) => agents().find((agent) => agent.id === id)?.name ?? 'somebody'
  return (
    <p class="activity-line">
      {activitySentence(props.entry, nameOf)}
      <Show when={!props.isDated} fallback={<RelativeTime at={props.entry.createdAt} />}>
        <Time at={props.entry.createdAt}>{clockTime(props.entry.createdAt)}</Time>
      </Show>
    </p>
  )
}
