import { useLocation, useParams } from '@solidjs/router'
import { For, Show } from 'solid-js'
import { StatusDot } from '../../ui/badge.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { STATUSES } from '../header/statuses.ts'
import type { Customer } from './customer-query.ts'

/** What else this customer wrote about, newest first. */
export function CustomerTickets(props: { customer: Customer; ticketId: string }) {
  const params = useParams()
  const location = useLocation()
  /** In the list that is open, a search too. */
  const hrefOf = (id: string) => `/inbox/${params.view ?? 'open'}/${id}${location.search}`
  const others = () => props.customer.tickets.filter(({ id }) => id !== props.ticketId)
  const hiddenCount = () => props.customer.totalTickets - props.customer.tickets.length
  return (
    <section class="panel-section">
      <h3>Other tickets</h3>
      <Show when={others().length > 0} fallback={<p class="panel-none">This is their only ticket.</p>}>
        <ul class="customer-tickets">
          <For each={others()}>
            {(ticket) => (
              <li>
                <a href={hrefOf(ticket.id)} class="customer-ticket">
                  <StatusDot tone={STATUSES[ticket.status].tone} label={STATUSES[ticket.status].name} />
                  <span class="customer-ticket-subject">{ticket.subject}</span>
                  <RelativeTime at={ticket.updatedAt} />
                </a>
              </li>
            )}
          </For>
        </ul>
        <Show when={hiddenCount() > 0}>
          <p class="panel-none">and {hiddenCount()} older</p>
        </Show>
      </Show>
    </section>
  )
}
