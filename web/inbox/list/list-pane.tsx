import ArrowDownUp from 'lucide-solid/icons/arrow-down-up'
import ArrowUp from 'lucide-solid/icons/arrow-up'
import PanelLeft from 'lucide-solid/icons/panel-left'
import { createMemo, createSignal, For, Match, Show, Switch } from 'solid-js'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuChoice } from '../../ui/menu.tsx'
import { useSavedViews } from '../inbox-data.ts'
import type { Changing } from './bulk-actions.ts'
import { BulkBar } from './bulk-bar.tsx'
import { EmptyList } from './empty-list.tsx'
import './list-pane.css'
import type { Place } from '../location.ts'
import type { Panes } from '../panes.ts'
import { saveView } from '../rail/saved-views.ts'
import { ViewDialog } from '../rail/view-dialog.tsx'
import { SEARCH } from '../rail/views.ts'
import { SearchField } from '../search/search-field.tsx'
import { ListFailed } from './list-failed.tsx'
import { LIST_HEADING_ID } from './list-focus.ts'
import { useListNews } from './list-news.ts'
import type { Selection } from './selection.ts'
import { SORTS } from './sort.ts'
import type { TicketList } from './ticket-list.ts'
import type { Sort } from './ticket-pages.ts'
import { VirtualList } from './virtual-list.tsx'

const SKELETON_ROWS = 8

interface ListPaneProps {
  place: Place
  panes: Panes
  list: TicketList
  selection: Selection
  changing: Changing
  sort: Sort
  onSort: (sort: Sort) => void
  searchRef: (field: HTMLInputElement) => void
  onAssign: () => void
  onTag: () => void
}

/** The search, the tickets of a view, and what can be done to those that are selected. */
export function ListPane(props: ListPaneProps) {
  const [isSaving, setSaving] = createSignal(false)
  const views = useSavedViews()
  const name = createMemo(() => props.place.view()?.name ?? 'Tickets')
  const isSearch = () => props.place.viewId() === SEARCH
  const toRows = () => {
    const id = props.list.cursor()
    if (id !== undefined) props.list.goTo(id)
  }
  useListNews(props.list, isSearch)
  return (
    <section class="list-pane" aria-label="Tickets">
      <header class="list-head">
        <Show when={!props.panes.isRailShown()}>
          <IconButton name="Lists" keys="[" onClick={props.panes.toggleRail}>
            <PanelLeft />
          </IconButton>
        </Show>
        <SearchField
          place={props.place}
          ref={props.searchRef}
          onLeaveDown={toRows}
          onSave={() => setSaving(true)}
        />
      </header>
      <div class="list-title">
        <h1 id={LIST_HEADING_ID} tabindex="-1">
          {name()}
        </h1>
        {/* Words are found in the order of their latest change. */}
        <Show when={props.list.terms().length === 0}>
          <Menu
            placement="bottom-end"
            trigger={(given) => (
              <IconButton {...given} name="Order" size="small">
                <ArrowDownUp />
              </IconButton>
            )}
          >
            <For each={SORTS}>
              {({ sort, name }) => (
                <MenuChoice isChosen={props.sort === sort} onSelect={() => props.onSort(sort)}>
                  {name}
                </MenuChoice>
              )}
            </For>
          </Menu>
        </Show>
      </div>
      <div class="list-body">
        <Show when={props.list.waiting().length > 0}>
          <Button
            class="list-new"
            look="primary"
            size="small"
            icon={<ArrowUp />}
            onClick={props.list.showWaiting}
          >
            {props.list.waiting().length} new
          </Button>
        </Show>
        <Switch>
          <Match when={props.list.failure()}>
            {(error) => (
              <ListFailed
                error={error()}
                onRetry={() => void props.list.retry()}
                isBusy={props.list.isFetching()}
              />
            )}
          </Match>
          <Match when={props.place.isGone()}>
            <EmptyList place={props.place} />
          </Match>
          {/* Of a search that is still under way nobody knows that it finds nothing. */}
          <Match when={props.list.isWaiting() || (!props.list.isAnswered() && props.list.ids().length === 0)}>
            <ListSkeleton />
          </Match>
          <Match when={props.list.ids().length === 0}>
            <EmptyList place={props.place} />
          </Match>
          <Match when={true}>
            <VirtualList list={props.list} place={props.place} selection={props.selection} label={name()} />
          </Match>
        </Switch>
        <BulkBar
          selection={props.selection}
          changing={props.changing}
          onAssign={props.onAssign}
          onTag={props.onTag}
        />
      </div>
      <ViewDialog
        isOpen={isSaving()}
        onClose={() => setSaving(false)}
        title="Save as a view"
        name={views().length === 0 ? 'My first view' : ''}
        query={props.place.q().trim()}
        isShared={false}
        onSave={async (given) => props.place.openView((await saveView(given)).id)}
      />
    </section>
  )
}

/** Rows in the shape of rows; seen only when it takes long. */
function ListSkeleton() {
  return (
    <div class="list-skeleton late" role="status" aria-label="Loading the tickets">
      <For each={Array.from({ length: SKELETON_ROWS })}>
        {() => (
          <div class="row-skeleton">
            <span class="skeleton-line" />
            <span class="skeleton-line" />
            <span class="skeleton-line" />
          </div>
        )}
      </For>
    </div>
  )
}
