import { useLocation, useNavigate, useParams } from '@solidjs/router'
import { queryOptions } from '@tanstack/solid-query'
import { createSignal, Show } from 'solid-js'
import { type Answer, api, ask } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useSession } from '../../api/session.ts'
import { ConfirmDialog } from '../../forms/confirm-dialog.tsx'
import { lazyPart } from '../../live/lazy-page.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { Time } from '../../ui/relative-time.tsx'
import { toast } from '../../ui/toaster.tsx'
import { forgetDrafts } from '../draft/drafts.ts'
import { blankRows } from '../list-cache.ts'
import { dateOnly } from '../thread/times.ts'
import type { Ticket } from '../ticket-query.ts'
import { UnverifiedMark } from './unverified-mark.tsx'
import './customer-panel.css'

import Ellipsis from 'lucide-solid/icons/ellipsis'
import Trash from 'lucide-solid/icons/trash'

const NoEmail = lazyPart(async () => (await import('./no-email.tsx')).NoEmail)

/** The customer's name, email and history, and a menu to delete them. */
export function CustomerCard(props: { ticket: Ticket; customer: Customer | undefined }) {
  const session = useSession()
  const shown = () => props.ticket.customer
  return (
    <section class="customer-card">
      <Avatar name={shown().name} id={shown().userId} size="large" isCustomer isDecorative />
      <div class="customer-card-text">
        <h2 title={shown().name}>{shown().name}</h2>
        <Show when={shown().unverified}>
          <p class="customer-card-email">
            <span class="cut" title={shown().unverifiedEmail}>
              {shown().unverifiedEmail}
            </span>{' '}
            <UnverifiedMark />
          </p>
        </Show>
        <Show when={shown().email} fallback={<NoEmail ticket={props.ticket} />}>
          {(email) => (
            <p class="customer-card-email">
              <span class="cut" title={email()}>
                {email()}
              </span>
              <CopyButton text={email()} name="Copy email address" />
            </p>
          )}
        </Show>
        <Show when={props.customer}>
          {(customer) => (
            <p class="muted">
              Since <Time at={customer().createdAt}>{dateOnly(customer().createdAt)}</Time> ·{' '}
              {ticketCount(customer())}
            </p>
          )}
        </Show>
      </div>
      <Show when={session().agent.role === 'admin'}>
        <CustomerMenu ticket={props.ticket} customer={props.customer} />
      </Show>
    </section>
  )
}

function ticketCount({ totalTickets }: Customer): string {
  return totalTickets === 1 ? '1 ticket' : `${totalTickets.toLocaleString()} tickets`
}

/** Rare actions on a customer, for administrators. */
function CustomerMenu(props: { ticket: Ticket; customer: Customer | undefined }) {
  const session = useSession()
  const navigate = useNavigate()
  const location = useLocation()
  const params = useParams()
  const [isDeleting, setDeleting] = createSignal(false)
  const count = () => props.customer?.totalTickets ?? 1

  async function remove() {
    const { userId } = props.ticket.customer
    const { deletedTickets } = await ask(api.console.customers({ id: userId }).delete())
    const ids = new Set([props.ticket.id, ...(props.customer?.tickets.map(({ id }) => id) ?? [])])
    blankRows(({ id }) => ids.has(id))
    for (const id of ids) forgetDrafts(session().agent.id, id)
    navigate(`/inbox/${params.view ?? 'open'}${location.search}`, { scroll: false })
    toast(`Customer deleted, with ${deletedTickets} ${deletedTickets === 1 ? 'ticket' : 'tickets'}`)
    for (const id of ids) queries.removeQueries({ queryKey: queryKeys.ticket(id) })
    queries.removeQueries({ queryKey: queryKeys.customer(userId) })
    void queries.invalidateQueries()
  }

  return (
    <>
      <Menu
        placement="bottom-end"
        trigger={(given) => (
          <IconButton {...given} name={`Actions for ${props.ticket.customer.name}`} size="small">
            <Ellipsis />
          </IconButton>
        )}
      >
        <MenuItem icon={<Trash />} isDanger onSelect={() => setDeleting(true)}>
          Delete customer permanently…
        </MenuItem>
      </Menu>
      <ConfirmDialog
        isOpen={isDeleting()}
        onClose={() => setDeleting(false)}
        title={`Delete ${props.ticket.customer.name} permanently?`}
        text={`${count() === 1 ? 'Their ticket and its messages are' : `Their ${count()} tickets and all messages are`} deleted too. This can't be undone.`}
        word="delete"
        action="Delete customer"
        onConfirm={remove}
      />
    </>
  )
}

export type Customer = Answer<ReturnType<typeof api.console.customers>['get']>

/** A customer with their newest tickets. An empty id reads nothing. */
export function customerQuery(id: string) {
  return queryOptions({
    queryKey: queryKeys.customer(id),
    queryFn: () => ask(api.console.customers({ id }).get()),
    enabled: id !== '',
  })
}
