import { createComputed, on } from 'solid-js'

/** What a page of the settings goes on from, and the inbox. */
const GO_ON_FROM = '.page h1, .ticket-pane'

/** What a window that closes in this turn gives the focus back to: another one may open in its place. */
let lastPlace: Element | undefined

/**
 * Remembers what has the focus when a window over the page opens. The answer gives it back when it has closed, unless
 * something else has taken it by then: Kobalte does so only for windows that have a button of their own.
 */
export function createFocusReturn(isOpen: () => boolean): () => void {
  let place: Element | undefined
  let menuButton: HTMLElement | null = null
  createComputed(
    on(isOpen, (open) => {
      if (!open) return
      const focused = document.activeElement ?? undefined
      // The window before is gone from the page by then, with what had the focus in it.
      place = focused === document.body ? lastPlace : focused
      lastPlace = place
      menuButton = buttonOf(place)
    }),
  )
  return () => {
    if (lastPlace === place) lastPlace = undefined
    if (document.activeElement !== document.body || !place) return
    // A list may have drawn it anew meanwhile, or it is gone for good.
    const left = [place, document.getElementById(place.id), menuButton, document.querySelector(GO_ON_FROM)]
    const next = left.find((element) => element?.isConnected)
    if (next instanceof HTMLElement) next.focus({ preventScroll: true })
  }
}

/** A menu goes when something in it is chosen; the button that opens it stays. */
function buttonOf(element: Element | undefined): HTMLElement | null {
  const menu = element?.closest('[role="menu"]')
  return document.getElementById(menu?.getAttribute('aria-labelledby') ?? '')
}
