import { createEffect, onCleanup } from 'solid-js'
import { useCounts } from './inbox-data.ts'

/** Shows the number of the agent's open tickets in the tab's title. */
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
