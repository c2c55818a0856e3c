import SearchX from 'lucide-solid/icons/search-x'
import { Show } from 'solid-js'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import type { TicketList } from './ticket-list.ts'
import './too-broad.css'

interface TooBroadProps {
  list: TicketList
  /** The server's sentence: what to add to the search. */
  advice: string
}

/** Below the tickets that a search found before it stopped, or in place of them. */
export function TooBroad(props: TooBroadProps) {
  const older = () => (
    <Show when={props.list.hasMore()}>
      <Button size="small" isBusy={props.list.isLoadingMore()} onClick={props.list.loadMore}>
        Search older tickets
      </Button>
    </Show>
  )
  return (
    <Show
      when={props.list.ids().length > 0}
      fallback={
        <div class="too-broad-only">
          <EmptyState
            icon={<SearchX />}
            title="Nothing in the newest tickets"
            text={props.advice}
            action={older()}
          />
        </div>
      }
    >
      <div class="too-broad">
        <p class="too-broad-text">{props.advice}</p>
        {older()}
      </div>
    </Show>
  )
}
