import { useNavigate } from '@solidjs/router'
import { createEffect, createSignal, on, onMount, Show } from 'solid-js'
import { useSession } from '../api/session.ts'
import { loadEditor } from '../formatting/load-editor.ts'
import { lazyDialog, lazyPage } from '../live/lazy-page.tsx'
import { useTypeAhead } from '../ticket/composer/type-ahead.ts'
import { resumeDrafts } from '../ticket/draft/drafts.ts'
import { isReopened, setReopened } from '../ticket/outgoing/mail-storage.ts'
import { preloadThreadParts } from '../ticket/thread/thread-parts.tsx'
import { knownTicket } from '../ticket/ticket-query.ts'
import { type BulkActions, createBulkActions } from './list/bulk-actions.ts'
import { useChangeKeys } from './list/change-keys.ts'
import { createListFocus, focusList, useFocusAfterClosing } from './list/list-focus.ts'
import { ListPane, preloadBulkBar } from './list/list-pane.tsx'
import { useMoveKeys } from './list/move-keys.ts'
import { createSelection } from './list/selection.ts'
import { createTicketList, type TicketList } from './list/ticket-list.ts'
import { customerName } from './list/ticket-row.tsx'
import { createLocation, type InboxLocation } from './location.ts'
import { OpenTicket, preloadTicketPane, usePrefetch } from './open-ticket.tsx'
import { usePageKeys } from './page-keys.ts'
import { usePageTitle } from './page-title.ts'
import { Palette, preloadPalette } from './palette/palette.tsx'
import { createPanes, Drawer, Splitter } from './panes.tsx'
import { Rail } from './rail/rail.tsx'
import { hrefOf } from './rail/views.ts'
import { loadSuggestions } from './search/search-field.tsx'
import './inbox-page.css'

/** Loaded with the first ticket, if not before. */
const CustomerPanel = lazyPage(async () => ({
  default: (await import('../ticket/customer/customer-panel.tsx')).CustomerPanel,
}))
const loadPickers = () => import('./quick-pickers.tsx')
const AssignPicker = lazyDialog(async () => ({ default: (await loadPickers()).AssignPicker }))
const TagPicker = lazyDialog(async () => ({ default: (await loadPickers()).TagPicker }))
const SnoozeDialog = lazyDialog(() => import('../ticket/times/snooze-dialog.tsx'))
const KeySheet = lazyDialog(() => import('../keyboard/key-sheet.tsx'))
const NewTicketDialog = lazyDialog(() => import('../ticket/outgoing/new-ticket-dialog.tsx'))

/** After everything that the inbox itself loads. */
const PRELOAD_AFTER_MS = 2_000

type Overlay = 'palette' | 'keys' | 'assign' | 'tags' | 'snooze' | 'new'

