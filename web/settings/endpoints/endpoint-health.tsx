import CircleAlert from 'lucide-solid/icons/circle-alert'
import CircleCheck from 'lucide-solid/icons/circle-check'
import CirclePause from 'lucide-solid/icons/circle-pause'
import CircleX from 'lucide-solid/icons/circle-x'
import TriangleAlert from 'lucide-solid/icons/triangle-alert'
import { Show } from 'solid-js'
import { DetailList, type ShownState, StateBadge, timeOr } from '../detail-list.tsx'
import type { Endpoint } from './endpoint-data.ts'

/** Success rate of recent deliveries, and the latest error. */
export function EndpointHealth(props: { endpoint: Endpoint }) {
  const health = () => props.endpoint.health
  return (
    <>
      <Show when={offSentence(props.endpoint)}>{(sentence) => <p class="notice">{sentence()}</p>}</Show>
      <DetailList
        items={{
          Deliveries: healthSentence(props.endpoint),
          'Last success': timeOr(health().lastSuccessAt, 'None yet'),
          'Last error': (
            <Show when={health().lastError} fallback="None yet">
              {(error) => (
                <>
                  {error().sentence} <span class="muted">{timeOr(health().lastErrorAt, '')}</span>
                </>
              )}
            </Show>
          ),
          'Failing since': health().failingSince ? timeOr(health().failingSince, '') : undefined,
        }}
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

/** Whether an endpoint gets deliveries, as word, icon and color. */
export function EndpointState(props: { endpoint: Endpoint }) {
  return <StateBadge state={stateOf(props.endpoint)} />
}

function stateOf({ isOn, offReason, health }: Endpoint): ShownState {
  if (!isOn && offReason === 'manual') return { word: 'Off', tone: 'grey', icon: CirclePause }
  if (!isOn && offReason === 'gone') return { word: 'Off: gone', tone: 'red', icon: CircleX }
  if (!isOn) return { word: 'Off after failures', tone: 'red', icon: CircleAlert }
  if (health.failingSince !== null) return { word: 'Failing', tone: 'amber', icon: TriangleAlert }
  return { word: 'On', tone: 'green', icon: CircleCheck }
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
