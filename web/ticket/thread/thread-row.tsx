import ChevronsUpDown from 'lucide-solid/icons/chevrons-up-down'
import { Match, Switch } from 'solid-js'
import type { ReplyDestination, Ticket, TicketDetail } from '../ticket-query.ts'
import { ActivityLines } from './activity-lines.tsx'
import { MessageGroup } from './message-group.tsx'
import type { ThreadRow } from './thread-rows.ts'
import { dayName } from './times.ts'

interface ThreadRowViewProps {
  row: ThreadRow
  reply: ReplyDestination
  seen: TicketDetail['seen']
  ticket: Ticket
  terms: readonly string[]
  onUnfold: () => void
}

/** One row of a thread. */
export function ThreadRowView(props: ThreadRowViewProps) {
  const as = <Kind extends ThreadRow['kind']>(kind: Kind) => only(props.row, kind)
  return (
    <Switch>
      <Match when={as('messages')}>
        {(row) => (
          <MessageGroup
            items={row().items}
            ticket={props.ticket}
            reply={props.reply}
            seen={props.seen}
            terms={props.terms}
          />
        )}
      </Match>
      <Match when={as('activity')}>{(row) => <ActivityLines items={row().items} />}</Match>
      <Match when={as('day')}>
        {(row) => (
          <h3 class="thread-day">
            <span>{dayName(row().at)}</span>
          </h3>
        )}
      </Match>
      <Match when={as('new')}>
        <p class="thread-new">
          <span>New</span>
        </p>
      </Match>
      <Match when={as('earlier')}>
        {(row) => (
          <button type="button" class="thread-earlier" onClick={props.onUnfold}>
            <ChevronsUpDown />
            {row().count} earlier messages
          </button>
        )}
      </Match>
    </Switch>
  )
}

function only<Kind extends ThreadRow['kind']>(row: ThreadRow, kind: Kind) {
  return isOf(row, kind) ? row : undefined
}

function isOf<Kind extends ThreadRow['kind']>(
  row: ThreadRow,
  kind: Kind,
): row is Extract<ThreadRow, { kind: Kind }> {
  return row.kind === kind
}
