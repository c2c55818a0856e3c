import { createEffect, createSignal, on, onMount, Show } from 'solid-js'
import { useSession } from '../api/session.ts'
import { KeySheet } from '../keyboard/key-sheet.tsx'
import { resumeDrafts } from '../ticket/composer/drafts.ts'
import { useEarlyWriting } from '../ticket/composer/type-ahead.ts'
import { CustomerPanel } from '../ticket/customer/customer-panel.tsx'
import { Drawer } from './drawer.tsx'
import { createChanging } from './list/bulk-actions.ts'
import { useChangeKeys } from './list/change-keys.ts'
import './inbox-page.css'
import { useFocusAfterClosing } from './focus-after-closing.ts'
import { createListFocus } from './list/list-focus.ts'
import { ListPane } from './list/list-pane.tsx'
import { useMoveKeys } from './list/move-keys.ts'
import { createSelection } from './list/selection.ts'
import { createSort } from './list/sort.ts'
import { createTicketList } from './list/ticket-list.ts'
import { createPlace } from './location.ts'
import { useNotifications } from './notifications.ts'
import { preloadTicketPane, ThreadPlace } from './open-ticket.tsx'
import { usePageKeys } from './page-keys.ts'
import { usePageTitle } from './page-title.ts'
import { Palette } from './palette/palette.tsx'
import { createPanes } from './panes.ts'
import { usePrefetching } from './prefetching.ts'
import { AssignPicker, TagPicker } from './quick-pickers.tsx'
import { Rail } from './rail/rail.tsx'
import { Splitter } from './splitter.tsx'

type Floating = 'palette' | 'keys' | 'assign' | 'tags'

/** Where agents work all day: lists, the tickets of one, the open ticket, its customer. */
export default function InboxPage() {
  const session = useSession()
  const me = () => session().agent.id
  const place = createPlace()
  const panes = createPanes()
  const { sort, setSort } = createSort()
  const list = createTicketList({ view: place.view, sort, me, openId: place.headingFor })
  const selection = createSelection(list.ids)
  const changing = createChanging(list, selection, place)
  const [floating, setFloating] = createSignal<Floating>()
  const close = () => setFloating(undefined)
  let search: HTMLInputElement | undefined

  usePageTitle()
  useNotifications()
  usePageKeys({
    place,
    panes,
    showPalette: () => setFloating('palette'),
    showKeys: () => setFloating('keys'),
  })
  useChangeKeys({
    list,
    changing,
    place,
    me,
    pickAssignee: () => setFloating('assign'),
    pickTags: () => setFloating('tags'),
  })
  useMoveKeys({ list, selection, place, focusSearch: () => search?.focus() })
  createEffect(on(place.viewId, () => selection.clear(), { defer: true }))
  createEffect(on(place.viewId, () => panes.setRailOpen(false), { defer: true }))
  useEarlyWriting(place.headingFor)
  useFocusAfterClosing(place, list)
  const focusList = createListFocus(place, list)
  usePrefetching(place, list)
  onMount(preloadTicketPane)
  onMount(() => resumeDrafts(me()))

  function step(by: number): void {
    const next = list.neighbour(by, place.ticketId())
    if (next === undefined) return
    list.goTo(next)
    place.openTicket(next)
  }

  function toggleTag(tag: string): void {
    const isCommon = changing.commonTags().includes(tag)
    changing.changeOn(
      isCommon ? { removeTags: [tag] } : { addTags: [tag] },
      isCommon ? `Removed “${tag}”` : `Tagged “${tag}”`,
    )
  }

  return (
    <div
      class="inbox"
      style={{
        '--rail-width': `${panes.width('rail')}px`,
        '--list-width': `${panes.width('list')}px`,
        '--panel-width': `${panes.width('panel')}px`,
      }}
      data-ticket={place.ticketId() !== undefined || undefined}
    >
      <Show when={panes.isRailShown()}>
        <div class="rail-place">
          <Rail place={place} onShowKeys={() => setFloating('keys')} onDone={focusList} />
        </div>
        <Splitter panes={panes} pane="rail" label="Width of the rail" />
      </Show>
      <main class="inbox-main">
        <div class="list-place" inert={panes.isOnePane() && place.ticketId() !== undefined}>
          <ListPane
            place={place}
            panes={panes}
            list={list}
            selection={selection}
            changing={changing}
            sort={sort()}
            onSort={setSort}
            searchRef={(field) => {
              search = field
            }}
            onAssign={() => setFloating('assign')}
            onTag={() => setFloating('tags')}
          />
        </div>
        <Splitter panes={panes} pane="list" label="Width of the list" />
        <div class="thread-place">
          <ThreadPlace
            ticketId={place.ticketId()}
            isMeant={(id) => place.headingFor() === id}
            onClose={place.closeTicket}
            onNext={() => step(1)}
            onPrevious={() => step(-1)}
            onOpenPanel={panes.togglePanel}
          />
        </div>
      </main>
      <Show when={place.ticketId()}>
        {(id) => (
          <>
            <Show when={panes.isPanelShown()}>
              <Splitter panes={panes} pane="panel" label="Width of the customer panel" isLeft />
              <div class="panel-place">
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
      <Drawer isOpen={panes.isRailOpen()} onClose={() => panes.setRailOpen(false)} label="Lists" side="left">
        <Rail
          place={place}
          onShowKeys={() => setFloating('keys')}
          onDone={focusList}
          onLeave={() => panes.setRailOpen(false)}
        />
      </Drawer>
      <Palette isOpen={floating() === 'palette'} onClose={close} ticketId={place.ticketId()} />
      <KeySheet isOpen={floating() === 'keys'} onClose={close} />
      <AssignPicker
        isOpen={floating() === 'assign'}
        onClose={close}
        count={changing.targets().length}
        selected={changing.commonAssignee()}
        onPick={(assignedTo, name) => changing.change({ assignedTo }, `Assigned to ${name}`)}
      />
      <TagPicker
        isOpen={floating() === 'tags'}
        onClose={close}
        count={changing.targets().length}
        selected={changing.commonTags()}
        onPick={toggleTag}
      />
    </div>
  )
}
