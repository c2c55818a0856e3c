import { createVirtualizer } from '@tanstack/solid-virtual'
import { createEffect, createMemo, For, on, onCleanup, Show, untrack } from 'solid-js'
import { useAgents } from '../../api/workspace.ts'
import { changeTicket } from '../../ticket/changes/change-ticket.ts'
import { STATUSES } from '../../ticket/header/statuses.ts'
import { Button } from '../../ui/button.tsx'
import type { Row } from '../inbox-data.ts'
import { useKeptFocus } from '../kept-focus.ts'
import type { Place } from '../location.ts'
import { readQuery } from '../search/matches-query.ts'
import { restoring, whyLeft } from './departed-rows.ts'
import { useLeftRows } from './left-rows.ts'
import { createRowPresses, idAt } from './row-presses.ts'
import type { Selection } from './selection.ts'
import type { TicketList } from './ticket-list.ts'
import { rowId, TicketRow } from './ticket-row.tsx'
import { ROW_HEIGHT_PX } from './visible-range.ts'
import './virtual-list.css'

/** Rows kept ready above and below: about one turn of a wheel. */
const OVERSCAN_ROWS = 8

interface VirtualListProps {
  list: TicketList
  place: Place
  selection: Selection
  label: string
}

/** The rows of the list that can be seen, and a few more. Each keeps its element while it is there. */
export function VirtualList(props: VirtualListProps) {
  let scroller: HTMLDivElement | undefined
  const agents = useAgents()
  const nameOf = createMemo(() => new Map(agents().map(({ id, name }) => [id, name])))
  const virtualizer = createVirtualizer({
    get count() {
      return props.list.ids().length
    },
    getScrollElement: () => scroller ?? null,
    estimateSize: () => ROW_HEIGHT_PX,
    overscan: OVERSCAN_ROWS,
  })
  const drawn = createMemo(() => {
    const ids = props.list.ids()
    const items = virtualizer.getVirtualItems()
    const inSight = items.flatMap(({ index }) => ids[index] ?? [])
    const cursor = props.list.cursor()
    const place = props.list.placeOf(cursor)
    if (cursor === undefined || place < 0 || inSight.includes(cursor)) return inSight
    // The one with the focus stays, however far the list is scrolled: else the focus would be lost.
    return place < (items[0]?.index ?? 0) ? [cursor, ...inSight] : [...inSight, cursor]
  })
  useKeptFocus(drawn)
  const leftHere = createMemo(() => drawn().filter((id) => props.list.before(id) !== undefined))
  useLeftRows(props.list, leftHere)
  /** Why a row has left; while that is not known, that it has. */
  function leftOf(id: string, row: Row): string | undefined {
    const before = props.list.before(id)
    if (!before || props.list.isComingBack(id)) return undefined
    if (props.list.learned(id) === 'deleted') return 'Deleted'
    return whyLeft(before, row, nameOf()) ?? 'Not in this list any more'
  }
  /** Nobody takes back by a button of this page what others did. */
  const undoOf = (id: string) =>
    props.list.learned(id) ? undefined : restoring(props.list.before(id), props.list.row(id))
  const isByStatus = createMemo(() =>
    readQuery(props.place.view()?.query ?? '').terms.some(
      ({ key, isNegated }) => key === 'status' && !isNegated,
    ),
  )
  /** Where the list says nothing of it. */
  const statusOf = ({ status }: Row) =>
    isByStatus() || status === 'open' ? undefined : STATUSES[status].name
  const topOf = (id: string) => props.list.placeOf(id) * ROW_HEIGHT_PX

  createEffect(() => props.list.reached(virtualizer.getVirtualItems().at(-1)?.index ?? 0))
  createEffect(
    on(props.list.revealed, (revealed) => {
      if (!revealed) return
      virtualizer.scrollToIndex(props.list.placeOf(revealed.id), { align: 'auto' })
      document.getElementById(rowId(revealed.id))?.focus({ preventScroll: true })
    }),
  )
  createEffect(
    on([() => props.place.viewId(), () => props.place.q(), props.list.shownAt], () =>
      scroller?.scrollTo({ top: 0 }),
    ),
  )
  const hold = createHold(props.list)
  const presses = createRowPresses({ list: props.list, place: props.place, selection: props.selection })

  return (
    <div
      class="list-scroller"
      // Firefox would stop here on the way to the rows.
      tabindex="-1"
      ref={(element) => {
        scroller = element
        props.list.watch(element)
      }}
      onScroll={(event) => hold.scrolled(event.currentTarget.scrollTop > 0)}
      onPointerEnter={(event) => hold.pointed(event.pointerType === 'mouse')}
      onPointerLeave={() => hold.pointed(false)}
    >
      <div
        class="list"
        role="listbox"
        tabindex="-1"
        aria-label={props.label}
        aria-multiselectable="true"
        aria-busy={props.list.isStale()}
        data-selecting={props.selection.list().length > 0 || undefined}
        style={{ height: `${virtualizer.getTotalSize()}px` }}
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
        <For each={drawn()}>
          {(id) => (
            <Show when={props.list.row(id)}>
              {(row) => (
                <TicketRow
                  row={row()}
                  at={props.list.timeOf(row())}
                  href={props.place.hrefOfTicket(id)}
                  place={props.list.placeOf(id)}
                  size={props.list.hasMore() ? -1 : props.list.ids().length}
                  top={topOf(id)}
                  isCursor={props.list.cursor() === id}
                  isOpen={props.place.ticketId() === id}
                  isSelected={props.selection.has(id)}
                  left={leftOf(id, row())}
                  status={statusOf(row())}
                  terms={props.list.terms()}
                  onClick={(event) => presses.onClick(id, event)}
                  names={nameOf()}
                />
              )}
            </Show>
          )}
        </For>
      </div>
      <For each={leftHere()}>
        {(id) => (
          <Show when={undoOf(id)}>
            {(change) => (
              <Button
                class="row-undo"
                size="small"
                look="quiet"
                style={{ top: `${topOf(id) + 44}px` }}
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

/** While the list is scrolled, or the pointer is on it, nothing comes in by itself. */
function createHold(list: TicketList) {
  let isScrolled = false
  let isPointed = false
  onCleanup(() => list.setHeld(false))
  return {
    scrolled(is: boolean): void {
      isScrolled = is
      list.setHeld(isScrolled || isPointed)
    },
    pointed(is: boolean): void {
      isPointed = is
      list.setHeld(isScrolled || isPointed)
    },
  }
}
