import { useQueryClient } from '@tanstack/solid-query'
import { createEffect, createSignal, onCleanup, Show } from 'solid-js'
import { connection, reconnect, startLive } from './live.ts'
import './live-banner.css'
import { Button } from './ui/button.tsx'

/** A connection that is back sooner is no news. */
const PATIENCE_MS = 2_000

/** Keeps the pages behind it up to date, and says so when that is not possible for a while. */
export function LiveBanner() {
  startLive(useQueryClient())
  const [isShown, setShown] = createSignal(false)
  createEffect(() => {
    const { state, since } = connection()
    if (state === 'online') return setShown(false)
    const timer = setTimeout(() => setShown(true), Math.max(since + PATIENCE_MS - Date.now(), 0))
    onCleanup(() => clearTimeout(timer))
  })
  return (
    <Show when={isShown()}>
      <div class="live-banner" role="status">
        <p>No connection. What you see may be old; what you type is kept.</p>
        <Button size="small" look="quiet" onClick={reconnect}>
          Try now
        </Button>
      </div>
    </Show>
  )
}
