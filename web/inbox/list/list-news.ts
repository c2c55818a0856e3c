import { createEffect, on } from 'solid-js'
import { announce } from '../../ui/announcer.tsx'
import type { TicketList } from './ticket-list.ts'

/** Says to screen readers what others see: that something has come in, and what a search has found. */
export function useListNews(list: TicketList, isSearch: () => boolean): void {
  createEffect(
    on(
      () => list.waiting().length,
      (count, before) => {
        if (count > (before ?? 0)) announce(count === 1 ? '1 new ticket' : `${count} new tickets`)
      },
    ),
  )
  createEffect(
    on(
      () => (isSearch() && !list.isFetching() && list.isAnswered() ? list.ids() : undefined),
      (ids) => {
        if (!ids || list.failure()) return
        const more = list.hasMore() ? 'More than ' : ''
        announce(ids.length === 0 ? 'Nothing found' : `${more}${ids.length} found`)
      },
    ),
  )
}
