import { type Answer, api, ask } from '../../api/api.ts'
import { createResource } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'

export type Endpoint = Answer<typeof api.console.endpoints.get>['data'][number]
export type WebhookEvent = Endpoint['events'][number]

/** The events an endpoint can subscribe to. */
export const EVENTS: { event: WebhookEvent; text: string }[] = [
  { event: 'ticket.created', text: 'A customer opened a ticket, through any channel.' },
  { event: 'message.sent', text: 'A customer or an agent sent a message.' },
]
export const EVENT_OPTIONS = EVENTS.map(({ event }) => ({ value: event, label: event }))

export const endpoints = createResource({
  listKey: queryKeys.endpoints,
  keyOf: queryKeys.endpoint,
  readList: () => ask(api.console.endpoints.get()),
  read: (id) => ask(api.console.endpoints({ id }).get()),
  affected: [queryKeys.checklist],
})

/** "hooks.example.com/bellhop": the part of the URL that tells endpoints apart. */
export function shortAddress(url: string): string {
  return url.replace(/^https:\/\//, '').replace(/\/$/, '')
}
