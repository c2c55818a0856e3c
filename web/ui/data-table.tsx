import { For, type JSX, Show } from 'solid-js'
import './data-table.css'
import { FailedState } from './failed-state.tsx'
import { Skeleton } from './skeleton.tsx'

export interface Column<Row> {
  head: string
  cell: (row: Row) => JSX.Element
  /** Only as wide as what stands in it. */
  isNarrow?: boolean
  /** Numbers and buttons stand at the right. */
  isRight?: boolean
  /** Left out where there is little room. */
  isMinor?: boolean
  /** The head is for screen readers only: a column of buttons. */
  isHeadHidden?: boolean
}

interface DataTableProps<Row> {
  /** What is listed, for screen readers: "API keys". */
  label: string
  columns: readonly Column<Row>[]
  /** Undefined while it is on its way. */
  rows: readonly Row[] | undefined
  /** What was thrown instead. */
  error?: unknown
  onRetry?: () => void
  /** Makes the row a thing to open, with a press or Enter. */
  onOpen?: (row: Row) => void
  /** An `EmptyState`. */
  empty: JSX.Element
}

/** A list in columns, with its waiting, its failing and its empty state. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  return (
    <Show when={!props.error} fallback={<Failed {...props} />}>
      <Show when={props.rows} fallback={<Skeleton lines={6} label={`Loading ${props.label}`} />}>
        {(rows) => (
          <Show when={rows().length > 0} fallback={props.empty}>
            <div class="data-table-frame">
              <table class="data-table" aria-label={props.label}>
                <thead>
                  <tr>
                    <For each={props.columns}>{(column) => <Head column={column} />}</For>
                  </tr>
                </thead>
                <tbody>
                  <For each={rows()}>
                    {(row) => <TableRow row={row} columns={props.columns} onOpen={props.onOpen} />}
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

function Failed<Row>(props: DataTableProps<Row>) {
  const retry = () => props.onRetry?.()
  return <FailedState title={`${props.label} could not be loaded`} error={props.error} onRetry={retry} />
}

function Head<Row>(props: { column: Column<Row> }) {
  return (
    <th
      scope="col"
      data-narrow={props.column.isNarrow}
      data-right={props.column.isRight}
      data-minor={props.column.isMinor}
    >
      <span classList={{ unseen: props.column.isHeadHidden }}>{props.column.head}</span>
    </th>
  )
}

function TableRow<Row>(props: { row: Row; columns: readonly Column<Row>[]; onOpen?: (row: Row) => void }) {
  function open(event: Event) {
    // A button or a link inside does its own thing.
    if (event.target instanceof Element && event.target.closest('a, button, input, label')) return
    props.onOpen?.(props.row)
  }
  return (
    <tr
      tabIndex={props.onOpen ? 0 : undefined}
      data-opens={props.onOpen ? '' : undefined}
      onClick={open}
      onKeyDown={(event) => event.key === 'Enter' && open(event)}
    >
      <For each={props.columns}>
        {(column) => (
          <td data-narrow={column.isNarrow} data-right={column.isRight} data-minor={column.isMinor}>
            {column.cell(props.row)}
          </td>
        )}
      </For>
    </tr>
  )
}
