import type { QueryClient } from '@tanstack/solid-query'
import { createSignal } from 'solid-js'
import { onUnreached } from '../api/api.ts'
import { queryKeys } from '../api/query-keys.ts'
import type { SessionData } from '../api/session.ts'
import { expireSession, isSignedOut, restoreSession } from '../api/session-expiry.ts'
import { leaveUnasked } from '../browser/unsaved-warning.ts'
import { createRefresher } from './invalidate.ts'
import { announceAgain, everybodyAt, type Here, PAGE_ID, showPicture, watchLeaving } from './presence.ts'
import { type LinkState, shareStream } from './tab-leader.ts'

/** The state of the live connection, and since when (milliseconds since 1970). */
interface Connection {
  state: LinkState
  since: number
}

const [link, setLink] = createSignal<Connection>({ state: 'connecting', since: Date.now() })
const backListeners = new Set<() => void>()
let reconnectNow = () => {}
let client: QueryClient | undefined

export const connection = link

/** Calls `listener` whenever the server may be reachable again. Returns how to stop. */
export function onConnectionBack(listener: () => void): () => void {
  backListeners.add(listener)
  return () => backListeners.delete(listener)
}

/** Reconnects now instead of after the wait. */
export function reconnect(): void {
  reconnectNow()
}

/** Other agents who have the ticket open. */
export function presenceOf(ticketId: string): Here[] {
  const me = client?.getQueryData<SessionData>(queryKeys.session)?.agent.id
  return everybodyAt(ticketId).filter(({ agentId }) => agentId !== me)
}

/** Keeps the data on the page up to date until it is closed. Further calls do nothing. */
export function startLive(queries: QueryClient): void {
  if (client) return
  client = queries
  const refresher = createRefresher(queries)
  const shared = shareStream(PAGE_ID, {
    message(message) {
      if (message.event === 'presence') showPicture(message.data)
      else if (message.event === 'reset') refresher.everything()
      else if (message.event === 'signed-out') expireSession()
      else if (message.event === 'hello') void onHello(queries)
      else if (message.event === 'changed' && message.data.ticketId === '') refresher.workspaceChanged()
      else if (message.event === 'changed') refresher.ticketChanged(message.data.ticketId)
    },
    state(state) {
      // For style sheets and tests.
      document.documentElement.dataset.connection = state
      if (link().state === state) return
      setLink({ state, since: Date.now() })
      if (state === 'online') notifyBack()
    },
  })
  reconnectNow = shared.reconnectNow
  watchLeaving()
  addEventListener('online', reconnectNow)
  addEventListener('online', notifyBack)
  // An open stream may take most of a minute to fail.
  addEventListener('offline', shared.verify)
  onUnreached(shared.verify)
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) reconnectNow()
  })
}

function notifyBack(): void {
  for (const listener of [...backListeners]) listener()
}

/** Connected, so there is a session, perhaps one that was started in another tab. */
async function onHello(queries: QueryClient): Promise<void> {
  announceAgain()
  if (!isSignedOut()) return
  const before = queries.getQueryData<SessionData>(queryKeys.session)
  await queries.refetchQueries({ queryKey: queryKeys.session })
  const now = queries.getQueryData<SessionData>(queryKeys.session)
  if (before?.agent.id === now?.agent.id) restoreSession()
  else leaveUnasked(() => location.reload())
}
