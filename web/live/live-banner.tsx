import { useQueryClient } from '@tanstack/solid-query'
import { createEffect, createSignal, onCleanup, Show } from 'solid-js'
import { connection, reconnect, startLive } from './live.ts'
import './live-banner.css'
import { isSignedOut } from '../api/session-expiry.ts'
import { Button } from '../ui/button.tsx'

/** A shorter interruption is not shown. */
const SHOWN_AFTER_MS = 2_000

/** Starts live updates, and shows a banner while there is no connection. */
export function LiveBanner() {
  startLive(useQueryClient())
  const [isShown, setShown] = createSignal(false)
  let signedInAt = 0
  createEffect(() => {
    const { state, since } = connection()
    // An expired session is not a lost connection. The page asks to sign in again.
    if (isSignedOut())
      onCleanup(() => {
        signedInAt = Date.now()
      })
    // A first connection that takes long is only slow.
    if (state !== 'offline' || isSignedOut()) return setShown(false)
    const lostAt = Math.max(since, signedInAt)
    const timer = setTimeout(() => setShown(true), Math.max(lostAt + SHOWN_AFTER_MS - Date.now(), 0))
    onCleanup(() => clearTimeout(timer))
  })
  return (
    <div role="status">
      <Show when={isShown()}>
        <div class="live-banner">
          <p>You're offline. This may be out of date; your text is saved.</p>
          <Button size="small" look="quiet" onClick={reconnect}>
            Try now
          </Button>
        </div>
      </Show>
    </div>
  )
}
