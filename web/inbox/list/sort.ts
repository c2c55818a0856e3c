import { createSignal } from 'solid-js'
import { readStored, store } from '../../browser/local-storage.ts'
import type { Sort } from './ticket-pages.ts'

const KEY = 'bellhop.sort'
export const SORTS: readonly { sort: Sort; name: string }[] = [
  { sort: 'updated_desc', name: 'Recently updated' },
  { sort: 'created_desc', name: 'Newest first' },
  { sort: 'created_asc', name: 'Oldest first' },
]

/** The sort order of every list, stored in this browser. */
export function createSort() {
  const [sort, setSort] = createSignal<Sort>(readStored(KEY, isSort, 'updated_desc'))
  return {
    sort,
    setSort(next: Sort): void {
      setSort(next)
      store(KEY, next)
    },
  }
}

function isSort(value: unknown): value is Sort {
  return SORTS.some(({ sort }) => sort === value)
}
