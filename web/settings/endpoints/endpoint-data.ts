import CircleAlert from 'lucide-solid/icons/circle-alert'
import CircleCheck from 'lucide-solid/icons/circle-check'
import CirclePause from 'lucide-solid/icons/circle-pause'
import CircleX from 'lucide-solid/icons/circle-x'
import TriangleAlert from 'lucide-solid/icons/triangle-alert'
import { type Answer, api, ask } from '../../api/api.ts'
import { createResource } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import type { ShownState } from '../detail-list.tsx'

export type Endpoint = Answer<typeof api.console.endpoints.get>['data'][number]
export type WebhookEvent = Endpoint['events'][number]
type Channel = Endpoint['channels'][number]
type ChangedField = Endpoint['changes'][number]

/** As its form has them: tags are separated by commas. */
export type EndpointValues = Pick<Endpoint, 'url' | 'description' | 'events' | 'channels' | 'changes'> & {
  tags: string
}

/** The events an endpoint can subscribe to. */
export const EVENTS: { event: WebhookEvent; text: string }[] = [
  { event: 'ticket.created', text: 'A customer opened a ticket, through any channel.' },
  { event: 'message.sent', text: 'A customer or an agent sent a message.' },
  { event: 'ticket.updated', text: 'Its status, assignee, tags or another field changed.' },
  { event: 'ticket.deleted', text: 'A ticket was deleted permanently.' },
  { event: 'ticket.imported', text: 'A ticket came from another system, with its history.' },
  { event: 'message.updated', text: 'A message was sent, failed or bounced, or its files arrived late.' },
  { event: 'note.added', text: 'An agent wrote a note, which customers never see.' },
  { event: 'suggestion.added', text: 'A program suggested an answer to agents.' },
  { event: 'suggestion.closed', text: 'An agent decided about a suggestion, or it was overtaken.' },
  { event: 'customer.updated', text: 'The name, an address or another field of a customer changed.' },
  { event: 'customer.deleted', text: 'A customer was deleted with their tickets.' },
  { event: 'customer.merged', text: 'A customer was merged into another one.' },
]
/** What a new endpoint is subscribed to. */
export const USUAL_EVENTS: WebhookEvent[] = ['ticket.created', 'message.sent']
export const CHANNELS: Channel[] = ['email', 'widget', 'telegram', 'api']
export const CHANGES: { value: ChangedField; label: string }[] = [
  { value: 'status', label: 'Status' },
  { value: 'assignedTo', label: 'Assignee' },
  { value: 'tags', label: 'Tags' },
  { value: 'spam', label: 'Spam' },
  { value: 'snoozedUntil', label: 'Snooze' },
  { value: 'subject', label: 'Subject' },
  { value: 'customer', label: 'Customer' },
  { value: 'mergedInto', label: 'Merges' },
  { value: 'messages', label: 'Moved messages' },
  { value: 'metadata', label: 'Metadata' },
  { value: 'externalId', label: 'External ID' },
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

/** "98% of the last 100 attempts succeeded". */
export function healthSentence({ health }: Endpoint): string {
  const { successRate, recentAttempts } = health
  if (successRate === null) return 'Nothing sent yet'
  if (recentAttempts === 1)
    return successRate === 1 ? 'The only attempt succeeded' : 'The only attempt failed'
  // 99.6% must not read as all of them.
  const percent = successRate === 1 ? 100 : Math.min(99, Math.round(successRate * 100))
  return `${percent}% of the last ${recentAttempts} attempts succeeded`
}

/** Whether an endpoint gets deliveries. */
export function shownStateOf({ isOn, offReason, health }: Endpoint): ShownState {
  if (!isOn && offReason === 'manual') return { word: 'Off', tone: 'grey', icon: CirclePause }
  if (!isOn && offReason === 'gone') return { word: 'Off: gone', tone: 'red', icon: CircleX }
  if (!isOn) return { word: 'Off after failures', tone: 'red', icon: CircleAlert }
  if (health.failingSince !== null) return { word: 'Failing', tone: 'amber', icon: TriangleAlert }
  return { word: 'On', tone: 'green', icon: CircleCheck }
}
