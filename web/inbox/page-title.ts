import { createEffect, onCleanup } from 'solid-js'
import { useCounts } from './inbox-data.ts'

/** How many open tickets are mine, in the tab's title. */
export function usePageTitle(): void {
  const counts = useCounts()
  createEffect(() => {
    const mine = counts()?.views.mine ?? 0
    document.title = mine > 0 ? `(${mine}) Bellhop` : 'Bellhop'
  })
  onCleanup(() => {
    document.title = 'Bellhop'
  })
}
