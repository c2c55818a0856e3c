import { Navigate, Route, Router, type RouteSectionProps } from '@solidjs/router'
import { part } from './live/lazy-page.tsx'
import { SignedInPage } from './signed-in-page.tsx'
import { Announcer } from './ui/announcer.tsx'
import { Toaster } from './ui/toaster.tsx'

/** Long after all that the inbox itself loads. */
const SETTINGS_AFTER_MS = 10_000

const InboxPage = part(() => import('./inbox/inbox-page.tsx'))
const SettingsPage = part(() => import('./settings/settings-page.tsx'))
const SignInPage = part(() => import('./sign-in/sign-in-page.tsx'))
const WelcomePage = part(() => import('./sign-in/welcome-page.tsx'))
const JoinPage = part(() => import('./sign-in/join-page.tsx'))
const NotFoundPage = part(() => import('./sign-in/not-found-page.tsx'))

/** Every address of the pages. The server answers the same ones with index.html (server/http/assets.ts). */
export function Routes() {
  return (
    <Router root={Root}>
      <Route path="/" component={() => <Navigate href="/inbox" />} />
      <Route path="/sign-in" component={SignInPage} preload={loadInboxWhileTyping} />
      <Route path="/welcome" component={WelcomePage} />
      <Route path="/join" component={JoinPage} />
      <Route component={SignedInPage}>
        <Route path="/inbox/:view?/:ticketId?" component={InboxPage} preload={loadSettingsLater} />
        <Route path="/settings/*section" component={SettingsPage} />
      </Route>
      <Route path="*" component={NotFoundPage} />
    </Router>
  )
}

/** The inbox is there when the password is typed, and is not in the way of the page that asks for it. */
function loadInboxWhileTyping(): void {
  window.addEventListener('input', () => void InboxPage.preload(), { once: true })
}

let willLoadSettings = false

/** So that the way there is open also while the server is away. */
function loadSettingsLater(): void {
  if (willLoadSettings) return
  willLoadSettings = true
  setTimeout(() => void SettingsPage.preload(), SETTINGS_AFTER_MS)
}

function Root(props: RouteSectionProps) {
  return (
    <>
      {props.children}
      <Toaster />
      <Announcer />
    </>
  )
}
