import {
  type Accessor,
  createEffect,
  createMemo,
  createSignal,
  For,
  on,
  onCleanup,
  onMount,
  Show,
  untrack,
} from 'solid-js'
import { useAgents } from '../../api/workspace.ts'
import { changeTicket } from '../../ticket/changes/change-ticket.ts'
import { STATUSES } from '../../ticket/ticket-names.ts'
import { Button } from '../../ui/button.tsx'
import type { Row } from '../inbox-data.ts'
import type { InboxLocation } from '../location.ts'
import { readQuery } from '../search/matches-query.ts'
import { departureReason, restoringChange, useCollapse, useDepartedRows } from './departed-rows.ts'
import { ROW_HEIGHT_PX } from './list-cursor.ts'
import { useStableFocus } from './list-focus.ts'
import { createRowPresses, idAt } from './row-presses.ts'
import type { Selection } from './selection.ts'
import type { TicketList } from './ticket-list.ts'
import { rowId, TicketRow } from './ticket-row.tsx'
import './list-pane.css'

/** Where the Undo of a row begins, from the top of the row. */
const UNDO_TOP_PX = 44
/** Longer than the transition of collapsing rows. */
const COLLAPSE_MS = 200

interface VirtualListProps {
  list: TicketList
  location: InboxLocation
  selection: Selection
  label: string
}

/** Draws the visible rows of the list and a few more. A row keeps its element while it is drawn. */
export function VirtualList(props: VirtualListProps) {
  let scroller: HTMLDivElement | undefined
  const agents = useAgents()
  const names = createMemo(() => new Map(agents().map(({ id, name }) => [id, name])))
  const drawn = createDrawnRows(() => props.list.ids().length)
  const drawnIds = createMemo(() => {
    const ids = props.list.ids()
    const { first, last } = drawn.range()
    const near = ids.slice(first, last + 1)
    const cursor = props.list.cursor()
    const index = props.list.indexOf(cursor)
    if (cursor === undefined || index < 0 || near.includes(cursor)) return near
    // The cursor's row is always drawn: otherwise scrolling away would lose the focus.
    return index < first ? [cursor, ...near] : [...near, cursor]
  })
  useStableFocus(drawnIds)
  const departedIds = createMemo(() => drawnIds().filter((id) => props.list.lastMatch(id) !== undefined))
  useDepartedRows(props.list, departedIds)
  /** Why a row has left, or just that it has while the reason is unknown. */
  function departureOf(id: string, row: Row): string | undefined {
    const lastMatch = props.list.lastMatch(id)
    if (!lastMatch || props.list.isReturning(id)) return undefined
    if (props.list.departedState(id) === 'deleted') return 'Deleted'
    return departureReason(lastMatch, row, names()) ?? 'No longer in this view'
  }
  /** Undo is offered only for what was done here, not for what others did. */
  const undoOf = (id: string) =>
    props.list.departedState(id) || props.list.isReturning(id)
      ? undefined
      : restoringChange(props.list.lastMatch(id), props.list.row(id))
  const isByStatus = createMemo(() =>
    readQuery(props.location.view()?.query ?? '').terms.some(
      ({ key, isNegated }) => key === 'status' && !isNegated,
    ),
  )
  /** Only where the list doesn't imply it. */
  const statusOf = ({ status }: Row) =>
    isByStatus() || status === 'open' ? undefined : STATUSES[status].name
  /** Then that row is the marked one, wherever the cursor is. */
  const isOpenInList = createMemo(() => props.list.indexOf(props.location.targetTicketId()) >= 0)
  const topOf = (id: string) => props.list.indexOf(id) * ROW_HEIGHT_PX

  createEffect(() => props.list.loadMoreAt(Math.max(0, drawn.range().last)))
  createEffect(
    on(props.list.revealed, (revealed) => {
      if (!revealed) return
      drawn.scrollTo(props.list.indexOf(revealed.id))
      document.getElementById(rowId(revealed.id))?.focus({ preventScroll: true })
    }),
  )
  createEffect(
    on([() => props.location.viewId(), () => props.location.q(), props.list.scrolledToTop], () =>
      scroller?.scrollTo({ top: 0 }),
    ),
  )
  const pause = createPause(props.list)
  const [isCollapsing, setCollapsing] = createSignal(false)
  let pointedIndex = -1
  let collapseTimer: ReturnType<typeof setTimeout> | undefined
  onCleanup(() => clearTimeout(collapseTimer))

  /** Nothing that is in use goes away, and nothing moves under the pointer. */
  function mayCollapse(id: string): boolean {
    const { list, location, selection } = props
    const isInUse = id === list.cursor() || id === location.targetTicketId() || selection.has(id)
    if (isInUse || document.activeElement?.closest('.virtual-list-undo')) return false
    return list.indexOf(id) > pointedIndex || list.indexOf(id) < firstVisibleIndex()
  }

  function firstVisibleIndex(): number {
    return Math.floor((scroller?.scrollTop ?? 0) / ROW_HEIGHT_PX)
  }

  /** Rows above the visible ones are removed without moving those. */
  function collapse(ids: ReadonlySet<string>): void {
    const first = firstVisibleIndex()
    const above = [...ids].filter((id) => props.list.indexOf(id) < first).length
    const top = (scroller?.scrollTop ?? 0) - above * ROW_HEIGHT_PX
    clearTimeout(collapseTimer)
    setCollapsing(above === 0)
    props.list.removeDeparted(ids)
    if (above > 0) scroller?.scrollTo({ top, behavior: 'instant' })
    collapseTimer = setTimeout(() => setCollapsing(false), COLLAPSE_MS)
  }

  useCollapse(props.list, mayCollapse, collapse)
  const presses = createRowPresses({
    list: props.list,
    location: props.location,
    selection: props.selection,
  })

  return (
    <div
      class="virtual-list"
      // Firefox would otherwise make a scroller a tab stop.
      tabindex="-1"
      ref={(element) => {
        scroller = element
        drawn.observe(element)
        props.list.observeScroller(element)
      }}
      onScroll={(event) => pause.setScrolled(event.currentTarget.scrollTop > 0)}
      onPointerEnter={(event) => pause.setPointed(event.pointerType === 'mouse')}
      onPointerMove={(event) => {
        const { top } = event.currentTarget.getBoundingClientRect()
        const y = event.clientY - top + event.currentTarget.scrollTop
        pointedIndex = event.pointerType === 'mouse' ? Math.floor(y / ROW_HEIGHT_PX) : -1
      }}
      onPointerLeave={() => {
        pointedIndex = -1
        pause.setPointed(false)
      }}
    >
      <div
        class="virtual-list-rows ringless"
        role="listbox"
        tabindex="-1"
        aria-label={props.label}
        aria-multiselectable="true"
        aria-busy={props.list.isStale()}
        data-collapsing={isCollapsing() || undefined}
        data-selecting={props.selection.list().length > 0 || undefined}
        style={{ height: `${props.list.ids().length * ROW_HEIGHT_PX}px` }}
        onPointerDown={presses.onPointerDown}
        onPointerMove={presses.onPointerMove}
        onPointerUp={presses.onPointerUp}
        onPointerCancel={presses.onPointerCancel}
        onContextMenu={presses.onContextMenu}
        onFocusIn={(event) => {
          const id = idAt(event)
          if (id !== undefined) props.list.setCursor(id)
        }}
      >
        <For each={drawnIds()}>
          {(id) => (
            <Show when={props.list.row(id)}>
              {(row) => (
                <TicketRow
                  row={row()}
                  href={props.location.hrefOfTicket(id)}
                  index={props.list.indexOf(id)}
                  size={props.list.hasMore() ? -1 : props.list.ids().length}
                  top={topOf(id)}
                  isCursor={props.list.cursor() === id}
                  isOpen={props.location.targetTicketId() === id}
                  isMarked={props.list.cursor() === id && !isOpenInList()}
                  isSelected={props.selection.has(id)}
                  departure={departureOf(id, row())}
                  status={statusOf(row())}
                  terms={props.list.terms()}
                  onClick={(event) => presses.onClick(id, event)}
                  names={names()}
                />
              )}
            </Show>
          )}
        </For>
      </div>
      <For each={departedIds()}>
        {(id) => (
          <Show when={undoOf(id)}>
            {(change) => (
              <Button
                class="virtual-list-undo"
                size="small"
                look="quiet"
                style={{ top: `${topOf(id) + UNDO_TOP_PX}px` }}
                onClick={() => {
                  void changeTicket(id, untrack(change))
                  props.list.goTo(id)
                }}
              >
                Undo
              </Button>
            )}
          </Show>
        )}
      </For>
    </div>
  )
}

