import { queryOptions } from '@tanstack/solid-query'
import { type Answer, api, ask } from '../../api/api.ts'
import { queryKeys } from '../../api/query-keys.ts'

export type Customer = Answer<ReturnType<typeof api.console.customers>['get']>

/** A customer with their newest tickets. An empty id reads nothing. */
export function customerQuery(id: string) {
  return queryOptions({
    queryKey: queryKeys.customer(id),
    queryFn: () => ask(api.console.customers({ id }).get()),
    enabled: id !== '',
  })
}
