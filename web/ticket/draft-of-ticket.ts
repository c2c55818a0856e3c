import { createEffect, on } from 'solid-js'
import { type DraftKeeper, draftOf } from './draft.ts'
import { unsavedTickets } from './stored-draft.ts'
import type { TicketDetail } from './ticket-data.ts'

let isResumed = false

/** Hands the draft what the server has of it, each time the ticket was read. */
export function useDraftOf(detail: () => TicketDetail, draft: DraftKeeper): void {
  draft.reopened()
  createEffect(
    on(
      () => detail().draft,
      (server) => draft.arrived(server),
    ),
  )
}

/** Saves what was typed on other tickets when the page was closed without a connection. Once for each load of the page. */
export function resumeDrafts(agentId: string): void {
  if (isResumed) return
  isResumed = true
  // To ask for a draft that has not been saved is enough: its keeper saves it.
  for (const ticketId of unsavedTickets(agentId)) draftOf(agentId, ticketId)
}
