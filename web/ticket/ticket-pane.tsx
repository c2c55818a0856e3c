import { useTicket } from './ticket-data.ts'

interface TicketPaneProps {
  ticketId: string
  onClose(): void
  onNext(): void
  onPrevious(): void
  /** Where the panel beside it is a drawer or folded away. */
  onOpenPanel?(): void
}

/** One ticket: its header, its thread, and where to write. */
export function TicketPane(props: TicketPaneProps) {
  const ticket = useTicket(() => props.ticketId)
  return <h2>{ticket().data?.ticket.subject}</h2>
}
