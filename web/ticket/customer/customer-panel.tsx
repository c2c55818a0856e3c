import { useLocation, useParams } from '@solidjs/router'
import { createMemo, For, Match, Show, Switch } from 'solid-js'
import { isNotFound } from '../../api/api-problem.ts'
import { observe } from '../../api/queries.ts'
import { FailedQuery } from '../../forms/failed-state.tsx'
import { StatusDot } from '../../ui/badge.tsx'
import { RelativeTime, Time } from '../../ui/relative-time.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ChatParts } from '../chat-parts.tsx'
import { dateTime } from '../thread/times.ts'
import { channelName, isChat, STATUSES } from '../ticket-names.ts'
import { type TicketDetail, useTicket } from '../ticket-query.ts'
import { CustomerCard } from './customer-card.tsx'
import { type Customer, customerQuery } from './customer-query.ts'
import { ShownMetadata } from './shown-metadata.tsx'
import './customer-panel.css'

import ShieldAlert from 'lucide-solid/icons/shield-alert'

/** The customer of the open ticket, their other tickets, and facts about the ticket. */
export function CustomerPanel(props: { ticketId: string }) {
  const ticket = useTicket(() => props.ticketId)
  /** Nothing of a deleted ticket is shown. */
  const detail = () => (isNotFound(ticket().error) ? undefined : ticket().data)
  const customerId = createMemo(() => detail()?.ticket.customer.userId)
  const customer = observe(() => customerQuery(customerId() ?? ''))
  return (
    <aside class="customer-panel" aria-label="Customer">
      <Switch fallback={<Skeleton lines={4} label="Loading the customer" />}>
        <Match when={detail()}>
          {(known) => (
            <>
              <CustomerCard ticket={known().ticket} customer={customer().data} />
              <Show when={isChat(known().ticket.channel)}>
                <ChatParts.Section detail={known()} />
              </Show>
              <Switch fallback={<Skeleton lines={3} label="Loading other tickets" />}>
                <Match when={customer().data}>
                  {(data) => <CustomerTickets customer={data()} ticketId={props.ticketId} />}
                </Match>
                <Match when={customer().error}>
                  <FailedQuery title="Couldn't load their other tickets" query={customer()} />
                </Match>
              </Switch>
              <TicketFacts {...known()} />
            </>
          )}
        </Match>
        <Match when={ticket().error}>
          <p class="customer-panel-section muted">Nothing to show without the ticket.</p>
        </Match>
      </Switch>
    </aside>
  )
}

/** The channel and the times of the ticket. The header shows its id. */
function TicketFacts(props: Pick<TicketDetail, 'ticket' | 'reply' | 'shownMetadata'>) {
  const receivers = () => (props.reply.mailboxes ?? []).filter(({ hasReceived }) => hasReceived)
  return (
    <section class="customer-panel-section">
      <h3>Ticket</h3>
      <dl class="customer-panel-facts">
        <dt>Channel</dt>
        <dd>{channelName(props.ticket.channel)}</dd>
        <Show when={receivers().length > 1}>
          <dt>Received by</dt>
          <dd>
            <For each={receivers()}>{({ address }) => <div>{address}</div>}</For>
          </dd>
        </Show>
        <dt>Created</dt>
        <dd>
          <Time at={props.ticket.createdAt}>{dateTime(props.ticket.createdAt)}</Time>
        </dd>
        <dt>Updated</dt>
        <dd>
          <Time at={props.ticket.updatedAt}>{dateTime(props.ticket.updatedAt)}</Time>
        </dd>
        <ShownMetadata texts={props.shownMetadata} />
      </dl>
    </section>
  )
}

/** Other tickets of this customer, newest first. */
function CustomerTickets(props: { customer: Customer; ticketId: string }) {
  const params = useParams()
  const location = useLocation()
  /** Keeps the open view and search. */
  const hrefOf = (id: string) => `/inbox/${params.view ?? 'open'}/${id}${location.search}`
  const others = () => props.customer.tickets.filter(({ id }) => id !== props.ticketId)
  const hiddenCount = () => props.customer.totalTickets - props.customer.tickets.length
  return (
    <section class="customer-panel-section">
      <h3>Other tickets</h3>
      <Show when={others().length > 0} fallback={<p class="muted">No other tickets.</p>}>
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
                  <span class="customer-tickets-subject cut">{ticket.subject}</span>
                  <RelativeTime at={ticket.lastMessageAt} />
                </a>
              </li>
            )}
          </For>
        </ul>
        <Show when={hiddenCount() > 0}>
          <p class="muted">{hiddenCount()} older</p>
        </Show>
      </Show>
    </section>
  )
}
