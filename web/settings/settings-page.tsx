import { useLocation } from '@solidjs/router'
import { createEffect, createMemo, Match, Show, Switch } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { useSession } from '../api/session.ts'
import { NoPermission } from './no-permission.tsx'
import { type Place, placeOf } from './pages.ts'
import { SettingsKeys } from './settings-keys.tsx'
import { SettingsNav } from './settings-nav.tsx'
import './settings.css'
import { UnknownPage } from './unknown-page.tsx'

/** The settings: `/settings/*section`. On narrow screens `/settings` is the list of pages, elsewhere it is the first. */
export default function SettingsPage() {
  const session = useSession()
  const location = useLocation()
  const isAdmin = () => session().agent.role === 'admin'
  const place = createMemo(() => placeOf(location.pathname, isAdmin()))

  return (
    <div class="settings" data-at={place().isTop ? 'list' : 'page'}>
      <SettingsNav isAdmin={isAdmin()} at={place().page?.path} />
      <main class="settings-main" id="settings-main">
        <Content place={place()} isAdmin={isAdmin()} />
      </main>
      <SettingsKeys isAdmin={isAdmin()} />
    </div>
  )
}

function Content(props: { place: Place; isAdmin: boolean }) {
  createEffect(() => {
    document.title = `${props.place.page?.title ?? 'Not found'} · Settings · Bellhop`
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
