import { createMemo, For, Show } from 'solid-js'
import { ActivityLine } from '../thread/activity-lines.tsx'
import type { ActivityEntry, Entry } from '../ticket-query.ts'

/** Older ones stand in the thread. */
const MOST_SHOWN = 8

/** What was last done to the ticket, newest first. */
export function CustomerActivity(props: { timeline: Entry[] }) {
  const newest = createMemo(() => props.timeline.filter(isActivity).slice(-MOST_SHOWN).reverse())
  return (
    <Show when={newest().length > 0}>
      <section class="panel-section">
        <h3>Activity</h3>
        <div class="panel-activity">
          <For each={newest()}>{(entry) => <ActivityLine entry={entry} isDated />}</For>
        </div>
      </section>
    </Show>
  )
}

function isActivity(entry: Entry): entry is ActivityEntry {
  return entry.kind === 'activity'
}
