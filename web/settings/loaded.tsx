import type { UseQueryResult } from '@tanstack/solid-query'
import { type Accessor, For, type JSX, Match, Switch } from 'solid-js'
import { isNotFound } from '../api/api-problem.ts'
import { FailedState } from '../forms/failed-state.tsx'
import { NotFound } from './not-found.tsx'

interface LoadedProps<Data> {
  query: UseQueryResult<Data>
  /** What is read: "The API keys". */
  what: string
  /** Rows of the grey picture while it is waited for. */
  rows?: number
  children: (data: Accessor<NonNullable<Data>>) => JSX.Element
}

/** What was read, or that it is on its way, could not be read, or is not there. */
export function Loaded<Data>(props: LoadedProps<Data>) {
  return (
    <Switch fallback={<RowsSkeleton rows={props.rows ?? 4} label={`${props.what}: loading`} />}>
      <Match when={props.query.data}>{(data) => props.children(data)}</Match>
      <Match when={isNotFound(props.query.error)}>
        <NotFound text="The address may be mistyped, or it has been deleted." />
      </Match>
      <Match when={props.query.isLoadingError}>
        <FailedState
          title={`${props.what} could not be read`}
          error={props.query.error}
          isBusy={props.query.isFetching}
          onRetry={() => void props.query.refetch()}
        />
      </Match>
    </Switch>
  )
}

/** Grey rows in the place of a list; they appear after 150 ms only. */
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
