import { useLocation, useParams } from '@solidjs/router'
import ShieldAlert from 'lucide-solid/icons/shield-alert'
import { For, Show } from 'solid-js'
import { StatusDot } from '../../ui/badge.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { STATUSES } from '../header/statuses.ts'
import type { Customer } from './customer-query.ts'

/** Other tickets of this customer, newest first. */
export function CustomerTickets(props: { customer: Customer; ticketId: string }) {
  const params = useParams()
  const location = useLocation()
  /** Keeps the open view and search. */
  const hrefOf = (id: string) => `/inbox/${params.view ?? 'open'}/${id}${location.search}`
  const others = () => props.customer.tickets.filter(({ id }) => id !== props.ticketId)
  const hiddenCount = () => props.customer.totalTickets - props.customer.tickets.length
  return (
    <section class="customer-panel-section">
      <h3>Other tickets</h3>
      <Show when={others().length > 0} fallback={<p class="customer-panel-none">No other tickets.</p>}>
        <ul class="customer-tickets">
          <For each={others()}>
            {(ticket) => (
              <li>
                <a
                  href={hrefOf(ticket.id)}
                  class="customer-tickets-link"
                  data-spam={ticket.isSpam || undefined}
                >
                  <Show
                    when={!ticket.isSpam}
                    fallback={<ShieldAlert class="customer-tickets-spam" role="img" aria-label="Spam" />}
                  >
                    <StatusDot tone={STATUSES[ticket.status].tone} label={STATUSES[ticket.status].name} />
                  </Show>
                  <span class="customer-tickets-subject">{ticket.subject}</span>
                  <RelativeTime at={ticket.lastMessageAt} />
                </a>
              </li>
            )}
          </For>
        </ul>
        <Show when={hiddenCount() > 0}>
          <p class="customer-panel-none">{hiddenCount()} older</p>
        </Show>
      </Show>
    </section>
  )
}