/** The agents' main page: views, the tickets of one, the open ticket and its customer. */
export default function InboxPage() {
  const session = useSession()
  const me = () => session().agent.id
  const location = createLocation()
  const panes = createPanes()
  const list = createTicketList({
    view: location.view,
    sort: location.sort,
    me,
    openId: location.targetTicketId,
  })
  const selection = createSelection(list.ids)
  const bulkActions = createBulkActions(list, selection, location)
  const [overlay, setOverlay] = createSignal<Overlay>()
  const close = () => setOverlay(undefined)
  createEffect(() => {
    if (!isReopened()) return
    setReopened(false)
    // It may be open with another ticket.
    close()
    queueMicrotask(() => setOverlay('new'))
  })
  let search: HTMLInputElement | undefined

  usePageTitle(location)
  usePageKeys({
    location,
    panes,
    showPalette: () => setOverlay('palette'),
    showKeys: () => setOverlay('keys'),
    writeTicket: () => setOverlay('new'),
  })
  useChangeKeys({
    list,
    bulkActions,
    location,
    me,
    pickAssignee: () => setOverlay('assign'),
    pickTags: () => setOverlay('tags'),
    pickSnooze: () => setOverlay('snooze'),
  })
  useMoveKeys({ list, selection, location, focusSearch: () => search?.focus() })
  createEffect(on(location.viewId, () => selection.clear(), { defer: true }))
  createEffect(on(location.viewId, () => panes.setRailOpen(false), { defer: true }))
  useTypeAhead(location.targetTicketId)
  useFocusAfterClosing(location, list)
  const focusListSoon = createListFocus(location, list)
  usePrefetch(location, list)
  onMount(preloadTicketPane)
  createEffect(() => {
    // Safari can't tell when it is idle.
    if (location.ticketId() || !list.isLoading()) (window.requestIdleCallback ?? setTimeout)(loadEditor)
  })
  onMount(() => {
    setTimeout(() => {
      void preloadPalette()
      void loadPickers().catch(() => {})
      void loadSuggestions()
      void CustomerPanel.preload()
      preloadThreadParts()
      preloadBulkBar()
    }, PRELOAD_AFTER_MS)
  })
  onMount(() => resumeDrafts(me()))

  /** Opens a neighbor of the open ticket. Returns what leads back, unless the agent has moved on by then. */
  function step(by: number): () => void {
    const from = location.ticketId()
    const viewId = location.viewId()
    const to = list.neighbor(by, from)
    if (to === undefined) return () => {}
    goTo(to)
    return () => {
      if (from !== undefined && location.viewId() === viewId && location.targetTicketId() === to) goTo(from)
    }
  }

  function goTo(id: string): void {
    list.goTo(id)
    location.openTicket(id)
  }

  return (
    <div
      class="inbox-page"
      style={{
        '--rail-width': `${panes.width('rail')}px`,
        '--list-width': `${panes.width('list')}px`,
        '--panel-width': `${panes.width('panel')}px`,
      }}
      data-ticket={location.ticketId() !== undefined || undefined}
    >
      <button type="button" class="inbox-page-skip" onClick={() => focusList(list)}>
        Skip to list
      </button>
      <Show when={location.ticketId()}>
        <button
          type="button"
          class="inbox-page-skip"
          onClick={() => document.querySelector<HTMLElement>('.ticket-pane')?.focus()}
        >
          Skip to ticket
        </button>
      </Show>
      <Show when={panes.isRailShown()}>
        <div class="inbox-page-rail">
          <Rail location={location} onShowKeys={() => setOverlay('keys')} onDone={focusListSoon} />
        </div>
        <Splitter panes={panes} pane="rail" label="Sidebar width" />
      </Show>
      <main class="inbox-page-main">
        <div class="inbox-page-list" inert={panes.isOnePane() && location.ticketId() !== undefined}>
          <ListPane
            location={location}
            panes={panes}
            list={list}
            selection={selection}
            bulkActions={bulkActions}
            searchRef={(field) => {
              search = field
            }}
            onNewTicket={() => setOverlay('new')}
            onAssign={() => setOverlay('assign')}
            onTag={() => setOverlay('tags')}
            onSnooze={() => setOverlay('snooze')}
          />
        </div>
        <Splitter panes={panes} pane="list" label="List width" />
        <div class="inbox-page-ticket">
          <OpenTicket
            ticketId={location.ticketId()}
            isTarget={(id) => location.targetTicketId() === id}
            onClose={location.closeTicket}
            onNext={() => step(1)}
            onPrevious={() => step(-1)}
            onOpenPanel={panes.togglePanel}
          />
        </div>
      </main>
      <Show when={location.ticketId()}>
        {(id) => (
          <>
            <Show when={panes.isPanelShown()}>
              <Splitter panes={panes} pane="panel" label="Customer panel width" isLeft />
              <div class="inbox-page-panel">
                <CustomerPanel ticketId={id()} />
              </div>
            </Show>
            <Drawer
              isOpen={panes.isPanelOpen()}
              onClose={() => panes.setPanelOpen(false)}
              label="Customer"
              side="right"
            >
              <CustomerPanel ticketId={id()} />
            </Drawer>
          </>
        )}
      </Show>
      <Drawer isOpen={panes.isRailOpen()} onClose={() => panes.setRailOpen(false)} label="Menu" side="left">
        <Rail
          location={location}
          onShowKeys={() => setOverlay('keys')}
          onDone={focusListSoon}
          onNavigate={() => panes.setRailOpen(false)}
        />
      </Drawer>
      <Overlays
        overlay={overlay()}
        onClose={close}
        location={location}
        list={list}
        bulkActions={bulkActions}
      />
    </div>
  )
}

interface OverlaysProps {
  overlay: Overlay | undefined
  onClose: () => void
  location: InboxLocation
  list: TicketList
  bulkActions: BulkActions
}

/** What opens over the page by a key: one at a time. */
function Overlays(props: OverlaysProps) {
  const navigate = useNavigate()

  /** What the command menu's ticket actions change. */
  function targetName(): string | undefined {
    const [id, ...others] = props.bulkActions.targets()
    if (id === undefined) return undefined
    if (others.length > 0) return `${others.length + 1} tickets`
    const ticket = props.list.row(id) ?? knownTicket(id)?.ticket
    return ticket && `${customerName(ticket)} · ${ticket.subject || 'No subject'}`
  }

  function toggleTag(tag: string): void {
    const isCommon = props.bulkActions.commonTags().includes(tag)
    props.bulkActions.changeAndKeep(
      isCommon ? { removeTags: [tag] } : { addTags: [tag] },
      isCommon ? `Removed “${tag}”` : `Tagged “${tag}”`,
    )
  }

  return (
    <>
      <Palette
        isOpen={props.overlay === 'palette'}
        onClose={props.onClose}
        ticketId={props.location.ticketId()}
        target={targetName()}
        isSelection={props.bulkActions.isSelection()}
      />
      <KeySheet isOpen={props.overlay === 'keys'} onClose={props.onClose} hasTickets />
      <NewTicketDialog
        isOpen={props.overlay === 'new'}
        onClose={props.onClose}
        onOpened={({ id }) => {
          props.onClose()
          navigate(hrefOf('open', { ticketId: id }), { scroll: false })
        }}
      />
      <AssignPicker
        isOpen={props.overlay === 'assign'}
        onClose={props.onClose}
        count={props.bulkActions.targets().length}
        selected={props.bulkActions.commonAssignee()}
        onPick={(assignedTo, done) => props.bulkActions.change({ assignedTo }, done)}
      />
      <TagPicker
        isOpen={props.overlay === 'tags'}
        onClose={props.onClose}
        count={props.bulkActions.targets().length}
        selected={props.bulkActions.commonTags()}
        onPick={toggleTag}
      />
      <SnoozeDialog
        isOpen={props.overlay === 'snooze'}
        onClose={props.onClose}
        title={countedTitle(props.bulkActions.targets().length)}
        onPick={(snooze) => props.bulkActions.change(snooze)}
      />
    </>
  )
}

function countedTitle(count: number): string {
  return count === 1 ? 'Snooze' : `Snooze ${count} tickets`
}
