import { createEffect, createMemo, createSignal, For, Match, on, Show, Switch } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { actionsIn, useKeys } from '../../keyboard/keys.ts'
import { lazyDialog, lazyPart } from '../../live/lazy-page.tsx'
import { announce } from '../../ui/announcer.tsx'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuChoice } from '../../ui/menu.tsx'
import { useCounts, useSavedViews } from '../inbox-data.ts'
import type { InboxLocation } from '../location.ts'
import { type Panes, RailButton } from '../panes.tsx'
import { saveView } from '../rail/saved-views.ts'
import { SEARCH } from '../rail/views.ts'
import { SearchField } from '../search/search-field.tsx'
import type { BulkActions } from './bulk-actions.ts'
import { LIST_HEADING_ID } from './list-focus.ts'
import { EmptyList, FailedList, ListSkeleton, TooBroad } from './list-states.tsx'
import type { Selection } from './selection.ts'
import { sortsOf } from './sort.ts'
import type { TicketList } from './ticket-list.ts'
import { VirtualList } from './virtual-list.tsx'
import './list-pane.css'

import ArrowDownUp from 'lucide-solid/icons/arrow-down-up'
import ArrowUp from 'lucide-solid/icons/arrow-up'
import Plus from 'lucide-solid/icons/plus'

const FORMAT = new Intl.NumberFormat('en-US')

const SavedViewDialog = lazyDialog(() => import('../rail/saved-view-dialog.tsx'))
/** Loaded before a ticket is selected, if there is time. Without a connection, the keys do the same. */
const BulkBar = lazyPart(async () => (await import('./bulk-bar.tsx')).BulkBar)
const ScheduledTickets = lazyPart(async () => (await import('./scheduled-tickets.tsx')).ScheduledTickets)

export function preloadBulkBar(): void {
  void BulkBar.preload()
}

interface ListPaneProps {
  location: InboxLocation
  panes: Panes
  list: TicketList
  selection: Selection
  bulkActions: BulkActions
  searchRef: (field: HTMLInputElement) => void
  onNewTicket: () => void
  onAssign: () => void
  onTag: () => void
  onSnooze: () => void
}

/** The search field, the tickets of a view, and actions for the selected ones. */
export function ListPane(props: ListPaneProps) {
  const [isSaving, setSaving] = createSignal(false)
  const views = useSavedViews()
  const name = createMemo(() => props.location.view()?.name ?? 'Tickets')
  const isSearch = () => props.location.viewId() === SEARCH
  const isScheduled = () => props.location.viewId() === 'scheduled'
  const isEmpty = () =>
    !props.list.failure() &&
    !props.list.isLoading() &&
    props.list.isUpToDate() &&
    props.list.ids().length === 0
  const focusRows = () => {
    const id = props.list.cursor()
    if (id !== undefined) props.list.goTo(id)
  }
  useListAnnouncements(props.list, isSearch)
  return (
    <section class="list-pane" aria-label="Tickets">
      <header class="list-pane-head">
        <RailButton panes={props.panes} />
        <SearchField
          location={props.location}
          ref={props.searchRef}
          onFocusResults={focusRows}
          onSave={() => setSaving(true)}
        />
        <IconButton name="New ticket" keys="c" class="list-pane-new" onClick={props.onNewTicket}>
          <Plus />
        </IconButton>
      </header>
      <ListTitle location={props.location} list={props.list} name={name()} />
      <div class="list-pane-body">
        <Show when={props.list.arrivals().length > 0}>
          <Button
            class="list-pane-arrivals"
            look="primary"
            size="small"
            icon={<ArrowUp />}
            onClick={props.list.showArrivals}
          >
            {props.list.arrivals().length} new
          </Button>
        </Show>
        <Show when={isScheduled()}>
          <ScheduledTickets location={props.location} list={props.list} isListEmpty={isEmpty()} />
        </Show>
        <Switch>
          <Match when={props.list.failure()}>
            {(error) => (
              <FailedList
                error={error()}
                onRetry={() => void props.list.retry()}
                isBusy={props.list.isFetching()}
              />
            )}
          </Match>
          <Match when={props.location.isViewMissing()}>
            <EmptyList location={props.location} />
          </Match>
          {/* A search that is still running may yet have results. */}
          <Match when={props.list.isLoading() || (!props.list.isUpToDate() && props.list.ids().length === 0)}>
            <ListSkeleton />
          </Match>
          <Match when={props.list.ids().length === 0 && props.list.tooBroad()}>
            {(advice) => <TooBroad list={props.list} advice={advice()} />}
          </Match>
          <Match when={props.list.ids().length === 0}>
            {/* In Scheduled, new tickets may stand above. */}
            <Show when={!isScheduled()}>
              <EmptyList location={props.location} />
            </Show>
          </Match>
          <Match when={true}>
            <VirtualList
              list={props.list}
              location={props.location}
              selection={props.selection}
              label={name()}
            />
            <Show when={props.list.tooBroad()}>
              {(advice) => <TooBroad list={props.list} advice={advice()} />}
            </Show>
          </Match>
        </Switch>
        <Show when={props.selection.list().length > 0}>
          <BulkBar
            selection={props.selection}
            bulkActions={props.bulkActions}
            onAssign={props.onAssign}
            onTag={props.onTag}
            onSnooze={props.onSnooze}
          />
        </Show>
      </div>
      <SavedViewDialog
        isOpen={isSaving()}
        onClose={() => setSaving(false)}
        title="Save as view"
        name={views().length === 0 ? 'My first view' : ''}
        query={props.location.q().trim()}
        isShared={false}
        onSave={async (fields) => props.location.openView((await saveView(fields)).id)}
      />
    </section>
  )
}

