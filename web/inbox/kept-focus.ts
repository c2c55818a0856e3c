import { type Accessor, createEffect, createMemo, on } from 'solid-js'

/**
 * Rows stay in their order on the page, so some are put elsewhere as others come in; a browser takes the focus from what
 * is put elsewhere. It is given back at once, so that the next key is for the list.
 */
export function useKeptFocus(drawn: Accessor<readonly string[]>): void {
  // Memos run before the rows are drawn, effects after it.
  const before = createMemo(
    on(drawn, () => document.activeElement),
    undefined,
    { equals: false },
  )
  createEffect(
    on(before, (element) => {
      if (document.activeElement !== document.body || !(element instanceof HTMLElement)) return
      if (element !== document.body && element.isConnected) element.focus({ preventScroll: true })
    }),
  )
}
