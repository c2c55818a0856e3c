import { useLocation, useNavigate } from '@solidjs/router'
import ArrowLeft from 'lucide-solid/icons/arrow-left'
import ChevronRight from 'lucide-solid/icons/chevron-right'
import Compass from 'lucide-solid/icons/compass'
import Lock from 'lucide-solid/icons/lock'
import {
  type Component,
  createEffect,
  createMemo,
  createSignal,
  For,
  Match,
  on,
  onMount,
  Show,
  Switch,
} from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { observe } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { checklistQuery, countSteps } from '../api/workspace.ts'
import { type KeyAction, overviewActions, useKeys } from '../keyboard/keys.ts'
import { lazyDialog } from '../live/lazy-page.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Page } from './page.tsx'
import { matchRoute, menuGroups, type RouteMatch, type SettingsRoute } from './settings-routes.ts'
import '../ui/nav-link.css'
import './settings.css'

const KeySheet = lazyDialog(() => import('../keyboard/key-sheet.tsx'))

interface SettingsPageProps {
  /** The command menu, which belongs to the inbox. */
  palette: Component<{ isOpen: boolean; onClose: () => void }>
  /** Loads what it shows. */
  preloadPalette: () => Promise<unknown>
}

/** `/settings/*section`. On narrow screens `/settings` shows the menu, elsewhere the first page. */
export default function SettingsPage(props: SettingsPageProps) {
  const session = useSession()
  const location = useLocation()
  const isAdmin = () => session().agent.role === 'admin'
  const isSetUp = useIsSetUp(isAdmin)
  const place = createMemo(() => matchRoute(location.pathname, { isAdmin: isAdmin(), isSetUp: isSetUp() }))
  let main: HTMLElement | undefined
  onMount(() => void props.preloadPalette())
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

/** The settings menu on the left. Agents see only their own account and the saved replies. */
function SettingsNav(props: { isAdmin: boolean; isSetUp: boolean; at: string | undefined }) {
  return (
    <nav class="settings-nav" aria-label="Settings">
      <a class="nav-link" href="/inbox">
        <ArrowLeft />
        <span>Inbox</span>
      </a>
      <For each={menuGroups(props.isAdmin, props)}>
        {(group) => (
          <section>
            <h2>{group.title}</h2>
            <ul>
              <For each={group.pages}>
                {(page) => <NavItem page={page} isCurrent={page.path === props.at} />}
              </For>
            </ul>
          </section>
        )}
      </For>
    </nav>
  )
}

function NavItem(props: { page: SettingsRoute; isCurrent: boolean }) {
  return (
    <li>
      <a
        class="nav-link"
        href={`/settings/${props.page.path}`}
        aria-current={props.isCurrent ? 'page' : undefined}
      >
        <Dynamic component={props.page.icon} />
        <span>{props.page.title}</span>
        <ChevronRight class="settings-nav-more" />
      </a>
    </li>
  )
}

/** The command menu and the list of keyboard shortcuts, as in the inbox. */
function SettingsKeys(props: { isAdmin: boolean; palette: SettingsPageProps['palette'] }) {
  const navigate = useNavigate()
  const [floating, setFloating] = createSignal<'palette' | 'keys'>()
  const close = () => setFloating(undefined)
  useKeys(() => [
    action('inbox', 'Back to inbox', ['g', 'i'], () => navigate('/inbox')),
    ...menuGroups(props.isAdmin).flatMap(({ pages }) =>
      pages.map(({ path, title }) =>
        action(`settings-${path}`, title, [], () => navigate(`/settings/${path}`)),
      ),
    ),
    ...overviewActions(
      () => setFloating('palette'),
      () => setFloating('keys'),
    ),
  ])
  return (
    <>
      <props.palette isOpen={floating() === 'palette'} onClose={close} />
      <KeySheet isOpen={floating() === 'keys'} onClose={close} />
    </>
  )
}

function action(id: string, label: string, keys: string[], run: () => void): KeyAction {
  return { id, label, section: 'Go to', keys, run }
}
