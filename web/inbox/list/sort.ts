import { createSignal } from 'solid-js'
import { readStored, store } from '../../browser/local-storage.ts'
import type { Sort } from './ticket-pages.ts'

const KEY = 'bellhop.sort'
export const SORTS: readonly { sort: Sort; name: string }[] = [
  { sort: 'updated_desc', name: 'Latest change first' },
  { sort: 'created_desc', name: 'Newest ticket first' },
  { sort: 'created_asc', name: 'Oldest ticket first' },
]

/** The order of all lists, kept in this browser. */
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
