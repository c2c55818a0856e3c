import type { QueryClient } from '@tanstack/solid-query'
import { createSignal } from 'solid-js'
import { onServerUnreached } from '../api/api.ts'
import { queryKeys } from '../api/query-keys.ts'
import type { SessionData } from '../api/session.ts'
import { expireSession, isSignedOut, restoreSession } from '../api/session-expiry.ts'
import { leaveWithoutWarning } from '../browser/unsaved-warning.ts'
import { createInvalidator } from './invalidate.ts'
import {
  agentsAt,
  PAGE_ID,
  type PresentAgent,
  repeatPresence,
  setPresence,
  watchVisibility,
} from './presence.ts'
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

/** Calls `listener` whenever the server may be reachable again. Returns the function that stops it. */
export function onConnectionBack(listener: () => void): () => void {
  backListeners.add(listener)
  return () => backListeners.delete(listener)
}

/** Reconnects now instead of after the wait. */
export function reconnect(): void {
  reconnectNow()
}

/** Other agents who have the ticket open. */
export function presenceOf(ticketId: string): PresentAgent[] {
  const me = client?.getQueryData<SessionData>(queryKeys.session)?.agent.id
  return agentsAt(ticketId).filter(({ agentId }) => agentId !== me)
}

/** Keeps the data on the page up to date until it is closed. Further calls do nothing. */
export function startLive(queries: QueryClient): void {
  if (client) return
  client = queries
  const invalidator = createInvalidator(queries)
  const shared = shareStream(PAGE_ID, {
    message(message) {
      if (message.event === 'presence') setPresence(message.data)
      else if (message.event === 'visitors') invalidator.visitorsChanged(message.data.ticketIds)
      else if (message.event === 'reset') invalidator.allChanged()
      else if (message.event === 'signed-out') expireSession()
      else if (message.event === 'hello') void onHello(queries)
      else if (message.event === 'changed' && message.data.ticketId === '') invalidator.workspaceChanged()
      else if (message.event === 'changed') invalidator.ticketChanged(message.data.ticketId)
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
  watchVisibility()
  addEventListener('online', reconnectNow)
  addEventListener('online', notifyBack)
  // An open stream may take most of a minute to fail.
  addEventListener('offline', shared.verify)
  onServerUnreached(shared.verify)
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) reconnectNow()
  })
}

function notifyBack(): void {
  for (const listener of [...backListeners]) listener()
}

/** Connected, so there is a session, perhaps one that was started in another tab. */
async function onHello(queries: QueryClient): Promise<void> {
  repeatPresence()
  if (!isSignedOut()) return
  const before = queries.getQueryData<SessionData>(queryKeys.session)
  await queries.refetchQueries({ queryKey: queryKeys.session })
  const now = queries.getQueryData<SessionData>(queryKeys.session)
  if (before?.agent.id === now?.agent.id) restoreSession()
  else leaveWithoutWarning(() => location.reload())
}
