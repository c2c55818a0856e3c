import { Show } from 'solid-js'
import { connection } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { leaveFocusToPane } from '../focus-in-pane.ts'

/** One failure may be temporary. */
const MIN_FAILURES = 2

/** The state of reading the ticket again. */
export interface ReadState {
  isError: boolean
  isFetching: boolean
  failureCount: number
  refetch: () => unknown
}

/** Shown when the ticket changed but couldn't be read again. While offline, the banner says so instead. */
export function StaleNotice(props: { read: ReadState }) {
  const isStale = () => props.read.isError || props.read.failureCount >= MIN_FAILURES
  return (
    <Show when={isStale() && connection().state === 'online'}>
      <Notice read={props.read} />
    </Show>
  )
}

function Notice(props: { read: ReadState }) {
  let line: HTMLDivElement | undefined
  leaveFocusToPane(() => line)
  return (
    <div class="stale-notice" role="status" ref={line}>
      Couldn't load the latest updates.
      <Button size="small" look="quiet" onClick={() => void props.read.refetch()}>
        Try again
      </Button>
    </div>
  )
}
