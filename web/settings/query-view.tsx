import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/solid-query'
import MapPinOff from 'lucide-solid/icons/map-pin-off'
import { type Accessor, For, type JSX, Match, Show, Switch } from 'solid-js'
import { isNotFound } from '../api/api-problem.ts'
import { FailedQuery } from '../forms/failed-state.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import './query-view.css'

interface QueryViewProps<Data> {
  query: UseQueryResult<Data>
  /** What is loaded, within a sentence: "API keys". */
  what: string
  /** Rows of the skeleton shown while loading. */
  rows?: number
  children: (data: Accessor<NonNullable<Data>>) => JSX.Element
}

/** Shows the data of a query, or its loading, not-found or failed state. */
export function QueryView<Data>(props: QueryViewProps<Data>) {
  return (
    <Switch fallback={<RowsSkeleton rows={props.rows ?? 4} label={`Loading ${props.what}`} />}>
      <Match when={props.query.data}>{(data) => props.children(data)}</Match>
      <Match when={isNotFound(props.query.error)}>
        <NotFound text="Check the URL. It may also have been deleted." />
      </Match>
      <Match when={props.query.isLoadingError}>
        <FailedQuery title={`Couldn't load ${props.what}`} query={props.query} />
      </Match>
    </Switch>
  )
}

interface LogViewProps<Row> {
  query: UseInfiniteQueryResult<InfiniteData<{ data: Row[] }>>
  /** What is loaded, within a sentence: "deliveries". */
  what: string
  children: (rows: Accessor<Row[]>) => JSX.Element
}

/** Shows the rows of a log that is loaded page by page, or its loading or failed state. */
export function LogView<Row>(props: LogViewProps<Row>) {
  const rows = () => props.query.data?.pages.flatMap(({ data }) => data)
  return (
    <Show
      when={!props.query.isLoadingError}
      fallback={<FailedQuery title={`Couldn't load ${props.what}`} query={props.query} />}
    >
      <Show when={rows()} fallback={<RowsSkeleton rows={8} label={`Loading ${props.what}`} />}>
        {(found) => props.children(found)}
      </Show>
    </Show>
  )
}

/** Gray rows in place of a list. They appear after 150 ms. */
function RowsSkeleton(props: { rows: number; label: string }) {
  return (
    <div class="entry-list is-late" role="status" aria-label={props.label}>
      <For each={Array.from({ length: props.rows })}>
        {() => (
          <div class="entry query-view-waiting">
            <span />
            <span />
          </div>
        )}
      </For>
    </div>
  )
}

/** Shown on the page of an item, such as an endpoint, that does not exist. */
export function NotFound(props: { text: string }) {
  return (
    <EmptyState
      icon={<MapPinOff />}
      title="Page not found"
      text={props.text}
      action={<a href="/inbox">Go to inbox</a>}
    />
  )
}

/** A button that loads the next page of a list, while there is one. */
export function ShowMore(props: { query: UseInfiniteQueryResult }) {
  return (
    <Show when={props.query.hasNextPage}>
      <div class="query-view-more">
        <Button isBusy={props.query.isFetchingNextPage} onClick={() => void props.query.fetchNextPage()}>
          Show more
        </Button>
      </div>
    </Show>
  )
}
