import { Show } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import type { Ticket } from '../ticket-query.ts'
import { CustomerMenu } from './customer-menu.tsx'
import type { Customer } from './customer-query.ts'

/** Name, address, and deleting them for ever. */
export function CustomerCard(props: { ticket: Ticket; customer: Customer | undefined }) {
  const session = useSession()
  const shown = () => props.ticket.customer
  return (
    <section class="customer-card">
      <Avatar name={shown().name} id={shown().userId} size="large" isDecorative />
      <div class="customer-name">
        <h2 title={shown().name}>{shown().name}</h2>
        <Show when={shown().email} fallback={<p class="customer-none">No e-mail address</p>}>
          {(email) => (
            <p class="customer-email">
              <span title={email()}>{email()}</span>
              <CopyButton text={email()} name="Copy e-mail address" />
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
