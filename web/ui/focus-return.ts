import { createComputed, on } from 'solid-js'

/**
 * Remembers what has the focus when a window over the page opens. The answer gives it back when it has closed, unless
 * something else has taken it by then: Kobalte does so only for windows that have a button of their own.
 */
export function createFocusReturn(isOpen: () => boolean): () => void {
  let before: Element | null = null
  let menuButton: HTMLElement | null = null
  createComputed(
    on(isOpen, (open) => {
      if (!open) return
      before = document.activeElement
      menuButton = buttonOf(before)
    }),
  )
  return () => {
    if (document.activeElement !== document.body || !before) return
    // A list may have drawn it anew meanwhile.
    const place = before.isConnected ? before : (document.getElementById(before.id) ?? menuButton)
    if (place instanceof HTMLElement) place.focus({ preventScroll: true })
  }
}

/** A menu goes when something in it is chosen; the button that opens it stays. */
function buttonOf(element: Element | null): HTMLElement | null {
  const menu = element?.closest('[role="menu"]')
  return document.getElementById(menu?.getAttribute('aria-labelledby') ?? '')
}
