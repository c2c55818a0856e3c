import { queryOptions } from '@tanstack/solid-query'
import { type Accessor, createContext, useContext } from 'solid-js'
import { type Answer, api, ask } from './api.ts'
import { queryKeys } from './query-keys.ts'

/** The signed-in agent and their organization. */
export type SessionData = Answer<typeof api.console.session.get>

/** For `useQuery(() => sessionQuery)` on any page. On pages inside `SignedInPage`, use `useSession`. */
export const sessionQuery = queryOptions({
  queryKey: queryKeys.session,
  queryFn: () => ask(api.console.session.get()),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Provided by `SignedInPage`. */
export const SessionContext = createContext<Accessor<SessionData>>()

/** The signed-in agent and their organization, on pages inside `SignedInPage`. */
export function useSession(): Accessor<SessionData> {
  const session = useContext(SessionContext)
  if (!session) throw new Error('useSession was called outside of SignedInPage (see routes.tsx).')
  return session
}
