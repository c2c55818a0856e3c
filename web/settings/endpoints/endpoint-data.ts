import { queryOptions } from '@tanstack/solid-query'
import { type Answer, api, ask } from '../../api/api.ts'
import { queries, showSaved } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'

export type Endpoint = Answer<typeof api.console.endpoints.get>['data'][number]
export type WebhookEvent = Endpoint['events'][number]

/** The events an endpoint can subscribe to. */
export const EVENTS: { event: WebhookEvent; text: string }[] = [
  { event: 'ticket.created', text: 'A customer opened a ticket, through any channel.' },
  { event: 'message.sent', text: 'A customer or an agent sent a message.' },
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

/** Shows a changed endpoint at once, everywhere on the page. */
export function showEndpoint(endpoint: Endpoint): void {
  showSaved(['endpoint', endpoint.id], endpoint)
  void queries.invalidateQueries({ queryKey: queryKeys.endpoints })
  void queries.invalidateQueries({ queryKey: queryKeys.checklist })
}

/** "hooks.example.com/bellhop": the part of the URL that tells endpoints apart. */
export function shortAddress(url: string): string {
  return url.replace(/^https:\/\//, '').replace(/\/$/, '')
}
