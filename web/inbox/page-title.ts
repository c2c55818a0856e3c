import { createEffect, createMemo, onCleanup } from 'solid-js'
import { observe } from '../api/queries.ts'
import { ticketQuery } from '../ticket/ticket-query.ts'
import { useCounts } from './inbox-data.ts'
import type { InboxLocation } from './location.ts'

const APP_NAME = 'Bellhop'

/** Titles the tab after the open ticket or view, with the number of the agent's open tickets: "(4) Invoice – Bellhop". */
export function usePageTitle(location: InboxLocation): void {
  const counts = useCounts()
  // Only follows the cache: the ticket pane loads the ticket.
  const ticket = observe(() => ({ ...ticketQuery(location.ticketId() ?? ''), enabled: false }))
  const name = createMemo(() =>
    location.ticketId() === undefined
      ? location.view()?.name
      : (ticket().data?.ticket.subject ?? location.view()?.name),
  )
  createEffect(() => {
    const mine = counts()?.views.mine ?? 0
    const title = name() ? `${name()} – ${APP_NAME}` : APP_NAME
    document.title = mine > 0 ? `(${mine}) ${title}` : title
  })
  onCleanup(() => {
    document.title = APP_NAME
  })
}
