import { createSignal } from 'solid-js'
import type { api } from '../../api/api.ts'
import { readStored, store } from '../../browser/local-storage.ts'

type ListInput = NonNullable<NonNullable<Parameters<typeof api.console.tickets.get>[0]>['query']>
export type Sort = NonNullable<ListInput['sort']>

const KEY = 'bellhop.sorts'
/** More than anyone uses: an old one is forgotten before the storage fills up. */
const MAX_REMEMBERED = 100

export const DEFAULT_SORT = 'message_desc' satisfies Sort
export const SORTS: readonly { sort: Sort; name: string }[] = [
  { sort: DEFAULT_SORT, name: 'Latest message' },
  { sort: 'waiting', name: 'Waiting longest' },
  { sort: 'created_desc', name: 'Newest' },
]

/** The orders that differ from the default, by view, stored in this browser. */
const [sorts, setSorts] = createSignal(readStored(KEY, isRecord, {}))

/** The order that a view was last put in. */
export function sortOfView(viewId: string): Sort {
  return sortNamed(sorts()[viewId]) ?? DEFAULT_SORT
}

export function rememberSort(viewId: string, sort: Sort): void {
  const { [viewId]: _, ...others } = sorts()
  const kept = Object.fromEntries(Object.entries(others).slice(1 - MAX_REMEMBERED))
  setSorts(sort === DEFAULT_SORT ? kept : { ...kept, [viewId]: sort })
  store(KEY, sorts())
}

/** Undefined for anything that isn't an order of the list. */
export function sortNamed(name: unknown): Sort | undefined {
  return SORTS.find(({ sort }) => sort === name)?.sort
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
