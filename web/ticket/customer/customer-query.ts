import { queryOptions } from '@tanstack/solid-query'
import { type Answer, api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries, showSaved } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { toastError } from '../../ui/toaster.tsx'
import { pushUndo } from '../changes/undo.ts'

export type Customer = Answer<ReturnType<typeof api.console.customers>['get']>
type CustomerChange = Partial<Pick<Customer, 'name' | 'emails' | 'company' | 'phone' | 'note'>>

/** A customer with their newest tickets. An empty id reads nothing. */
export function customerQuery(id: string) {
  return queryOptions({
    queryKey: queryKeys.customer(id),
    queryFn: () => ask(api.console.customers({ id }).get()),
    enabled: id !== '',
  })
}

/**
 * Changes a customer: the page shows it at once, and `label` says what was done, with Undo. If the server refuses, it says
 * why and shows what was there before. Returns whether it was done.
 */
export async function changeCustomer(
  customer: Customer,
  change: CustomerChange,
  label: string,
): Promise<boolean> {
  const before = pick(customer, change)
  if (!(await save(customer.id, change))) return false
  pushUndo({ label, undo: async () => void (await save(customer.id, before)) })
  return true
}

async function save(id: string, change: CustomerChange): Promise<boolean> {
  const key = queryKeys.customer(id)
  const known = queries.getQueryData<Customer>(key)
  if (known) queries.setQueryData<Customer>(key, { ...known, ...change })
  try {
    showSaved(key, await ask(api.console.customers({ id }).patch(change)))
    readCustomersAgain()
    return true
  } catch (error) {
    if (known) queries.setQueryData(key, known)
    toastError(errorMessage(error))
    return false
  }
}

/** Reads again what shows customers: their list, and their names on tickets. */
function readCustomersAgain(): void {
  for (const queryKey of [queryKeys.customerLists, queryKeys.tickets, queryKeys.anyTicket]) {
    void queries.invalidateQueries({ queryKey })
  }
}

function pick(customer: Customer, change: CustomerChange): CustomerChange {
  const names = Object.keys(change) as (keyof CustomerChange)[]
  return Object.fromEntries(names.map((name) => [name, customer[name]]))
}
