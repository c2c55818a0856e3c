import { onCleanup } from 'solid-js'
import type { Place } from '../location.ts'
import type { Selection } from './selection.ts'
import type { TicketList } from './ticket-list.ts'

/** Before a phone offers what can be done with a link. */
const LONG_PRESS_MS = 400
/** A finger that moves further scrolls. */
const STILL_WITHIN_PX = 10

interface Given {
  list: TicketList
  place: Place
  selection: Selection
}

/**
 * What pressing a row does. With a mouse, its left edge and shift select; a finger selects by staying, and while
 * something is selected each tap selects too. All else is what links do.
 */
export function createRowPresses(given: Given) {
  let isTouch = false
  let begun: { x: number; y: number } | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let isTaken = false
  onCleanup(() => clearTimeout(timer))

  function end(): void {
    clearTimeout(timer)
    begun = undefined
  }

  function select(id: string): void {
    given.selection.toggle(id)
    given.list.setCursor(id)
  }

  return {
    onPointerDown(event: PointerEvent): void {
      isTouch = event.pointerType === 'touch'
      isTaken = false
      end()
      const id = idAt(event)
      if (!isTouch || id === undefined) return
      begun = { x: event.clientX, y: event.clientY }
      timer = setTimeout(() => {
        isTaken = true
        select(id)
      }, LONG_PRESS_MS)
    },
    onPointerMove(event: PointerEvent): void {
      if (!begun) return
      if (Math.hypot(event.clientX - begun.x, event.clientY - begun.y) > STILL_WITHIN_PX) end()
    },
    onPointerUp: end,
    onPointerCancel: end,
    onContextMenu(event: MouseEvent): void {
      if (isTouch) event.preventDefault()
    },
    onClick(id: string, event: MouseEvent): void {
      if (event.ctrlKey || event.metaKey) return
      const { selection, list } = given
      // Enter on a row that was scrolled out of sight: it is shown first, as by all other keys.
      if (event.detail === 0 && id === list.cursor() && list.isAway()) {
        event.preventDefault()
        list.comeBack()
        return
      }
      const isEdge = event.target instanceof Element && event.target.hasAttribute('data-check')
      const isSelecting = isTouch ? isTaken || selection.list().length > 0 : event.shiftKey || isEdge
      if (!isSelecting) given.place.followTo(id)
      else if (event.shiftKey) selection.extendTo(id)
      // A finger that stayed has selected already.
      else if (!isTaken) selection.toggle(id)
      if (isSelecting) event.preventDefault()
      list.setCursor(id)
      isTaken = false
    },
  }
}

/** The ticket of the row that an event is for. */
export function idAt(event: Event): string | undefined {
  const row = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-id]') : null
  return row?.dataset.id
}