/** Holds arrivals back while the list is scrolled or the pointer is over it. */
function createPause(list: TicketList) {
  let isScrolled = false
  let isPointed = false
  onCleanup(() => list.setPaused(false))
  return {
    setScrolled(is: boolean): void {
      isScrolled = is
      list.setPaused(isScrolled || isPointed)
    },
    setPointed(is: boolean): void {
      isPointed = is
      list.setPaused(isScrolled || isPointed)
    },
  }
}

/** Rows drawn above and below the visible ones: about one turn of a mouse wheel. */
const OVERSCAN_ROWS = 8

interface Range {
  first: number
  /** Less than `first` if there are no rows. */
  last: number
}

const NONE: Range = { first: 0, last: -1 }

/** Which rows of a list are drawn: all have the same height, so their places need no measuring. */
function createDrawnRows(count: Accessor<number>) {
  let scroller: HTMLElement | undefined
  const [view, setView] = createSignal<Range>(NONE, { equals: isSame })

  function look(): void {
    if (!scroller) return
    const { scrollTop, clientHeight } = scroller
    setView({
      first: Math.floor(scrollTop / ROW_HEIGHT_PX),
      last: Math.ceil((scrollTop + clientHeight) / ROW_HEIGHT_PX) - 1,
    })
  }

  const sizes = new ResizeObserver(look)
  onMount(look)
  onCleanup(() => sizes.disconnect())
  return {
    /** Takes the element that scrolls the rows. */
    observe(element: HTMLElement): void {
      scroller = element
      sizes.observe(element)
      element.addEventListener('scroll', look, { passive: true })
    },
    range: createMemo<Range>(
      () => ({
        first: Math.max(0, view().first - OVERSCAN_ROWS),
        last: Math.min(count() - 1, view().last + OVERSCAN_ROWS),
      }),
      NONE,
      { equals: isSame },
    ),
    /** Scrolls just as far as it takes to show a row. */
    scrollTo(index: number): void {
      if (!scroller) return
      const top = index * ROW_HEIGHT_PX
      const { scrollTop, clientHeight } = scroller
      if (top < scrollTop) scroller.scrollTo({ top })
      else if (top + ROW_HEIGHT_PX > scrollTop + clientHeight) {
        scroller.scrollTo({ top: top + ROW_HEIGHT_PX - clientHeight })
      }
    },
  }
}

function isSame(one: Range, other: Range): boolean {
  return one.first === other.first && one.last === other.last
}
