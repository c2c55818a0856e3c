import { createEffect, For, Match, Switch } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { observe } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { FailedQuery } from '../../forms/failed-state.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { comingTime } from '../thread/times.ts'
import { counted, STATUSES, shortId } from '../ticket-names.ts'
import type { MergePreview } from './moves.ts'

/** One of the two tickets. */
export interface Side {
  id: string
  subject: string
}

interface OutcomeProps {
  from: Side
  into: Side
  /** Whether it can't be merged, or isn't known yet. */
  onRefused: (isRefused: boolean) => void
}

/** What a merge will do, or why it isn't possible. */
export function Outcome(props: OutcomeProps) {
  const preview = observe(() => ({
    queryKey: queryKeys.mergePreview(props.into.id, props.from.id),
    queryFn: () => ask(api.console.tickets({ id: props.into.id }).merge({ from: props.from.id }).get()),
    gcTime: 0,
  }))
  createEffect(() => props.onRefused(!preview().data || preview().data?.reason !== undefined))
  return (
    <div class="merge-outcome" role="status">
      <Switch fallback={<Skeleton lines={3} label="Checking both tickets" />}>
        <Match when={preview().data?.reason}>
          {(reason) => (
            <>
              <p class="merge-outcome-title">They can't be merged.</p>
              <p>{reason()}</p>
            </>
          )}
        </Match>
        <Match when={preview().data}>
          {(known) => (
            <>
              <p class="merge-outcome-title">
                {shortId(props.from.id)} goes into {shortId(props.into.id)} “{props.into.subject}”
              </p>
              <ul>
                <For each={sentencesOf(known(), props)}>{(sentence) => <li>{sentence}</li>}</For>
              </ul>
            </>
          )}
        </Match>
        <Match when={preview().error}>
          <FailedQuery title="Couldn't check the tickets" query={preview()} />
        </Match>
      </Switch>
    </div>
  )
}

function sentencesOf(known: MergePreview, { from, into }: OutcomeProps): string[] {
  const parts = [
    counted(known.messages, 'message'),
    ...(known.notes > 0 ? [counted(known.notes, 'note')] : []),
  ]
  const isOne = known.messages + known.notes === 1
  return [
    `${parts.join(' and ')} ${isOne ? 'moves' : 'move'} there, with files, tags and followers.`,
    ...(known.participant
      ? [`${known.participant} becomes a participant: answers can go to both customers.`]
      : []),
    ...(known.continuesByEmail ? ['The conversation continues by email.'] : []),
    ...(known.leavesEmail ? ['Answers to that ticket go to your integration, and not by email.'] : []),
    ...(known.waiting > 0
      ? [`${counted(known.waiting, 'reply', 'replies')} not sent yet: to the same people as before.`]
      : []),
    `${shortId(into.id)} keeps its subject, customer and assignee, and will be ${STATUSES[known.status].name.toLowerCase()}.`,
    ...(known.snoozedUntil
      ? [
          known.endsSnooze
            ? `${shortId(into.id)} is snoozed, and comes back to the inbox.`
            : `${shortId(into.id)} stays snoozed until ${comingTime(new Date(known.snoozedUntil))}.`,
        ]
      : []),
    `New messages to ${shortId(from.id)} arrive in ${shortId(into.id)}.`,
    'You can undo this for 30 days.',
  ]
}
