import { queryOptions } from '@tanstack/solid-query'
import { type Answer, api, ask } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'

export type Endpoint = Answer<typeof api.console.endpoints.get>['data'][number]
export type WebhookEvent = Endpoint['events'][number]

/** What may be listened to, and what each says. */
export const EVENTS: { event: WebhookEvent; text: string }[] = [
  { event: 'ticket.created', text: 'A customer has opened a ticket, through any channel.' },
  { event: 'message.sent', text: 'A customer or an agent has written a message.' },
]

export const endpointsQuery = queryOptions({
  queryKey: queryKeys.endpoints,
  queryFn: () => ask(api.console.endpoints.get()),
})

export const endpointQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.endpoint(id),
    queryFn: () => ask(api.console.endpoints({ id }).get()),
  })

/** Shows what the server answered to a change, at once and everywhere. */
export function showEndpoint(endpoint: Endpoint): void {
  queries.setQueryData(['endpoint', endpoint.id], endpoint)
  void queries.invalidateQueries({ queryKey: queryKeys.endpoints })
  void queries.invalidateQueries({ queryKey: queryKeys.checklist })
}

/** "hooks.example.com/bellhop": what one endpoint is told from another by. */
export function shortAddress(url: string): string {
  return url.replace(/^https:\/\//, '').replace(/\/$/, '')
}
