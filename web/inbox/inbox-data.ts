import { createMemo } from 'solid-js'
import { api, ask } from '../api/api.ts'
import { observe, zone } from '../api/queries.ts'
import { queryKeys } from '../api/query-keys.ts'
import type { TicketPage } from '../ticket/list-cache.ts'

export type Row = TicketPage['data'][number]

/** Counts of all views, tags and saved views. The server says when some of them should be asked for again. */
export function useCounts() {
  const result = useCountsResult()
  return createMemo(() => result().data)
}

export function useCountsResult() {
  return observe(() => ({
    queryKey: queryKeys.counts,
    queryFn: () => ask(api.console.counts.get({ query: zone() })),
    refetchInterval: ({ state }) => state.data?.askAgainMs ?? false,
  }))
}

/** Undefined until they are loaded. */
export function useViewsWhenKnown() {
  const result = observe(() => ({ queryKey: queryKeys.views, queryFn: () => ask(api.console.views.get()) }))
  return createMemo(() => result().data?.data)
}

export function useSavedViews() {
  const views = useViewsWhenKnown()
  return createMemo(() => views() ?? [])
}
