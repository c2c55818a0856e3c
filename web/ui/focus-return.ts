import { createComputed, on } from 'solid-js'

/** Focused when the element that had the focus is gone: a settings page's heading, or the ticket. */
const FALLBACK = '.page h1, .ticket-pane'

/** Where the focus returns when a dialog closes and another opens in its place. */
let lastElement: Element | undefined

/**
 * Remembers the focused element when a dialog opens. The returned function restores the focus after it has closed,
 * unless something else took it. Kobalte does this only for dialogs that have a trigger.
 */
export function createFocusReturn(isOpen: () => boolean): () => void {
  let origin: Element | undefined
  let menuButton: HTMLElement | null = null
  createComputed(
    on(isOpen, (open) => {
      if (!open) return
      const focused = document.activeElement ?? undefined
      // The previous dialog is no longer on the page, nor is the element that had the focus in it.
      origin = focused === document.body ? lastElement : focused
      lastElement = origin
      menuButton = buttonOf(origin)
    }),
  )
  return () => {
    if (lastElement === origin) lastElement = undefined
    if (document.activeElement !== document.body || !origin) return
    // A list may have rendered the element again, or it may be gone.
    const candidates = [
      origin,
      document.getElementById(origin.id),
      menuButton,
      document.querySelector(FALLBACK),
    ]
    const next = candidates.find((element) => element?.isConnected && !element.matches(':disabled'))
    if (next instanceof HTMLElement) next.focus({ preventScroll: true })
  }
}

/** The button that opened the menu: the menu itself is gone once an item is chosen. */
function buttonOf(element: Element | undefined): HTMLElement | null {
  const menu = element?.closest('[role="menu"]')
  return document.getElementById(menu?.getAttribute('aria-labelledby') ?? '')
}
