import MessagesSquare from 'lucide-solid/icons/messages-square'
import { lazy, Show } from 'solid-js'
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

const loadPane = async () => ({ default: (await import('../ticket/ticket-pane.tsx')).TicketPane })
const TicketPane = lazy(loadPane)

/** Loads what shows a ticket before the first one is opened. */
export function preloadTicketPane(): void {
  void loadPane()
}

/** The open ticket, or what to do to open one. */
export function ThreadPlace(props: ThreadPlaceProps) {
  return (
    <Show when={props.ticketId} fallback={<NoTicket />}>
      {(id) => (
        <TicketPane
          ticketId={id()}
          isMeant={(ticketId) => props.isMeant(ticketId)}
          onClose={() => props.onClose()}
          onNext={() => props.onNext()}
          onPrevious={() => props.onPrevious()}
          onOpenPanel={() => props.onOpenPanel()}
        />
      )}
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
