import { createSignal } from 'solid-js'
import type { api } from '../../api/api.ts'
import { readStored, store } from '../../browser/local-storage.ts'

type ListInput = NonNullable<NonNullable<Parameters<typeof api.console.tickets.get>[0]>['query']>
export type Sort = NonNullable<ListInput['sort']>

const KEY = 'bellhop.sorts'
/** More than anyone uses: an old one is forgotten before the storage fills up. */
const MAX_REMEMBERED = 100

export const DEFAULT_SORT = 'message_desc' satisfies Sort
const SORTS: readonly NamedSort[] = [
  { sort: DEFAULT_SORT, name: 'Latest message' },
  { sort: 'waiting', name: 'Waiting longest' },
  { sort: 'created_desc', name: 'Newest' },
]
/** The first order of views that have one of their own. */
const OWN_SORTS: Record<string, NamedSort> = {
  mentions: { sort: 'mention_desc', name: 'Latest mention' },
  snoozed: { sort: 'wake', name: 'Waking first' },
}

interface NamedSort {
  sort: Sort
  name: string
}

/** The orders that a view can be put in, its default first. */
export function sortsOf(viewId: string): readonly NamedSort[] {
  const own = OWN_SORTS[viewId]
  return own ? [own, ...SORTS] : SORTS
}

export function defaultSortOf(viewId: string): Sort {
  return OWN_SORTS[viewId]?.sort ?? DEFAULT_SORT
}

/** The orders that differ from the default, by view, stored in this browser. */
const [sorts, setSorts] = createSignal(readStored(KEY, isRecord, {}))

/** The order that a view was last put in. */
export function sortOfView(viewId: string): Sort {
  return sortNamed(viewId, sorts()[viewId]) ?? defaultSortOf(viewId)
}

export function rememberSort(viewId: string, sort: Sort): void {
  const { [viewId]: _, ...others } = sorts()
  const kept = Object.fromEntries(Object.entries(others).slice(1 - MAX_REMEMBERED))
  setSorts(sort === defaultSortOf(viewId) ? kept : { ...kept, [viewId]: sort })
  store(KEY, sorts())
}

/** Undefined for anything that isn't an order of the view. */
export function sortNamed(viewId: string, name: unknown): Sort | undefined {
  return sortsOf(viewId).find(({ sort }) => sort === name)?.sort
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
