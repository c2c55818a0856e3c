import { useLocation, useNavigate, useParams } from '@solidjs/router'
import Ellipsis from 'lucide-solid/icons/ellipsis'
import Trash from 'lucide-solid/icons/trash'
import { createSignal } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useSession } from '../../api/session.ts'
import { ConfirmDialog } from '../../forms/confirm-dialog.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { toast } from '../../ui/toaster.tsx'
import { forgetDrafts } from '../draft/drafts.ts'
import { blankRows } from '../list-cache.ts'
import type { Ticket } from '../ticket-query.ts'
import type { Customer } from './customer-query.ts'

/** Rare actions on a customer, for administrators. */
export function CustomerMenu(props: { ticket: Ticket; customer: Customer | undefined }) {
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
