import { For, type JSX, Show } from 'solid-js'
import './data-table.css'
import { FailedState } from '../forms/failed-state.tsx'
import { Skeleton } from '../ui/skeleton.tsx'

export interface Column<Row> {
  head: string
  cell: (row: Row) => JSX.Element
  /** Only as wide as its content. */
  isNarrow?: boolean
}

interface DataTableProps<Row> {
  /** For screen readers and messages: "audit log". */
  label: string
  columns: readonly Column<Row>[]
  /** Undefined while loading. */
  rows: readonly Row[] | undefined
  /** What was thrown while loading. */
  error?: unknown
  onRetry: () => void
  /** An `EmptyState`. */
  empty: JSX.Element
}

/** A table with loading, failed and empty states. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  return (
    <Show
      when={!props.error}
      fallback={
        <FailedState title={`Couldn't load the ${props.label}`} error={props.error} onRetry={props.onRetry} />
      }
    >
      <Show when={props.rows} fallback={<Skeleton lines={6} label={`Loading the ${props.label}`} />}>
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
