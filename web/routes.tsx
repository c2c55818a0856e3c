import { Navigate, Route, Router, type RouteSectionProps } from '@solidjs/router'
import { createEffect, createMemo, on, onCleanup } from 'solid-js'
import { lazyPage } from './live/lazy-page.tsx'
import { onConnectionBack } from './live/live.ts'
import { SignedInPage } from './signed-in-page.tsx'
import { Announcer } from './ui/announcer.tsx'
import { closeErrors, Toaster } from './ui/toaster.tsx'

/** Well after everything that the inbox itself loads. */
const SETTINGS_AFTER_MS = 10_000

const InboxPage = lazyPage(() => import('./inbox/inbox-page.tsx'))
const CustomersPage = lazyPage(() => import('./inbox/customers/customers-page.tsx'))
// With the command menu, which belongs to the inbox: what is typed right after Ctrl+K is for it.
const SettingsPage = lazyPage(async () => {
  const [{ default: SettingsPage }, palette] = await Promise.all([
    import('./settings/settings-page.tsx'),
    import('./inbox/palette/palette.tsx'),
  ])
  return { default: () => <SettingsPage palette={palette.Palette} preloadPalette={palette.preloadPalette} /> }
})
const SignInPage = lazyPage(() => import('./sign-in/sign-in-page.tsx'))
const WelcomePage = lazyPage(() => import('./sign-in/welcome-page.tsx'))
const JoinPage = lazyPage(() => import('./sign-in/join-page.tsx'))
const ConsentPage = lazyPage(() => import('./sign-in/consent-page.tsx'))
const NotFoundPage = lazyPage(() => import('./sign-in/not-found-page.tsx'))

/** All routes of the pages. The server returns index.html for the same paths (server/http/assets.ts). */
export function Routes() {
  return (
    <Router root={Root}>
      <Route path="/" component={() => <Navigate href="/inbox" />} />
      <Route path="/sign-in" component={SignInPage} preload={loadInboxWhileTyping} />
      <Route path="/welcome" component={WelcomePage} />
      <Route path="/join" component={JoinPage} />
      <Route path="/oauth/authorize" component={ConsentPage} />
      <Route component={SignedInPage}>
        <Route path="/inbox/:view?/:ticketId?" component={InboxPage} preload={loadSettingsLater} />
        <Route path="/customers/:customerId?" component={CustomersPage} />
        <Route path="/settings/*section" component={SettingsPage} />
      </Route>
      <Route path="*" component={NotFoundPage} />
    </Router>
  )
}

/** Loads the inbox while the password is typed, without slowing down the sign-in page. */
function loadInboxWhileTyping(): void {
  window.addEventListener('input', () => void InboxPage.preload(), { once: true })
}

let willLoadSettings = false

/** Loads the settings early, so that they open even while the server is down. */
function loadSettingsLater(): void {
  if (willLoadSettings) return
  willLoadSettings = true
  setTimeout(() => void SettingsPage.preload(), SETTINGS_AFTER_MS)
}

function Root(props: RouteSectionProps) {
  const ticketId = createMemo(() => /^\/inbox\/[^/]+\/([^/]+)/.exec(props.location.pathname)?.[1])
  createEffect(on(ticketId, closeErrors, { defer: true }))
  onCleanup(onConnectionBack(closeErrors))
  return (
    <>
      {props.children}
      <Toaster />
      <Announcer />
    </>
  )
}
