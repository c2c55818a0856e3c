import { createSignal } from 'solid-js'
import { readStored, store } from './stored.ts'
import type { Sort } from './ticket-pages.ts'

const KEY = 'bellhop.sort'
const SORTS: readonly Sort[] = ['updated_desc', 'created_desc', 'created_asc']

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
  return SORTS.some((sort) => sort === value)
}
