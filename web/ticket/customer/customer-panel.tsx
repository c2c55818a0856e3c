import { createMemo, For, Match, Show, Switch } from 'solid-js'
import { isNotFound } from '../../api/api-problem.ts'
import { FailedQuery } from '../../forms/failed-state.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { CustomerCard } from './customer-card.tsx'
import './customer-panel.css'
import { observe } from '../../api/queries.ts'
import { Time } from '../../ui/relative-time.tsx'
import { CHANNEL_NAMES } from '../channel-names.ts'
import { ChatParts } from '../chat-parts.tsx'
import { dateTime } from '../thread/times.ts'
import { type ReplyDestination, type Ticket, useTicket } from '../ticket-query.ts'
import { customerQuery } from './customer-query.ts'
import { CustomerTickets } from './customer-tickets.tsx'

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
              <Show when={isChat(known().ticket)}>
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
              <TicketFacts ticket={known().ticket} reply={known().reply} />
            </>
          )}
        </Match>
        <Match when={ticket().error}>
          <p class="customer-panel-section customer-panel-none">Nothing to show without the ticket.</p>
        </Match>
      </Switch>
    </aside>
  )
}

function isChat({ channel }: Ticket): boolean {
  return channel === 'widget' || channel === 'telegram'
}

/** The channel and the times of the ticket. The header shows its id. */
function TicketFacts(props: { ticket: Ticket; reply: ReplyDestination }) {
  const receivers = () => (props.reply.mailboxes ?? []).filter(({ hasReceived }) => hasReceived)
  return (
    <section class="customer-panel-section">
      <h3>Ticket</h3>
      <dl class="customer-panel-facts">
        <dt>Channel</dt>
        <dd>{CHANNEL_NAMES[props.ticket.channel]}</dd>
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
      </dl>
    </section>
  )
}
