import type { UseInfiniteQueryResult } from '@tanstack/solid-query'
import { Show } from 'solid-js'
import { Button } from '../ui/button.tsx'

/** A button that loads the next page of a list, while there is one. */
export function ShowMore(props: { query: UseInfiniteQueryResult }) {
  return (
    <Show when={props.query.hasNextPage}>
      <div class="more">
        <Button isBusy={props.query.isFetchingNextPage} onClick={() => void props.query.fetchNextPage()}>
          Show more
        </Button>
      </div>
    </Show>
  )
}
