import { useLocation, useNavigate, useParams } from '@solidjs/router'
import { createMemo, createSignal, onMount, Show } from 'solid-js'
import { useKeys } from '../../keyboard/keys.ts'
import { lazyDialog } from '../../live/lazy-page.tsx'
import { undoLast } from '../../ticket/changes/undo.ts'
import { createLocation, type InboxLocation } from '../location.ts'
import { railKeys } from '../page-keys.ts'
import { Palette, preloadPalette } from '../palette/palette.tsx'
import { createPanes, Drawer, Splitter } from '../panes.tsx'
import { Rail } from '../rail/rail.tsx'
import { CustomerList } from './customer-list.tsx'
import { CustomerPage } from './customer-page.tsx'
import './customers-page.css'
import '../inbox-page.css'

const KeySheet = lazyDialog(() => import('../../keyboard/key-sheet.tsx'))

/** `/customers` lists them, `/customers/:customerId` is the page of one. The rail is that of the inbox. */
export default function CustomersPage() {
  const params = useParams()
  const here = useLocation()
  const navigate = useNavigate()
  const inbox = createLocation()
  // No view is open.
  const location: InboxLocation = { ...inbox, viewId: createMemo(() => '') }
  const panes = createPanes()
  const [overlay, setOverlay] = createSignal<'palette' | 'keys'>()
  const close = () => setOverlay(undefined)
  const showKeys = () => setOverlay('keys')
  /** The list with its search, and whose page was open last: where "back" leads. */
  const listHref = createMemo<string>(
    (last) => (params.customerId ? last : here.pathname + here.search),
    '/customers',
  )
  const lastId = createMemo<string | undefined>((last) => params.customerId ?? last)
  onMount(() => void preloadPalette())

  useKeys(() =>
    railKeys({ location, panes, showPalette: () => setOverlay('palette'), showKeys }, navigate, [
      { id: 'undo', label: 'Undo', keys: ['mod+z'], run: () => void undoLast() },
    ]),
  )

  return (
    <div class="inbox-page" style={{ '--rail-width': `${panes.width('rail')}px` }}>
      <Show when={panes.isRailShown()}>
        <div class="inbox-page-rail">
          <Rail location={location} onShowKeys={showKeys} onDone={() => {}} />
        </div>
        <Splitter panes={panes} pane="rail" label="Sidebar width" />
      </Show>
      <main class="customers-page">
        <Show when={params.customerId} keyed fallback={<CustomerList panes={panes} lastId={lastId()} />}>
          {(id) => <CustomerPage id={id} panes={panes} listHref={listHref()} />}
        </Show>
      </main>
      <Drawer isOpen={panes.isRailOpen()} onClose={() => panes.setRailOpen(false)} label="Menu" side="left">
        <Rail
          location={location}
          onShowKeys={showKeys}
          onDone={() => {}}
          onNavigate={() => panes.setRailOpen(false)}
        />
      </Drawer>
      <Palette isOpen={overlay() === 'palette'} onClose={close} />
      <KeySheet isOpen={overlay() === 'keys'} onClose={close} />
    </div>
  )
}
