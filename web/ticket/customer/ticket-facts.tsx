import { Time } from '../../ui/relative-time.tsx'
import { CHANNEL_NAMES } from '../channel-names.ts'
import { dateTime } from '../thread/times.ts'
import type { Ticket } from '../ticket-query.ts'

/** The channel and the times of the ticket. The header shows its id. */
export function TicketFacts(props: { ticket: Ticket }) {
  return (
    <section class="customer-panel-section">
      <h3>Ticket</h3>
      <dl class="ticket-facts">
        <dt>Channel</dt>
        <dd>{CHANNEL_NAMES[props.ticket.channel]}</dd>
        <dt>Created</dt>
        <dd>
          <Time at={props.ticket.createdAt}>{dateTime(props.ticket.createdAt)}</Time>
        </dd>
        <dt>Updated</dt>
        <dd>
          <Time at={props.ticket.updatedAt}>{dateTime(props.ticket.updatedAt)}</Time>
        </dd>
      </dl>
    </section>
  )
}
