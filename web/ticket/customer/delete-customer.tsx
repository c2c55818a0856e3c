import { api, ask } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useSession } from '../../api/session.ts'
import { ConfirmDialog } from '../../forms/confirm-dialog.tsx'
import { toast } from '../../ui/toaster.tsx'
import { forgetDrafts } from '../draft/drafts.ts'
import { blankRows } from '../list-cache.ts'
import { counted } from '../ticket-names.ts'
import type { Customer } from './customer-query.ts'

interface DeleteCustomerProps {
  isOpen: boolean
  onClose: () => void
  customer: Customer
  /** The open ticket. */
  ticketId?: string
  /** Leaves the page of what is deleted. */
  onDeleted: () => void
}

/** Deletes a customer permanently, with all their tickets. */
export function DeleteCustomer(props: DeleteCustomerProps) {
  const session = useSession()
  const count = () => props.customer.totalTickets

  async function remove() {
    const { customer, ticketId, onDeleted } = props
    const { deletedTickets } = await ask(api.console.customers({ id: customer.id }).delete())
    const ids = new Set([...(ticketId ? [ticketId] : []), ...customer.tickets.map(({ id }) => id)])
    blankRows(({ id }) => ids.has(id))
    for (const id of ids) forgetDrafts(session().agent.id, id)
    onDeleted()
    toast(`Customer deleted, with ${counted(deletedTickets, 'ticket')}`)
    for (const id of ids) queries.removeQueries({ queryKey: queryKeys.ticket(id) })
    queries.removeQueries({ queryKey: queryKeys.customer(customer.id) })
    void queries.invalidateQueries()
  }

  return (
    <ConfirmDialog
      isOpen={props.isOpen}
      onClose={() => props.onClose()}
      title={`Delete ${props.customer.name} permanently?`}
      text={`${what(count())} deleted too. This can't be undone.`}
      word="delete"
      action="Delete customer"
      onConfirm={remove}
    />
  )
}

function what(count: number): string {
  if (count === 0) return 'What you know of them is'
  return count === 1 ? 'Their ticket and its messages are' : `Their ${count} tickets and all messages are`
}
