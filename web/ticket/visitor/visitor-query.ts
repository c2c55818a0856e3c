import { queryOptions } from '@tanstack/solid-query'
import { type Answer, api, ask } from '../../api/api.ts'
import { queryKeys } from '../../api/query-keys.ts'

/** Pages that visitors open cause no event. */
const READ_EVERY_MS = 30_000

export type Visitor = Answer<ReturnType<typeof api.console.tickets>['visitor']['get']>

/** Who wrote a ticket in the widget. */
export function visitorQuery(ticketId: string) {
  return queryOptions({
    queryKey: queryKeys.visitor(ticketId),
    queryFn: () => ask(api.console.tickets({ id: ticketId }).visitor.get()),
    refetchInterval: READ_EVERY_MS,
  })
}
