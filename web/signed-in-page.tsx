import { Navigate, type RouteSectionProps, useLocation } from '@solidjs/router'
import { useQuery } from '@tanstack/solid-query'
import { createSignal, lazy, Match, onCleanup, onMount, Show, Switch } from 'solid-js'
import { codeOf, isSignedOutCode } from './api/api-problem.ts'
import { SessionContext, sessionQuery } from './api/session.ts'
import { FailedState } from './forms/failed-state.tsx'
import { HeldReplyNotices } from './inbox/held-reply-notices.tsx'
import { ChannelBanner, LiveBanner } from './live/live-banner.tsx'
import { SignInAgain } from './sign-in/sign-in-again.tsx'
import { SignOutDialog } from './ticket/sign-out.tsx'
import { Skeleton } from './ui/skeleton.tsx'
import './signed-in-page.css'

/** What waits since an earlier page is loaded and shown after the page itself. */
const NOTICES_AFTER_MS = 2_000
/** If it can't be loaded, new tickets are sent without their Undo. */
const NewTicketNotices = lazy(() =>
  import('./ticket/outgoing/new-tickets.tsx').then(
    ({ NewTicketNotices }) => ({ default: NewTicketNotices }),
    () => ({ default: () => null }),
  ),
)

/** Without it, no badge and no sound. */
const Notified = lazy(() => import('./live/notified.tsx').catch(() => ({ default: () => null })))

/** The frame of every page that needs a session. Redirects to sign-in without one, and back here afterwards. */
export function SignedInPage(props: RouteSectionProps) {
  const query = useQuery(() => sessionQuery)
  const location = useLocation()
  const here = () => location.pathname + location.search
  return (
    <Switch>
      {/* Also after the session has expired: the page stays, and asks to sign in over its content. */}
      <Match when={query.data}>
        {(data) => (
          <SessionContext.Provider value={data}>
            <div class="signed-in-page">
              <LiveBanner />
              <ChannelBanner />
              {props.children}
            </div>
            <HeldReplyNotices />
            <LaterNotices />
            <SignInAgain session={data()} />
            <SignOutDialog />
          </SessionContext.Provider>
        )}
      </Match>
      <Match when={query.isPending}>
        <PageSkeleton hasList={location.pathname.startsWith('/inbox')} />
      </Match>
      <Match when={isSignedOutCode(codeOf(query.error))}>
        <Navigate href={`/sign-in?to=${encodeURIComponent(here())}`} />
      </Match>
      <Match when={query.error}>
        {(error) => (
          <FailedState
            title="Couldn't reach the server"
            error={error()}
            onRetry={() => query.refetch()}
            isBusy={query.isFetching}
          />
        )}
      </Match>
    </Switch>
  )
}

function LaterNotices() {
  const [isLoaded, setLoaded] = createSignal(false)
  onMount(() => {
    const timer = setTimeout(async () => {
      await Promise.all([NewTicketNotices.preload(), Notified.preload()])
      setLoaded(true)
    }, NOTICES_AFTER_MS)
    onCleanup(() => clearTimeout(timer))
  })
  return (
    <Show when={isLoaded()}>
      <NewTicketNotices />
      <Notified />
    </Show>
  )
}

/** Shown while the session loads: the shape of the inbox or of the settings. */
function PageSkeleton(props: { hasList: boolean }) {
  return (
    <div class="signed-in-page-skeleton is-late">
      <div class="signed-in-page-pane" data-pane="rail">
        <Skeleton lines={9} label="Loading Bellhop" />
      </div>
      <Show when={props.hasList}>
        <div class="signed-in-page-pane" data-pane="list">
          <Skeleton lines={15} />
        </div>
      </Show>
      <div class="signed-in-page-pane" data-pane="main">
        <Show when={!props.hasList}>
          <Skeleton lines={6} />
        </Show>
      </div>
    </div>
  )
}
