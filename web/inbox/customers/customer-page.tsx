import { useNavigate } from '@solidjs/router'
import { useInfiniteQuery } from '@tanstack/solid-query'
import ChevronLeft from 'lucide-solid/icons/chevron-left'
import Ellipsis from 'lucide-solid/icons/ellipsis'
import Merge from 'lucide-solid/icons/merge'
import ShieldAlert from 'lucide-solid/icons/shield-alert'
import Trash from 'lucide-solid/icons/trash'
import UserRoundX from 'lucide-solid/icons/user-round-x'
import { createEffect, createSignal, For, Match, onMount, Show, Switch } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { isNotFound } from '../../api/api-problem.ts'
import { logQuery, observe } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useSession } from '../../api/session.ts'
import { FailedQuery } from '../../forms/failed-state.tsx'
import { actionsIn, useKeys } from '../../keyboard/keys.ts'
import { CustomerName, CustomerSince } from '../../ticket/customer/customer-card.tsx'
import { CustomerFields, preloadEmailForm } from '../../ticket/customer/customer-fields.tsx'
import { type Customer, customerQuery } from '../../ticket/customer/customer-query.ts'
import { DeleteCustomer } from '../../ticket/customer/delete-customer.tsx'
import { MergeCustomer } from '../../ticket/customer/merge-customer.tsx'
import { undoMove } from '../../ticket/moves/moves.ts'
import { STATUSES } from '../../ticket/ticket-names.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { StatusDot } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ChannelIcon } from '../list/ticket-row.tsx'
import { type Panes, RailButton } from '../panes.tsx'
import { hrefOf } from '../rail/views.ts'

/** One customer: what agents know of them, changed in place, and all their tickets. */
export function CustomerPage(props: { id: string; panes: Panes; listHref: string }) {
  const navigate = useNavigate()
  onMount(() => void preloadEmailForm())
  const customer = observe(() => customerQuery(props.id))
  createEffect(() => {
    document.title = `${customer().data?.name ?? 'Customer'} · Bellhop`
  })
  // The server answers for a merged customer with the one that remains.
  createEffect(() => {
    const { data } = customer()
    if (data && data.id !== props.id) navigate(`/customers/${data.id}`, { replace: true })
  })
  const back = () => navigate(props.listHref)
  useKeys(() =>
    actionsIn('Move', [
      { id: 'customer.back', label: 'Back to customers', keys: ['u'], otherKeys: [['escape']], run: back },
    ]),
  )
  return (
    <section class="customer-page" aria-label="Customer">
      <header class="customers-page-head">
        <RailButton panes={props.panes} />
        <a class="customer-page-back" href={props.listHref}>
          <ChevronLeft />
          Customers
        </a>
      </header>
      <Switch fallback={<Skeleton lines={8} label="Loading the customer" />}>
        <Match when={isNotFound(customer().error)}>
          <EmptyState
            icon={<UserRoundX />}
            title="Customer not found"
            text="Check the URL. They may also have been deleted."
            action={<a href={props.listHref}>Go to customers</a>}
          />
        </Match>
        <Match when={customer().data}>{(known) => <Detail customer={known()} onGone={back} />}</Match>
        <Match when={customer().error}>
          <FailedQuery title="Couldn't load the customer" query={customer()} />
        </Match>
      </Switch>
    </section>
  )
}

