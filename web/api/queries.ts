import {
  type DefaultError,
  QueryClient,
  type QueryKey,
  QueryObserver,
  type QueryObserverOptions,
  type QueryObserverResult,
  queryOptions,
} from '@tanstack/solid-query'
import { type Accessor, createMemo, createSignal, onCleanup } from 'solid-js'
import { ApiProblem } from './api-problem.ts'

const MAX_READ_RETRIES = 3
const STALE_AFTER_MS = 30_000
const CACHED_FOR_MS = 10 * 60_000

/**
 * The data read from the server. Components get it from `useQueryClient`, other code imports it. Live events say what has
 * changed, so nothing is read again on focus.
 */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: STALE_AFTER_MS,
      gcTime: CACHED_FOR_MS,
      refetchOnWindowFocus: false,
      refetchOnReconnect: true,
      networkMode: 'always',
      retry: (failures, error) => failures < MAX_READ_RETRIES && isTemporary(error),
      retryDelay: (failures) => Math.min(500 * 2 ** failures, 4_000),
      throwOnError: false,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})

/** The result of a query. Unlike with `useQuery`, unchanged parts stay the same objects, so only changes are rendered. */
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

/** Shows what the server answered to a change. A read still under way may have the state before it, so it is dropped. */
export function showSaved<Data>(queryKey: QueryKey, saved: Data): void {
  void queries.cancelQueries({ queryKey, exact: true })
  queries.setQueryData(queryKey, saved)
}

/** What there is a list of, and a page for each: their queries, and how to show what has changed. */
export function createResource<Item extends { id: string }, List>(source: {
  listKey: QueryKey
  keyOf: (id: string) => QueryKey
  readList: () => Promise<List>
  read: (id: string) => Promise<Item>
  /** What else changes with one of them. */
  affected: readonly QueryKey[]
}) {
  function changed(): void {
    for (const queryKey of [source.listKey, ...source.affected]) void queries.invalidateQueries({ queryKey })
  }
  return {
    list: queryOptions({ queryKey: source.listKey, queryFn: source.readList }),
    one: (id: string) => queryOptions({ queryKey: source.keyOf(id), queryFn: () => source.read(id) }),
    /** Reads the list again, and what else it affects. */
    changed,
    /** Shows a changed item at once, everywhere on the page. */
    show(item: Item): void {
      showSaved(source.keyOf(item.id), item)
      changed()
    },
  }
}

/** The query of a log: `read` gets the cursor of a page, an empty one for the first. It is always read again. */
export function logQuery<Page extends { nextCursor?: string | undefined }>(
  read: (cursor: string, request: { signal: AbortSignal }) => Promise<Page>,
) {
  return {
    // Only a query that reads its signal is aborted.
    queryFn: (request: { pageParam: string; signal: AbortSignal }) => read(request.pageParam, request),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }: Page) => nextCursor,
    staleTime: 0,
  }
}

/** The server was not reached or a proxy had no server. Other errors would be the same on a retry. */
function isTemporary(error: unknown): boolean {
  return error instanceof ApiProblem && (error.status === 0 || error.status >= 502)
}

/** The browser's time zone, as a query parameter for searches by day. Empty if the browser doesn't say. */
export function zone(): { zone?: string } {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  return timeZone ? { zone: timeZone } : {}
}
