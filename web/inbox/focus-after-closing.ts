import { createEffect, on } from 'solid-js'
import type { TicketList } from './list/ticket-list.ts'
import type { Place } from './location.ts'

/** A ticket that is closed, by a key, a button or the way back, leaves the focus to its row. */
export function useFocusAfterClosing(place: Place, list: TicketList): void {
  createEffect(
    on(place.ticketId, (id, before) => {
      if (id !== undefined || before === undefined || list.placeOf(before) < 0) return
      // The next key was faster than the address.
      if (list.cursor() !== before) return
      const focused = document.activeElement
      // Whoever has gone elsewhere, into the search or the rail, stays there.
      if (focused === document.body || focused?.closest('.thread-place, .panel-place')) list.goTo(before)
    }),
  )
}
