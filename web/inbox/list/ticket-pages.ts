import { InfiniteQueryObserver, keepPreviousData } from '@tanstack/solid-query'
import { type Accessor, createEffect, createMemo, createSignal, onCleanup } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { queries, zone } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { withPending } from '../../ticket/changes/optimistic.ts'
import type { TicketPage } from '../../ticket/list-cache.ts'
import { DEFAULT_SORT, type Sort } from './sort.ts'

interface ListQuery {
  query: string
  sort: Sort
}

const PAGE_SIZE = 50

/** Loads a list page by page. Also used to prefetch it. */
export function pagesQuery({ query, sort }: ListQuery) {
  const inZone = zone()
  return {
    // A cursor belongs to one time zone: after a change of zone the list starts again.
    queryKey: queryKeys.ticketList(query, sort, inZone.zone),
    queryFn: async ({
      pageParam,
      signal,
    }: {
      pageParam: string
      signal: AbortSignal
    }): Promise<TicketPage> => {
      const cursor = pageParam ? { cursor: pageParam } : {}
      const page = await ask(
        api.console.tickets.get({
          query: { q: query, sort, limit: PAGE_SIZE, ...inZone, ...cursor },
          fetch: { signal },
        }),
      )
      return { ...page, data: page.data.map(withPending) }
    },
    initialPageParam: '',
    getNextPageParam: (last: TicketPage) => last.nextCursor,
  }
}

/** The loaded pages of a list. Observed directly: `useInfiniteQuery` would wrap thousands of rows in a store. */
export function createTicketPages(query: Accessor<ListQuery | undefined>, isTyping: Accessor<boolean>) {
  const options = createMemo(() => ({
    ...pagesQuery(query() ?? { query: '', sort: DEFAULT_SORT }),
    enabled: query() !== undefined,
    // While typing a search, the last results stay until there are new ones.
    placeholderData: isTyping() ? keepPreviousData : undefined,
  }))
  const observer = new InfiniteQueryObserver(queries, options())
  const [result, setResult] = createSignal(observer.getCurrentResult())
  createEffect(() => {
    observer.setOptions(options())
    setResult(() => observer.getCurrentResult())
  })
  onCleanup(observer.subscribe((next) => setResult(() => next)))
  return { result, fetchNextPage: () => observer.fetchNextPage(), refetch: () => observer.refetch() }
}
