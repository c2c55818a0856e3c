import { createEffect, onCleanup } from 'solid-js'
import { queries } from '../api/queries.ts'
import { ticketQuery } from '../ticket/ticket-query.ts'
import type { TicketList } from './list/ticket-list.ts'
import type { Place } from './location.ts'

/** Whoever runs down the list reads none of what they pass. */
const REST_MS = 150

/** Reads the ticket the person is at, and the ones above and below, so that the next key finds them there. */
export function usePrefetching(place: Place, list: TicketList): void {
  createEffect(() => {
    const at = place.ticketId() ?? list.cursor()
    if (at === undefined) return
    const near = [at, list.neighbour(1, at), list.neighbour(-1, at)]
    const timer = setTimeout(() => {
      for (const id of near) if (id !== undefined) void queries.prefetchQuery(ticketQuery(id))
    }, REST_MS)
    onCleanup(() => clearTimeout(timer))
  })
}
