import { CopyButton } from '../../ui/copy-button.tsx'
import { Time } from '../../ui/relative-time.tsx'
import { CHANNEL_NAMES } from '../channel-names.ts'
import { dateTime } from '../thread/times.ts'
import type { Ticket } from '../ticket-query.ts'

/** Where the ticket came from, and when. */
export function TicketFacts(props: { ticket: Ticket }) {
  return (
    <section class="panel-section">
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
        <dt>Id</dt>
        <dd class="fact-id">
          <code title={props.ticket.id}>{props.ticket.id}</code>
          <CopyButton text={props.ticket.id} name="Copy ticket id" />
        </dd>
      </dl>
    </section>
  )
}
