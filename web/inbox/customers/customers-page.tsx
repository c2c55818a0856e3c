import { useNavigate, useParams } from '@solidjs/router'
import { type Component, createMemo, createSignal, onMount, Show } from 'solid-js'
import { setTheme, theme } from '../../browser/theme.ts'
import { actionsIn, overviewActions, useKeys } from '../../keyboard/keys.ts'
import { lazyDialog } from '../../live/lazy-page.tsx'
import { undoLast } from '../../ticket/changes/undo.ts'
import { signOut } from '../../ticket/sign-out.tsx'
import { createLocation, type InboxLocation } from '../location.ts'
import { createPanes, Drawer, Splitter } from '../panes.tsx'
import { Rail } from '../rail/rail.tsx'
import { BUILT_IN_VIEWS, VIEW_LETTERS } from '../rail/views.ts'
import { CustomerList } from './customer-list.tsx'
import { CustomerPage } from './customer-page.tsx'
import './customers-page.css'
import '../inbox-page.css'

const KeySheet = lazyDialog(() => import('../../keyboard/key-sheet.tsx'))

/** The command menu. Its code loads after the page. */
type LazyPalette = Component<{ isOpen: boolean; onClose: () => void }> & {
  preload: () => Promise<unknown>
}

/** `/customers` lists them, `/customers/:customerId` is the page of one. The rail is that of the inbox. */
export default function CustomersPage(props: { palette: LazyPalette }) {
  const params = useParams()
  const navigate = useNavigate()
  const inbox = createLocation()
  // No view is open.
  const location: InboxLocation = { ...inbox, viewId: createMemo(() => '') }
  const panes = createPanes()
  const [overlay, setOverlay] = createSignal<'palette' | 'keys'>()
  const close = () => setOverlay(undefined)
  // Stays loaded once opened, so that closing it can return the focus.
  const isLoaded = createMemo<boolean>((was) => was || overlay() === 'palette', false)
  // Agents start typing as soon as they open it.
  onMount(() => void props.palette.preload())

  useKeys(() => [
    ...actionsIn(
      'Go to',
      BUILT_IN_VIEWS.map(({ id, name }) => ({
        id: `go-${id}`,
        label: `Go to ${name}`,
        keys: ['g', VIEW_LETTERS[id]],
        run: () => location.openView(id),
        // The palette lists the view itself.
        isKeyOnly: true,
      })),
    ),
    ...actionsIn('Go to', [
      { id: 'go-customers', label: 'Customers', keys: ['g', 'c'], run: () => navigate('/customers') },
      { id: 'account', label: 'Your account', keys: [], run: () => navigate('/settings/account') },
      { id: 'settings', label: 'Settings', keys: [], run: () => navigate('/settings') },
    ]),
    ...overviewActions(
      () => setOverlay('palette'),
      () => setOverlay('keys'),
    ),
    ...actionsIn('Everywhere', [
      { id: 'undo', label: 'Undo', keys: ['mod+z'], run: () => void undoLast() },
      { id: 'rail', label: 'Toggle sidebar', keys: ['['], run: panes.toggleRail },
      {
        id: 'theme',
        label: theme() === 'dark' ? 'Use light theme' : 'Use dark theme',
        keys: [],
        run: () => setTheme(theme() === 'dark' ? 'light' : 'dark'),
      },
      { id: 'sign-out', label: 'Sign out', keys: [], run: () => void signOut() },
    ]),
  ])

  return (
    <div class="inbox-page" style={{ '--rail-width': `${panes.width('rail')}px` }}>
      <Show when={panes.isRailShown()}>
        <div class="inbox-page-rail">
          <Rail location={location} onShowKeys={() => setOverlay('keys')} onDone={() => {}} />
        </div>
        <Splitter panes={panes} pane="rail" label="Sidebar width" />
      </Show>
      <main class="customers-page">
        <Show when={params.customerId} keyed fallback={<CustomerList panes={panes} />}>
          {(id) => <CustomerPage id={id} panes={panes} />}
        </Show>
      </main>
      <Drawer isOpen={panes.isRailOpen()} onClose={() => panes.setRailOpen(false)} label="Menu" side="left">
        <Rail
          location={location}
          onShowKeys={() => setOverlay('keys')}
          onDone={() => {}}
          onNavigate={() => panes.setRailOpen(false)}
        />
      </Drawer>
      <Show when={isLoaded()}>
        <props.palette isOpen={overlay() === 'palette'} onClose={close} />
      </Show>
      <KeySheet isOpen={overlay() === 'keys'} onClose={close} />
    </div>
  )
}
