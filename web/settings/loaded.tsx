import type { UseQueryResult } from '@tanstack/solid-query'
import { type Accessor, For, type JSX, Match, Switch } from 'solid-js'
import { isNotFound } from '../api/api-problem.ts'
import { FailedState } from '../forms/failed-state.tsx'
import { NotFound } from './not-found.tsx'

interface LoadedProps<Data> {
  query: UseQueryResult<Data>
  /** What is loaded, within a sentence: "API keys". */
  what: string
  /** Rows of the skeleton shown while loading. */
  rows?: number
  children: (data: Accessor<NonNullable<Data>>) => JSX.Element
}

/** Shows the data of a query, or its loading, not-found or failed state. */
export function Loaded<Data>(props: LoadedProps<Data>) {
  return (
    <Switch fallback={<RowsSkeleton rows={props.rows ?? 4} label={`Loading ${props.what}`} />}>
      <Match when={props.query.data}>{(data) => props.children(data)}</Match>
      <Match when={isNotFound(props.query.error)}>
        <NotFound text="Check the URL. It may also have been deleted." />
      </Match>
      <Match when={props.query.isLoadingError}>
        <FailedState
          title={`Couldn't load ${props.what}`}
          error={props.query.error}
          isBusy={props.query.isFetching}
          onRetry={() => void props.query.refetch()}
        />
      </Match>
    </Switch>
  )
}

/** Gray rows in place of a list. They appear after 150 ms. */
export function RowsSkeleton(props: { rows: number; label: string }) {
  return (
    <div class="entries late" role="status" aria-label={props.label}>
      <For each={Array.from({ length: props.rows })}>
        {() => (
          <div class="entry entry-waiting">
            <span />
            <span />
          </div>
        )}
      </For>
    </div>
  )
}
