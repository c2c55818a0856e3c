import { infiniteQueryOptions } from '@tanstack/solid-query'
import { type Answer, api, ask } from '../../api/api.ts'
import { queryKeys } from '../../api/query-keys.ts'

export type AuditEntry = Answer<typeof api.console.audit.get>['data'][number]

const PAGE_SIZE = 50

export const auditQuery = (filter: { action?: string }) =>
  infiniteQueryOptions({
    queryKey: queryKeys.auditEntries(filter),
    queryFn: ({ pageParam }) =>
      ask(
        api.console.audit.get({
          query: { ...filter, limit: PAGE_SIZE, ...(pageParam && { cursor: pageParam }) },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }: { nextCursor?: string | undefined }) => nextCursor,
    // Always reloaded, so that recent actions show up.
    staleTime: 0,
  })
