import { useTicket } from './ticket-data.ts'

/** Whose ticket it is, and the facts about it. */
export function CustomerPanel(props: { ticketId: string }) {
  const ticket = useTicket(() => props.ticketId)
  return <h2>{ticket().data?.ticket.customer.name}</h2>
}
