import { Navigate, type RouteSectionProps, useLocation } from '@solidjs/router'
import { queryOptions, useQuery } from '@tanstack/solid-query'
import { type Accessor, createContext, Match, Switch, useContext } from 'solid-js'
import { type Answer, api, ask } from './api/api.ts'
import { codeOf } from './api/api-problem.ts'
import { FailedState } from './forms/failed-state.tsx'
import { HeldNotices } from './inbox/held-reply-notices.tsx'
import { LiveBanner } from './live/live-banner.tsx'
import { SignInAgain } from './sign-in/sign-in-again.tsx'
import { SignOutDialog } from './sign-in/sign-out.tsx'

/** Who is signed in, of which organization. */
export type SessionData = Answer<typeof api.console.session.get>

/** `useQuery(() => sessionQuery)` anywhere; `useSession` where somebody is signed in for certain. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => ask(api.console.session.get()),
  staleTime: Number.POSITIVE_INFINITY,
})

const SessionContext = createContext<Accessor<SessionData>>()

/** Who is signed in. Only on pages behind `Session`. */
export function useSession(): Accessor<SessionData> {
  const session = useContext(SessionContext)
  if (!session) throw new Error('This page does not stand behind Session in routes.tsx.')
  return session
}

/** Pages behind it appear once it is known who is signed in; nobody is sent to sign in, and back here afterwards. */
export function Session(props: RouteSectionProps) {
  const query = useQuery(() => sessionQuery)
  const location = useLocation()
  const here = () => location.pathname + location.search
  return (
    <Switch>
      {/* Also when it was asked for again and refused: the page stays, and asks to sign in over it. */}
      <Match when={query.data}>
        {(data) => (
          <SessionContext.Provider value={data}>
            <div class="with-banner">
              <LiveBanner />
              {props.children}
            </div>
            <HeldNotices />
            <SignInAgain session={data()} />
            <SignOutDialog />
          </SessionContext.Provider>
        )}
      </Match>
      <Match when={codeOf(query.error) === 'signed_out'}>
        <Navigate href={`/sign-in?to=${encodeURIComponent(here())}`} />
      </Match>
      <Match when={query.error}>
        {(error) => (
          <FailedState
            title="Bellhop cannot be reached"
            error={error()}
            onRetry={() => query.refetch()}
            isBusy={query.isFetching}
          />
        )}
      </Match>
    </Switch>
  )
}
