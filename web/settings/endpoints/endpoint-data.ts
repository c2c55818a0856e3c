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
