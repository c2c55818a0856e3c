import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { toastError } from '../../ui/toaster.tsx'
import { pushUndo } from '../changes/undo.ts'
import { patchRow } from '../list-cache.ts'
import { patchTicket, readTicketAgain, type Ticket } from '../ticket-query.ts'
import { type Address, nameOf } from './mail-addresses.ts'

/** Makes someone on a mail the customer of the ticket, with an Undo. */
export async function makeCustomer({ id, customer: before }: Ticket, person: Address): Promise<void> {
  if (!(await change(id, person))) return
  pushUndo({
    label: `${nameOf(person)} is the customer now`,
    undo: async () => {
      if (before.email) await change(id, { name: before.name, address: before.email })
    },
  })
}

async function change(id: string, { name, address }: Address): Promise<boolean> {
  try {
    const body = { email: address, ...(name && { name }) }
    const ticket = await ask(api.console.tickets({ id }).customer.post(body))
    const { customer } = ticket
    patchTicket(id, (known) => ({ ...known, ticket }))
    patchRow(id, (row) => ({
      ...row,
      customer: { ...row.customer, name: customer.name, email: customer.email },
    }))
    void queries.invalidateQueries({ queryKey: queryKeys.customers })
    return true
  } catch (error) {
    toastError(`Couldn't change the customer. ${errorMessage(error)}`)
    return false
  } finally {
    void readTicketAgain(id)
  }
}
