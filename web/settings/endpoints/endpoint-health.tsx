import CircleAlert from 'lucide-solid/icons/circle-alert'
import CircleCheck from 'lucide-solid/icons/circle-check'
import CirclePause from 'lucide-solid/icons/circle-pause'
import CircleX from 'lucide-solid/icons/circle-x'
import TriangleAlert from 'lucide-solid/icons/triangle-alert'
import { type Component, Show } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { DetailList } from '../detail-list.tsx'
import type { Endpoint } from './endpoint-data.ts'

/** Success rate of recent deliveries, and the latest error. */
export function Health(props: { endpoint: Endpoint }) {
  const health = () => props.endpoint.health
  return (
    <>
      <Show when={offSentence(props.endpoint)}>{(sentence) => <p class="notice">{sentence()}</p>}</Show>
      <DetailList
        items={[
          { name: 'Deliveries', value: healthSentence(props.endpoint) },
          { name: 'Last success', value: timeOr(health().lastSuccessAt, 'None yet') },
          {
            name: 'Last error',
            value: (
              <Show when={health().lastError} fallback="None yet">
                {(error) => (
                  <>
                    {error().sentence} <span class="muted">{timeOr(health().lastErrorAt, '')}</span>
                  </>
                )}
              </Show>
            ),
          },
          ...(health().failingSince
            ? [{ name: 'Failing since', value: timeOr(health().failingSince, '') }]
            : []),
        ]}
      />
    </>
  )
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

function timeOr(at: string | null, otherwise: string) {
  return (
    <Show when={at} fallback={otherwise}>
      {(time) => <RelativeTime at={time()} isLong />}
    </Show>
  )
}

interface Shown {
  word: string
  tone: Tone
  icon: Component<{ size?: number }>
}

/** Whether an endpoint gets deliveries, as word, icon and color. */
export function EndpointState(props: { endpoint: Endpoint }) {
  const shown = () => shownState(props.endpoint)
  return (
    <Badge tone={shown().tone}>
      <Dynamic component={shown().icon} size={12} />
      {shown().word}
    </Badge>
  )
}

/** Why the endpoint is off and what to do. Undefined while it is on. */
function offSentence({ offReason }: Endpoint): string | undefined {
  switch (offReason) {
    case null:
      return undefined
    case 'manual':
      return 'Turned off manually. New deliveries are queued until you turn it on.'
    case 'failing':
      return 'Turned off after failing for 5 days. Deliveries are queued: fix it, send a test, then turn it on.'
    case 'gone':
      return 'Turned off because it returned 410 Gone. Deliveries are queued until you turn it on.'
  }
}

function shownState({ isOn, offReason, health }: Endpoint): Shown {
  if (!isOn && offReason === 'manual') return { word: 'Off', tone: 'grey', icon: CirclePause }
  if (!isOn && offReason === 'gone') return { word: 'Off: gone', tone: 'red', icon: CircleX }
  if (!isOn) return { word: 'Off after failures', tone: 'red', icon: CircleAlert }
  if (health.failingSince !== null) return { word: 'Failing', tone: 'amber', icon: TriangleAlert }
  return { word: 'On', tone: 'green', icon: CircleCheck }
}