function Detail(props: { customer: Customer; onGone: () => void }) {
  const session = useSession()
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = createSignal(false)
  const [isMerging, setMerging] = createSignal(false)
  useKeys(() =>
    actionsIn('Ticket', [
      { id: 'customer.merge', label: 'Merge customer into…', keys: ['m'], run: () => setMerging(true) },
    ]),
  )
  let heading: HTMLHeadingElement | undefined
  // The link that led here is gone.
  onMount(() => heading?.focus({ preventScroll: true }))
  return (
    <div class="customer-page-body">
      <div class="customer-page-who">
        <Avatar name={props.customer.name} id={props.customer.id} size="large" isCustomer isDecorative />
        <div class="customer-page-words">
          <h1 ref={heading} tabindex={-1}>
            <CustomerName customer={props.customer} />
          </h1>
          <CustomerSince customer={props.customer} />
        </div>
        <Menu
          placement="bottom-end"
          trigger={(given) => (
            <IconButton {...given} name={`Actions for ${props.customer.name}`}>
              <Ellipsis />
            </IconButton>
          )}
        >
          <MenuItem icon={<Merge />} keys="m" onSelect={() => setMerging(true)}>
            Merge into…
          </MenuItem>
          <Show when={session().agent.role === 'admin'}>
            <MenuItem icon={<Trash />} isDanger onSelect={() => setDeleting(true)}>
              Delete customer permanently…
            </MenuItem>
          </Show>
        </Menu>
      </div>
      <CustomerFields customer={props.customer} />
      <Merges customer={props.customer} />
      <CustomerTickets customer={props.customer} />
      <MergeCustomer
        isOpen={isMerging()}
        onClose={() => setMerging(false)}
        customer={props.customer}
        onMerged={(id) => navigate(`/customers/${id}`, { replace: true })}
      />
      <DeleteCustomer
        isOpen={isDeleting()}
        onClose={() => setDeleting(false)}
        customer={props.customer}
        onDeleted={props.onGone}
      />
    </div>
  )
}

/** Who was merged into this customer, while that can be undone. */
function Merges(props: { customer: Customer }) {
  return (
    <Show when={props.customer.merges.length > 0}>
      <ul class="customer-page-merges">
        <For each={props.customer.merges}>
          {(merge) => (
            <li>
              <span>
                {merge.name} was merged into this customer <RelativeTime at={merge.createdAt} isLong />
              </span>
              <Button size="small" look="quiet" onClick={() => void undoMove(merge.id)}>
                Undo
              </Button>
            </li>
          )}
        </For>
      </ul>
    </Show>
  )
}

/** All tickets, the one with the latest message first. */
function CustomerTickets(props: { customer: Customer }) {
  const query = useInfiniteQuery(() => ({
    ...logQuery((cursor) =>
      ask(
        api.console
          .customers({ id: props.customer.id })
          .tickets.get({ query: { ...(cursor && { cursor }) } }),
      ),
    ),
    queryKey: queryKeys.customerTickets(props.customer.id),
    reconcile: 'id',
  }))
  const rows = () => query.data?.pages.flatMap(({ data }) => data)
  return (
    <section class="customer-page-tickets">
      <h2>Tickets</h2>
      <Switch fallback={<Skeleton lines={4} label="Loading tickets" />}>
        <Match when={query.isLoadingError}>
          <FailedQuery title="Couldn't load their tickets" query={query} />
        </Match>
        <Match when={rows()?.length === 0}>
          <p class="muted">No tickets yet.</p>
        </Match>
        <Match when={rows()}>
          {(loaded) => (
            <>
              <ul>
                <For each={loaded()}>
                  {(ticket) => (
                    <li>
                      <a class="customer-page-ticket" href={hrefOf('open', { ticketId: ticket.id })}>
                        <Show when={!ticket.isSpam} fallback={<ShieldAlert role="img" aria-label="Spam" />}>
                          <StatusDot
                            tone={STATUSES[ticket.status].tone}
                            label={STATUSES[ticket.status].name}
                          />
                        </Show>
                        <span class="customer-page-subject cut">{ticket.subject || 'No subject'}</span>
                        <ChannelIcon channel={ticket.channel} />
                        <RelativeTime at={ticket.lastMessageAt} />
                      </a>
                    </li>
                  )}
                </For>
              </ul>
              <Show when={query.hasNextPage}>
                <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  Show more
                </Button>
              </Show>
            </>
          )}
        </Match>
      </Switch>
    </section>
  )
}
