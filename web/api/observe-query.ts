import {
  type DefaultError,
  type QueryKey,
  QueryObserver,
  type QueryObserverOptions,
  type QueryObserverResult,
} from '@tanstack/solid-query'
import { type Accessor, createMemo, createSignal, onCleanup } from 'solid-js'
import { queries } from './queries.ts'

/**
 * What a query knows now. Unlike with `useQuery`, what has not changed stays the same object, so that only what has
 * changed is drawn again.
 */
export function observe<Data, Key extends QueryKey>(
  options: () => QueryObserverOptions<Data, DefaultError, Data, Data, Key>,
): Accessor<QueryObserverResult<Data>> {
  const current = createMemo(() => {
    const observer = new QueryObserver(queries, options())
    const [result, setResult] = createSignal(observer.getCurrentResult())
    onCleanup(observer.subscribe(setResult))
    return result
  })
  return () => current()()
}
