import { createSignal, For, Show } from 'solid-js'
import { useAgents } from '../inbox/inbox-data.ts'
import { exactTime } from '../ui/relative-time.tsx'
import { activitySentence } from './activity-sentence.ts'
import type { ActivityEntry } from './ticket-data.ts'
import { clockTime, dateTime } from './times.ts'

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

/** "Ben set the status to resolved · 09:40" */
export function ActivityLine(props: { entry: ActivityEntry; isDated?: boolean }) {
  const agents = useAgents()
  const nameOf = (id: string) => agents().find((agent) => agent.id === id)?.name ?? 'somebody'
  return (
    <p class="activity-line">
      {activitySentence(props.entry, nameOf)}
      <time datetime={props.entry.createdAt} title={exactTime(props.entry.createdAt)}>
        {(props.isDated ? dateTime : clockTime)(props.entry.createdAt)}
      </time>
    </p>
  )
}
