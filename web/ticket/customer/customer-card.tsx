import { Show } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { lazyPart } from '../../live/lazy-page.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Time } from '../../ui/relative-time.tsx'
import { dateOnly } from '../thread/times.ts'
import type { Ticket } from '../ticket-query.ts'
import { CustomerMenu } from './customer-menu.tsx'
import type { Customer } from './customer-query.ts'
import { UnverifiedMark } from './unverified-mark.tsx'

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
            <span title={shown().unverifiedEmail}>{shown().unverifiedEmail}</span> <UnverifiedMark />
          </p>
        </Show>
        <Show when={shown().email} fallback={<NoEmail ticket={props.ticket} />}>
          {(email) => (
            <p class="customer-card-email">
              <span title={email()}>{email()}</span>
              <CopyButton text={email()} name="Copy email address" />
            </p>
          )}
        </Show>
        <Show when={props.customer}>
          {(customer) => (
            <p class="customer-card-history">
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
