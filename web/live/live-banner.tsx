import { useQueryClient } from '@tanstack/solid-query'
import { createEffect, createSignal, onCleanup, Show } from 'solid-js'
import { connection, reconnect, startLive } from './live.ts'
import './live-banner.css'
import { isSignedOut } from '../api/session-expiry.ts'
import { Button } from '../ui/button.tsx'

/** A connection that is back sooner is no news. */
const PATIENCE_MS = 2_000

/** Keeps the pages behind it up to date, and says so when that is not possible for a while. */
export function LiveBanner() {
  startLive(useQueryClient())
  const [isShown, setShown] = createSignal(false)
  let signedInAt = 0
  createEffect(() => {
    const { state, since } = connection()
    // A session that has ended is no lost connection: the page asks to sign in again.
    if (isSignedOut())
      onCleanup(() => {
        signedInAt = Date.now()
      })
    // A first connection that takes long is only slow.
    if (state !== 'offline' || isSignedOut()) return setShown(false)
    const lostAt = Math.max(since, signedInAt)
    const timer = setTimeout(() => setShown(true), Math.max(lostAt + PATIENCE_MS - Date.now(), 0))
    onCleanup(() => clearTimeout(timer))
  })
  return (
    <div role="status">
      <Show when={isShown()}>
        <div class="live-banner">
          <p>No connection. What you see may be old; what you type is kept.</p>
          <Button size="small" look="quiet" onClick={reconnect}>
            Try now
          </Button>
        </div>
      </Show>
    </div>
  )
}
