import { createEffect, createSignal, on } from 'solid-js'
import type { Place } from '../location.ts'
import type { TicketList } from './ticket-list.ts'

/** The heading of the list: what is left to focus where there are no rows. */
export const LIST_HEADING_ID = 'list-heading'

/**
 * The focus goes to the list when what had it is gone: after a key that leads to another list, after a window whose
 * button is not there any more. Whoever has gone elsewhere, into the search or the rail, stays there.
 */
export function createListFocus(place: Place, list: TicketList) {
  const [wanted, setWanted] = createSignal<object>()

  /** As soon as the page has settled. */
  function focusSoon(): void {
    // Windows give the focus back in the next turn, and the list of an address comes after its address.
    setTimeout(() => requestAnimationFrame(() => setWanted({})))
  }

  function focus(): void {
    setWanted(undefined)
    if (document.activeElement !== document.body) return
    const row = list.cursor()
    if (row === undefined || list.placeOf(row) < 0) document.getElementById(LIST_HEADING_ID)?.focus()
    else list.goTo(row)
  }

  createEffect(on(place.viewId, focusSoon, { defer: true }))
  createEffect(() => {
    // Its rows are drawn by the effects of this same turn.
    if (wanted() && !list.isWaiting()) queueMicrotask(focus)
  })
  return focusSoon
}
