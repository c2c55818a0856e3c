import { onCleanup } from 'solid-js'
import type { InboxLocation } from '../location.ts'
import type { Selection } from './selection.ts'
import type { TicketList } from './ticket-list.ts'

/** Shorter than the long press that opens a phone's link menu. */
const LONG_PRESS_MS = 400
/** A finger that moves further scrolls. */
const MOVE_TOLERANCE_PX = 10

interface RowPressesInput {
  list: TicketList
  location: InboxLocation
  selection: Selection
}

/**
 * Clicks and touches on rows. With a mouse, the left edge and Shift select. With a finger, a long press selects, and
 * while rows are selected so does a tap. Everything else follows the link.
 */
export function createRowPresses({ list, location, selection }: RowPressesInput) {
  let isTouch = false
  let start: { x: number; y: number } | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let isLongPress = false
  onCleanup(() => clearTimeout(timer))

  function end(): void {
    clearTimeout(timer)
    start = undefined
  }

  function select(id: string): void {
    selection.toggle(id)
    list.setCursor(id)
  }

  return {
    onPointerDown(event: PointerEvent): void {
      isTouch = event.pointerType === 'touch'
      isLongPress = false
      end()
      const id = idAt(event)
      if (!isTouch || id === undefined) return
      start = { x: event.clientX, y: event.clientY }
      timer = setTimeout(() => {
        isLongPress = true
        select(id)
      }, LONG_PRESS_MS)
    },
    onPointerMove(event: PointerEvent): void {
      if (!start) return
      if (Math.hypot(event.clientX - start.x, event.clientY - start.y) > MOVE_TOLERANCE_PX) end()
    },
    onPointerUp: end,
    onPointerCancel: end,
    onContextMenu(event: MouseEvent): void {
      if (isTouch) event.preventDefault()
    },
    onClick(id: string, event: MouseEvent): void {
      if (event.ctrlKey || event.metaKey) return
      // Enter on a row that is scrolled out of view only shows it, as every other key does.
      if (event.detail === 0 && id === list.cursor() && list.isCursorHidden()) {
        event.preventDefault()
        list.revealCursor()
        return
      }
      const isEdge = event.target instanceof Element && event.target.hasAttribute('data-check')
      const isSelecting = isTouch ? isLongPress || selection.list().length > 0 : event.shiftKey || isEdge
      if (!isSelecting) location.setTargetTicket(id)
      else if (event.shiftKey) selection.extendTo(id)
      // A long press has selected the row already.
      else if (!isLongPress) selection.toggle(id)
      if (isSelecting) event.preventDefault()
      list.setCursor(id)
      isLongPress = false
    },
  }
}

/** The ticket id of the row an event occurred on. */
export function idAt(event: Event): string | undefined {
  const row = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-id]') : null
  return row?.dataset.id
}
