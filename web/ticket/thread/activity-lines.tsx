import { createSignal, For, Show } from 'solid-js'
import { useAgents } from '../../api/workspace.ts'
import { Time } from '../../ui/relative-time.tsx'
import { MoveLine } from '../moves/move-line.tsx'
import type { ActivityEntry } from '../ticket-query.ts'
import { clockTime, comingTime } from './times.ts'

type Change = ActivityEntry['changes'][number]

const MOVES: Change['field'][] = ['merged', 'mergedInto', 'split', 'splitFrom', 'moveUndone']

/** More changes in a row are folded into one line. */
const MAX_SHOWN = 2

/** Changes to the ticket, one muted line each. */
export function ActivityLines(props: { items: ActivityEntry[] }) {
  const [isOpen, setOpen] = createSignal(false)
  const isFolded = () => props.items.length > MAX_SHOWN && !isOpen()
  return (
    <div class="activity-lines muted small">
      <Show when={props.items.length > MAX_SHOWN}>
        <button
          type="button"
          class="activity-lines-toggle text-button"
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
  const moved = () => props.entry.changes.find(({ field }) => MOVES.includes(field))
  const nameOf = (id: string) => agents().find((agent) => agent.id === id)?.name ?? 'someone'
  return (
    <p class="activity-lines-item">
      <Show when={moved()} fallback={activitySentence(props.entry, nameOf)}>
        {(change) => <MoveLine entry={props.entry} change={change()} />}
      </Show>
      <Time at={props.entry.createdAt}>{clockTime(props.entry.createdAt)}</Time>
    </p>
  )
}

/** "Ben took the ticket", "Ben assigned the ticket to Cy and added the tag vip" */
function activitySentence(entry: ActivityEntry, agentName: (id: string) => string): string {
  const woken = entry.changes.find(({ field, to }) => field === 'snoozedUntil' && to === '')
  if (woken && entry.actor.kind === 'system' && entry.changes.length <= 2) return 'The snooze ended'
  const done = entry.changes.map((change) => describe(change, entry.actor, agentName)).filter(Boolean)
  const why = entry.changes.find(({ field, to }) => field === 'why' && to !== '')
  const name = entry.actor.name + (entry.actor.kind === 'program' ? ' (program)' : '')
  if (why) return `${name} ${done.join(' and ')}: ${why.to}`
  return `${name} ${done.join(' and ') || 'made no change'}`
}

function describe(
  { field, from, to }: Change,
  actor: ActivityEntry['actor'],
  agentName: (id: string) => string,
): string {
  if (field === 'snoozedUntil') {
    return typeof to === 'string' && to !== ''
      ? `snoozed it until ${comingTime(new Date(to))}`
      : 'ended the snooze'
  }
  if (field === 'why') return ''
  if (field === 'status') return to === 'open' ? 'reopened the ticket' : `marked it ${to}`
  if (field === 'assignedTo') {
    return assigned({ from: idOf(from), to: idOf(to) }, actor.id, agentName)
  }
  if (field === 'tags') return tagsChanged(listOf(from), listOf(to))
  if (field === 'customer') return `made ${to} the customer instead of ${from}`
  if (field === 'mailbox') return `changed the reply address to ${to}`
  if (field === 'subject') return `changed the subject to “${to}”`
  return to === true ? 'marked it as spam' : 'marked it not spam'
}

function assigned(
  { from, to }: { from: string; to: string },
  actorId: string | undefined,
  agentName: (id: string) => string,
): string {
  if (to && to === actorId) return from ? `took the ticket from ${agentName(from)}` : 'took the ticket'
  if (to) return `assigned the ticket to ${agentName(to)}`
  return from === actorId ? 'unassigned themselves' : `unassigned ${from ? agentName(from) : 'the ticket'}`
}

function idOf(value: Change['from']): string {
  return typeof value === 'string' ? value : ''
}

function tagsChanged(from: string[], to: string[]): string {
  const added = to.filter((tag) => !from.includes(tag))
  const removed = from.filter((tag) => !to.includes(tag))
  return [
    added.length ? `added the ${named(added)}` : '',
    removed.length ? `removed the ${named(removed)}` : '',
  ]
    .filter(Boolean)
    .join(' and ')
}

function named(tags: string[]): string {
  return `${tags.length === 1 ? 'tag' : 'tags'} ${tags.join(', ')}`
}

function listOf(value: Change['from']): string[] {
  return Array.isArray(value) ? value : []
}
