import { Show } from 'solid-js'
import { RelativeTime } from '../ui/relative-time.tsx'

/** What went wrong last with a mailbox or bot, and since when it has been failing. */
export function LastError(props: { errors: (string | null)[]; since: string | null }) {
  const errors = () => props.errors.filter((error) => error !== null)
  return (
    <Show when={errors().length > 0} fallback="None">
      {errors().join(' ')}{' '}
      <Show when={props.since}>
        {(at) => (
          <span class="muted">
            Failing since <RelativeTime at={at()} isLong />.
          </span>
        )}
      </Show>
    </Show>
  )
}

export function timeOr(at: string | null, otherwise: string) {
  return (
    <Show when={at} fallback={otherwise}>
      {(time) => <RelativeTime at={time()} isLong />}
    </Show>
  )
}
