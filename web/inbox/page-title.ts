import { useNavigate } from '@solidjs/router'
import { createEffect, onCleanup } from 'solid-js'
import { useCounts } from './inbox-data.ts'
import { useNotifications } from './notifications.ts'

/** How many open tickets are mine, in the tab's title; and a word on the desktop when one of them is answered. */
export function usePageTitle(): void {
  const counts = useCounts()
  const navigate = useNavigate()
  createEffect(() => {
    const mine = counts()?.views.mine ?? 0
    document.title = mine > 0 ? `(${mine}) Bellhop` : 'Bellhop'
  })
  onCleanup(() => {
    document.title = 'Bellhop'
  })
  useNotifications((href) => navigate(href))
}
