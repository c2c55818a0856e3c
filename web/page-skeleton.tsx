import { Show } from 'solid-js'
import { Skeleton } from './ui/skeleton.tsx'
import './page-skeleton.css'

/** The frame of the page while the session is loading: rail, list and ticket, or the pages of the settings. */
export function PageSkeleton(props: { hasList: boolean }) {
  return (
    <div class="page-skeleton late">
      <div class="page-skeleton-pane" data-pane="rail">
        <Skeleton lines={9} label="Loading Bellhop" />
      </div>
      <Show when={props.hasList}>
        <div class="page-skeleton-pane" data-pane="list">
          <Skeleton lines={15} />
        </div>
      </Show>
      <div class="page-skeleton-pane" data-pane="main">
        <Show when={!props.hasList}>
          <Skeleton lines={6} />
        </Show>
      </div>
    </div>
  )
}
