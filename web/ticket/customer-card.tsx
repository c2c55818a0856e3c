import Trash from 'lucide-solid/icons/trash'
import { createSignal, Show } from 'solid-js'
import { type Answer, api, ask } from '../api.ts'
import { queries } from '../queries.ts'
import { useSession } from '../session.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { toast } from '../ui/toaster.tsx'
import type { Ticket } from './ticket-data.ts'

export type Customer = Answer<ReturnType<typeof api.console.customers>['get']>

/** Name, address, and deleting them for ever. */
export function CustomerCard(props: { ticket: Ticket; customer: Customer | undefined }) {
  const session = useSession()
  const [isDeleting, setDeleting] = createSignal(false)
  const shown = () => props.ticket.customer
  const count = () => props.customer?.totalTickets ?? 1
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
        <IconButton name="Delete customer for ever" size="small" onClick={() => setDeleting(true)}>
          <Trash />
        </IconButton>
      </Show>
      <ConfirmDialog
        isOpen={isDeleting()}
        onClose={() => setDeleting(false)}
        title={`Delete ${shown().name} for ever?`}
        text={`${count() === 1 ? 'Their ticket goes' : `All of their ${count()} tickets go`} too, with every message. Nobody can bring them back.`}
        word="delete"
        action="Delete customer"
        onConfirm={async () => {
          const { deletedTickets } = await ask(api.console.customers({ id: shown().userId }).delete())
          toast(`Customer deleted, with ${deletedTickets} ${deletedTickets === 1 ? 'ticket' : 'tickets'}`)
          void queries.invalidateQueries()
        }}
      />
    </section>
  )
}
