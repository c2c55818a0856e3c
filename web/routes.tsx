import { Navigate, Route, Router, type RouteSectionProps } from '@solidjs/router'
import { lazy } from 'solid-js'
import { Session } from './session.tsx'
import { Announcer } from './ui/announcer.tsx'
import { Toaster } from './ui/toaster.tsx'

const InboxPage = lazy(() => import('./inbox/inbox-page.tsx'))
const SettingsPage = lazy(() => import('./settings/settings-page.tsx'))
const SignInPage = lazy(() => import('./sign-in/sign-in-page.tsx'))
const WelcomePage = lazy(() => import('./sign-in/welcome-page.tsx'))
const JoinPage = lazy(() => import('./sign-in/join-page.tsx'))
const NowherePage = lazy(() => import('./sign-in/nowhere-page.tsx'))

/** Every address of the pages. The server answers the same ones with index.html (server/http/assets.ts). */
export function Routes() {
  return (
    <Router root={Root}>
      <Route path="/" component={() => <Navigate href="/inbox" />} />
      <Route path="/sign-in" component={SignInPage} preload={loadInboxWhileTyping} />
      <Route path="/welcome" component={WelcomePage} />
      <Route path="/join" component={JoinPage} />
      <Route component={Session}>
        <Route path="/inbox/:view?/:ticketId?" component={InboxPage} />
        <Route path="/settings/*section" component={SettingsPage} />
      </Route>
      <Route path="*" component={NowherePage} />
    </Router>
  )
}

/** The inbox is there when the password is typed, and is not in the way of the page that asks for it. */
function loadInboxWhileTyping(): void {
  window.addEventListener('input', () => void InboxPage.preload(), { once: true })
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
