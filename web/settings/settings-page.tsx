import { useLocation } from '@solidjs/router'
import Compass from 'lucide-solid/icons/compass'
import Lock from 'lucide-solid/icons/lock'
import { createEffect, createMemo, Match, on, Show, Switch } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { observe } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { checklistQuery, countSteps } from '../api/workspace.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Page } from './page-layout.tsx'
import { type LazyPalette, SettingsKeys } from './settings-keys.tsx'
import { SettingsNav } from './settings-nav.tsx'
import { matchRoute, type RouteMatch } from './settings-routes.ts'
import '../forms/card.css'
import './entry.css'
import './notice.css'
import './settings.css'

/** `/settings/*section`. On narrow screens `/settings` shows the menu, elsewhere the first page. */
export default function SettingsPage(props: { palette: LazyPalette }) {
  const session = useSession()
  const location = useLocation()
  const isAdmin = () => session().agent.role === 'admin'
  const isSetUp = useIsSetUp(isAdmin)
  const place = createMemo(() => matchRoute(location.pathname, { isAdmin: isAdmin(), isSetUp: isSetUp() }))
  let main: HTMLElement | undefined
  // A page that is known already would begin where the previous one was left.
  createEffect(
    on(
      () => location.pathname,
      () => void main?.scrollTo(0, 0),
      { defer: true },
    ),
  )

  return (
    <div class="settings" data-at={place().isTop ? 'list' : 'page'}>
      <SettingsNav isAdmin={isAdmin()} isSetUp={isSetUp() ?? true} at={place().page?.path} />
      <main class="settings-main" id="settings-main" ref={main}>
        <Show when={!(place().isTop && isAdmin() && isSetUp() === undefined)}>
          <Content place={place()} isAdmin={isAdmin()} />
        </Show>
      </main>
      <SettingsKeys isAdmin={isAdmin()} palette={props.palette} />
    </div>
  )
}

/** Whether every setup step that is possible is done. Undefined until that is known. */
function useIsSetUp(isAdmin: () => boolean) {
  const checklist = observe(() => ({ ...checklistQuery, enabled: isAdmin() }))
  return createMemo(() => {
    const { data, isError } = checklist()
    if (!data) return isError ? false : undefined
    const { done, possible } = countSteps(data.data)
    return done === possible
  })
}

function Content(props: { place: RouteMatch; isAdmin: boolean }) {
  createEffect(() => {
    document.title = `${props.place.page?.title ?? 'Page not found'} · Settings · Bellhop`
  })
  return (
    <Switch fallback={<UnknownPage />}>
      <Match when={props.place.page?.isAdminOnly && !props.isAdmin}>
        <NoPermission />
      </Match>
      <Match when={props.place.page} keyed>
        {(page) => (
          <Show when={page.detail && props.place.id} keyed fallback={<Dynamic component={page.component} />}>
            {(id) => <Dynamic component={page.detail} id={id} />}
          </Show>
        )}
      </Match>
    </Switch>
  )
}

/** Shown to agents on a page that only administrators can open. */
function NoPermission() {
  const session = useSession()
  return (
    <Page title="Admins only">
      <EmptyState
        icon={<Lock />}
        title="You can't open this page"
        text={`Ask an administrator of ${session().organization.name} to change your role.`}
        action={<a href="/settings/account">Go to your account</a>}
      />
    </Page>
  )
}

function UnknownPage() {
  return (
    <Page title="Page not found">
      <EmptyState
        icon={<Compass />}
        title="This settings page doesn't exist"
        text="Check the URL, or pick a page from the menu."
        action={<a href="/settings">Go to settings</a>}
      />
    </Page>
  )
}
