import { For, type JSX, Show } from 'solid-js'
import './data-table.css'
import { FailedState } from '../forms/failed-state.tsx'
import { Skeleton } from '../ui/skeleton.tsx'

export interface Column<Row> {
  head: string
  cell: (row: Row) => JSX.Element
  /** Only as wide as what stands in it. */
  isNarrow?: boolean
}

interface DataTableProps<Row> {
  /** What is listed, for screen readers: "API keys". */
  label: string
  columns: readonly Column<Row>[]
  /** Undefined while it is on its way. */
  rows: readonly Row[] | undefined
  /** What was thrown instead. */
  error?: unknown
  onRetry: () => void
  /** An `EmptyState`. */
  empty: JSX.Element
}

/** A list in columns, with its waiting, its failing and its empty state. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  return (
    <Show
      when={!props.error}
      fallback={
        <FailedState
          title={`${props.label} could not be loaded`}
          error={props.error}
          onRetry={props.onRetry}
        />
      }
    >
      <Show when={props.rows} fallback={<Skeleton lines={6} label={`Loading ${props.label}`} />}>
        {(rows) => (
          <Show when={rows().length > 0} fallback={props.empty}>
            <div class="data-table-frame">
              <table class="data-table" aria-label={props.label}>
                <thead>
                  <tr>
                    <For each={props.columns}>
                      {({ head, isNarrow }) => (
                        <th scope="col" data-narrow={isNarrow}>
                          {head}
                        </th>
                      )}
                    </For>
                  </tr>
                </thead>
                <tbody>
                  <For each={rows()}>
                    {(row) => (
                      <tr>
                        <For each={props.columns}>
                          {({ cell, isNarrow }) => <td data-narrow={isNarrow}>{cell(row)}</td>}
                        </For>
                      </tr>
                    )}
                  </For>
                </tbody>
              </table>
            </div>
          </Show>
        )}
      </Show>
    </Show>
  )
}
