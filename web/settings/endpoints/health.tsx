import { Show } from 'solid-js'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Facts } from '../facts.tsx'
import type { Endpoint } from './endpoint-data.ts'
import { offSentence } from './endpoint-state.tsx'

/** Success rate of recent deliveries, and the latest error. */
export function Health(props: { endpoint: Endpoint }) {
  const health = () => props.endpoint.health
  return (
    <>
      <Show when={offSentence(props.endpoint)}>{(sentence) => <p class="notice">{sentence()}</p>}</Show>
      <Facts
        facts={[
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