/** The name of the view, how many tickets it has, and their order. */
function ListTitle(props: Pick<ListPaneProps, 'location' | 'list'> & { name: string }) {
  const isSearch = () => props.location.viewId() === SEARCH
  const counts = useCounts()
  /** The number of tickets: "38", or "50+" while there are more pages. Undefined while it is unknown. */
  const count = createMemo(() => {
    if (props.list.failure() || props.list.isLoading() || !props.list.isUpToDate()) return undefined
    const id = props.location.viewId()
    const known = Object.entries(counts()?.views ?? {}).find(([view]) => view === id)
    // Those that the agent has seen are in the list too.
    if (known && id === 'mentions') return known[1] > 0 ? `${FORMAT.format(known[1])} new` : undefined
    if (known) return FORMAT.format(known[1])
    const shown = props.list.ids().length - props.list.departedIds().length
    if (shown === 0 && props.list.hasMore()) return undefined
    return `${FORMAT.format(shown)}${props.list.hasMore() ? '+' : ''}`
  })
  const isSortable = () =>
    props.list.terms().length === 0 &&
    !props.list.failure() &&
    props.list.isUpToDate() &&
    props.list.ids().length > 0
  const sortName = () =>
    sortsOf(props.location.viewId()).find(({ sort }) => sort === props.location.sort())?.name
  useKeys(() =>
    actionsIn(
      'Everywhere',
      sortsOf(props.location.viewId()).map(({ sort, name }) => ({
        id: `sort-${sort}`,
        label: `Sort: ${name}`,
        keys: [],
        isEnabled: () => isSortable() && sort !== props.location.sort(),
        run: () => props.location.setSort(sort),
      })),
    ),
  )
  return (
    <div class="list-pane-title">
      {/* The open ticket is the page's heading. */}
      <Dynamic
        component={props.location.ticketId() === undefined ? 'h1' : 'h2'}
        class="list-pane-heading cut"
        id={LIST_HEADING_ID}
        tabindex="-1"
      >
        {props.name}
      </Dynamic>
      <Show when={count()}>
        {(count) => (
          <span class="list-pane-count count">
            {isSearch() ? (count() === '1' ? '1 ticket' : `${count()} tickets`) : count()}
          </span>
        )}
      </Show>
      {/* Searches for words are always sorted by the last change. */}
      <Show when={isSortable()}>
        <Menu
          placement="bottom-end"
          trigger={(given) => (
            <Button
              {...given}
              class="list-pane-sort"
              look="quiet"
              size="small"
              icon={<ArrowDownUp />}
              aria-label={`Sort: ${sortName()}`}
            >
              {sortName()}
            </Button>
          )}
        >
          <For each={sortsOf(props.location.viewId())}>
            {({ sort, name }) => (
              <MenuChoice
                isChosen={props.location.sort() === sort}
                onSelect={() => props.location.setSort(sort)}
              >
                {name}
              </MenuChoice>
            )}
          </For>
        </Menu>
      </Show>
    </div>
  )
}

/** Tells screen readers about arrivals, and about the number of search results. */
function useListAnnouncements(list: TicketList, isSearch: () => boolean): void {
  createEffect(
    on(
      () => list.arrivals().length,
      (count, before) => {
        if (count > (before ?? 0)) announce(count === 1 ? '1 new ticket' : `${count} new tickets`)
      },
    ),
  )
  createEffect(
    on(
      () => (isSearch() && !list.isFetching() && list.isUpToDate() ? list.ids() : undefined),
      (ids) => {
        if (!ids || list.failure()) return
        const more = list.hasMore() ? 'More than ' : ''
        const found = ids.length === 0 ? 'No results' : `${more}${ids.length} found`
        announce(list.tooBroad() ? `${found}. ${list.tooBroad()}` : found)
      },
    ),
  )
}
