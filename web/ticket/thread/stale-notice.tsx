import { Show } from 'solid-js'
import { connection } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { leaveFocusToPane } from '../focus-in-pane.ts'

/** One failure may be a stumble. */
const WORTH_SAYING = 2

/** How reading the ticket again goes. */
export interface Reading {
  isError: boolean
  isFetching: boolean
  failureCount: number
  refetch: () => unknown
}

/** Something has changed that could not be read: what stands above is not all there is. Without a connection the banner says more. */
export function OldThread(props: { reading: Reading }) {
  const isOld = () => props.reading.isError || props.reading.failureCount >= WORTH_SAYING
  return (
    <Show when={isOld() && connection().state === 'online'}>
      <OldLine reading={props.reading} />
    </Show>
  )
}

function OldLine(props: { reading: Reading }) {
  let line: HTMLDivElement | undefined
  leaveFocusToPane(() => line)
  return (
    <div class="thread-old" role="status" ref={line}>
      There is news of this ticket that could not be read yet.
      <Button size="small" look="quiet" onClick={() => void props.reading.refetch()}>
        Try again
      </Button>
    </div>
  )
}
