import { useLocation, useParams } from '@solidjs/router'
import { createSignal, Show } from 'solid-js'
import { ConfirmDialog } from '../../forms/confirm-dialog.tsx'
import { shortId } from '../ticket-names.ts'
import { type ActivityEntry, type TicketDetail, useTicket } from '../ticket-query.ts'
import { undoMove } from './moves.ts'

type Change = ActivityEntry['changes'][number]

const UNDO_FOR_MS = 30 * 86_400_000

/** What a merge or split did, with the other ticket and Undo. */
export function MoveLine(props: { entry: ActivityEntry; change: Change }) {
  const params = useParams()
  const location = useLocation()
  const [isAsking, setAsking] = createSignal(false)
  const ticket = useTicket(() => params.ticketId ?? '')
  const otherId = () => String(props.change.from)
  const moveId = () => String(props.change.to)
  const href = () => `/inbox/${params.view ?? 'open'}/${otherId()}${location.search}`
  const link = () => <a href={href()}>{shortId(otherId())}</a>
  const isSplit = () => props.change.field === 'split' || props.change.field === 'splitFrom'
  const canUndo = () =>
    props.change.field !== 'moveUndone' &&
    Date.now() - Date.parse(props.entry.createdAt) < UNDO_FOR_MS &&
    !isUndone(ticket().data, moveId())
  return (
    <>
      {props.entry.actor.name} {words(props.change.field)} {link()}{' '}
      <Show when={canUndo()}>
        ·{' '}
        <button type="button" class="text-button" onClick={() => setAsking(true)}>
          Undo
        </button>
      </Show>
      <ConfirmDialog
        isOpen={isAsking()}
        onClose={() => setAsking(false)}
        title={isSplit() ? 'Move the messages back?' : 'Separate these tickets again?'}
        text={`Everything that moved goes back to ${isSplit() ? 'the ticket it came from' : 'its own ticket'}. Messages that arrived since then stay where they are.`}
        action={isSplit() ? 'Move back' : 'Undo merge'}
        onConfirm={() => undoMove(moveId())}
      />
    </>
  )
}

function words(field: Change['field']): string {
  if (field === 'merged') return 'merged another ticket into this one:'
  if (field === 'mergedInto') return 'merged this ticket into'
  if (field === 'split') return 'moved messages into a new ticket:'
  if (field === 'splitFrom') return 'opened this ticket with messages of'
  return 'undid moving messages: the other ticket is'
}

function isUndone(detail: TicketDetail | undefined, moveId: string): boolean {
  return (
    detail?.timeline.some(
      (entry) =>
        entry.kind === 'activity' &&
        entry.changes.some(({ field, to }) => field === 'moveUndone' && to === moveId),
    ) ?? false
  )
}
