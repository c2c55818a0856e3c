import { type Accessor, createEffect, createMemo, createSignal, on } from 'solid-js'
import type { InboxLocation } from '../location.ts'
import type { TicketList } from './ticket-list.ts'

/** The heading of the list, which gets the focus when there are no rows. */
export const LIST_HEADING_ID = 'list-heading'

/**
 * Returns a function that focuses the list once the focused element is gone: after switching lists or orders by key, or after a
 * dialog whose button no longer exists. Also focuses it on load. Focus that is elsewhere, such as in the search field, stays there.
 */
export function createListFocus(location: InboxLocation, list: TicketList) {
  const [request, setRequest] = createSignal<object>()

  /** As soon as the page has settled. */
  function focusSoon(): void {
    // Dialogs return the focus in a later task, and a list loads after its URL changes.
    setTimeout(() => requestAnimationFrame(() => setRequest({})))
  }

  function focus(): void {
    setRequest(undefined)
    if (document.activeElement === document.body) focusList(list)
  }

  // Also on load, so that the first key acts on the list.
  createEffect(on([location.viewId, location.sort], focusSoon))
  createEffect(() => {
    // The effects of this same update draw the rows.
    if (request() && !list.isLoading()) queueMicrotask(focus)
  })
  return focusSoon
}

/** Focuses the row at the cursor, or the heading when there are no rows. */
export function focusList(list: TicketList): void {
  const row = list.cursor()
  if (row === undefined || list.indexOf(row) < 0) document.getElementById(LIST_HEADING_ID)?.focus()
  else list.goTo(row)
}

/** Returns the focus to the row of a ticket when the ticket is closed. */
export function useFocusAfterClosing(location: InboxLocation, list: TicketList): void {
  createEffect(
    on(location.ticketId, (id, closedId) => {
      if (id !== undefined || closedId === undefined || list.indexOf(closedId) < 0) return
      // The next key may be faster than the URL.
      if (list.cursor() !== closedId) return
      const focused = document.activeElement
      // Focus in the search field or the rail stays there.
      if (focused === document.body || focused?.closest('.inbox-page-ticket, .inbox-page-panel'))
        list.goTo(closedId)
    }),
  )
}

/**
 * Keeps the focus on its row while rows are reordered: a browser drops the focus of an element that is moved in the
 * document.
 */
export function useStableFocus(drawnIds: Accessor<readonly string[]>): void {
  // Memos run before the rows are drawn, effects after.
  const focusedBefore = createMemo(
    on(drawnIds, () => document.activeElement),
    undefined,
    { equals: false },
  )
  createEffect(
    on(focusedBefore, (element) => {
      if (document.activeElement !== document.body || !(element instanceof HTMLElement)) return
      if (element !== document.body && element.isConnected) element.focus({ preventScroll: true })
    }),
  )
}
