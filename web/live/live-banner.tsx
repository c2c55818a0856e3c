import { useQueryClient } from '@tanstack/solid-query'
import { createEffect, createSignal, onCleanup, Show } from 'solid-js'
import { api, ask } from '../api/api.ts'
import { observe } from '../api/queries.ts'
import { queryKeys } from '../api/query-keys.ts'
import { useSession } from '../api/session.ts'
import { isSignedOut } from '../api/session-expiry.ts'
import { Button } from '../ui/button.tsx'
import type { Problems } from './channel-problems.tsx'
import { lazyPart } from './lazy-page.tsx'
import { connection, reconnect, startLive } from './live.ts'
import './live-banner.css'

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

const ChannelProblems = lazyPart(async () => (await import('./channel-problems.tsx')).ChannelProblems)

/** Tells administrators on every page which mailbox or Telegram bot has stopped working, and when backups fail. */
export function ChannelBanner() {
  const session = useSession()
  const result = observe(() => ({
    queryKey: queryKeys.channelProblems,
    queryFn: readProblems,
    enabled: session().agent.role === 'admin',
  }))
  const problems = () => result().data
  return (
    <div role="status">
      <Show when={hasAny(problems()) ? problems() : undefined}>
        {(some) => <ChannelProblems problems={some()} />}
      </Show>
    </div>
  )
}

function hasAny(problems: Problems | undefined): boolean {
  if (!problems) return false
  return problems.mailboxes.length > 0 || problems.bots.length > 0 || problems.hasFailingBackups
}

async function readProblems(): Promise<Problems> {
  const [mailboxes, bots, backups] = await Promise.all([
    ask(api.console.mailboxes.problems.get()),
    ask(api.console.bots.problems.get()),
    ask(api.console.backups.get()),
  ])
  return { mailboxes: mailboxes.data, bots: bots.data, hasFailingBackups: backups.state === 'failing' }
}
