import { onCleanup } from 'solid-js'

/** The ticket takes the focus: its keys go on working, and a screen reader stays where it is. */
export function focusPane(from: Element | null | undefined): void {
  const pane = from?.closest('.ticket-pane')
  if (pane instanceof HTMLElement) pane.focus({ preventScroll: true })
}

/** What has the focus and goes away leaves it to the ticket around it. */
export function leaveFocusToPane(element: () => Element | undefined): void {
  onCleanup(() => {
    const going = element()
    if (!going?.contains(document.activeElement)) return
    const pane = going.closest('.ticket-pane')
    queueMicrotask(() => {
      if (document.activeElement === document.body) focusPane(pane)
    })
  })
}

/** Whether the ticket itself has the focus, and nothing in it. */
export function hasPaneFocus(): boolean {
  return document.activeElement?.classList.contains('ticket-pane') ?? false
}
