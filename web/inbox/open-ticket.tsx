import MessagesSquare from 'lucide-solid/icons/messages-square'
import { createEffect, onCleanup, Show } from 'solid-js'
import { queries } from '../api/queries.ts'
import { lazyPage } from '../live/lazy-page.tsx'
import { ticketQuery } from '../ticket/ticket-query.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { KeyHint } from '../ui/key-hint.tsx'
import type { TicketList } from './list/ticket-list.ts'
import type { InboxLocation } from './location.ts'

interface OpenTicketProps {
  ticketId: string | undefined
  /** Whether keys act on this ticket: another one may be about to open. */
  isTarget: (ticketId: string) => boolean
  onClose: () => void
  onNext: () => () => void
  onPrevious: () => void
  onOpenPanel: () => void
}

/** Passing over a row quickly doesn't load its ticket. */
const DWELL_MS = 150

const TicketPane = lazyPage(async () => ({ default: (await import('../ticket/ticket-pane.tsx')).TicketPane }))

/** Loads the code of the ticket pane before the first ticket is opened. */
export function preloadTicketPane(): void {
  void TicketPane.preload()
}

/** Loads the ticket at the cursor and its neighbors, so that the next key finds them ready. */
export function usePrefetch(location: InboxLocation, list: TicketList): void {
  createEffect(() => {
    const id = location.ticketId() ?? list.cursor()
    if (id === undefined) return
    const near = [id, list.neighbor(1, id), list.neighbor(-1, id)]
    const timer = setTimeout(() => {
      for (const next of near) if (next !== undefined) void queries.prefetchQuery(ticketQuery(next))
    }, DWELL_MS)
    onCleanup(() => clearTimeout(timer))
  })
}

/** The open ticket, or a hint how to open one. */
export function OpenTicket(props: OpenTicketProps) {
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
      title="Select a ticket"
      text={
        <>
          <KeyHint keys="j k" /> to move, <KeyHint keys="enter" /> to open, <KeyHint keys="?" /> for shortcuts
        </>
      }
    />
  )
}
