import { onCleanup } from 'solid-js'

/** Moves the focus to the ticket around an element. Shortcuts keep working, and screen readers keep their position. */
export function focusPane(from: Element | null | undefined): void {
  const pane = from?.closest('.ticket-pane')
  if (pane instanceof HTMLElement) pane.focus({ preventScroll: true })
}

/** When an element that contains the focus is removed, moves the focus to the ticket around it. */
export function leaveFocusToPane(element: () => Element | undefined): void {
  onCleanup(() => {
    const removed = element()
    if (!removed?.contains(document.activeElement)) return
    const pane = removed.closest('.ticket-pane')
    queueMicrotask(() => {
      if (document.activeElement === document.body) focusPane(pane)
    })
  })
}

/** Whether the ticket itself has the focus, not an element in it. */
export function hasPaneFocus(): boolean {
  return document.activeElement?.classList.contains('ticket-pane') ?? false
}
