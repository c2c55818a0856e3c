import MessagesSquare from 'lucide-solid/icons/messages-square'
import { Show } from 'solid-js'
import { part } from '../live/lazy-page.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { KeyHint } from '../ui/key-hint.tsx'

interface ThreadPlaceProps {
  ticketId: string | undefined
  /** Whether keys mean this ticket: the person may be on the way to another one. */
  isMeant: (ticketId: string) => boolean
  onClose: () => void
  onNext: () => void
  onPrevious: () => void
  onOpenPanel: () => void
}

const TicketPane = part(async () => ({ default: (await import('../ticket/ticket-pane.tsx')).TicketPane }))

/** Loads what shows a ticket before the first one is opened. */
export function preloadTicketPane(): void {
  void TicketPane.preload()
}

/** The open ticket, or what to do to open one. */
export function ThreadPlace(props: ThreadPlaceProps) {
  return (
    <Show when={props.ticketId} fallback={<NoTicket />}>
      {(id) => <TicketPane {...props} ticketId={id()} />}
    </Show>
  )
}

function NoTicket() {
  return (
    <EmptyState
      icon={<MessagesSquare />}
      title="No ticket is open"
      text={
        <>
          Move with
          <KeyHint keys="j k" /> and open with
          <KeyHint keys="enter" />. All keys:
          <KeyHint keys="?" />
        </>
      }
    />
  )
}
