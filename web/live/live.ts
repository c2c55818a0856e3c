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

/** Whether the page hears of changes, and since when (milliseconds since 1970). */
interface Connection {
  state: LinkState
  since: number
}

const [link, setLink] = createSignal<Connection>({ state: 'connecting', since: Date.now() })
const backListeners = new Set<() => void>()
let hurry = () => {}
let client: QueryClient | undefined

export const connection = link

/** Hears when the server may be reached again; the answer stops it. */
export function onConnectionBack(listener: () => void): () => void {
  backListeners.add(listener)
  return () => backListeners.delete(listener)
}

/** Tries at once what would be tried again in a moment. */
export function reconnect(): void {
  hurry()
}

/** The colleagues who have the ticket open; this agent is not among them. */
export function presenceOf(ticketId: string): Here[] {
  const me = client?.getQueryData<SessionData>(queryKeys.session)?.agent.id
  return everybodyAt(ticketId).filter(({ agentId }) => agentId !== me)
}

/** Keeps what the page shows up to date until it is closed. Once for a page, however often it is asked for. */
export function startLive(queries: QueryClient): void {
  if (client) return
  client = queries
  const refresher = createRefresher(queries)
  const shared = shareStream(PAGE_ID, {
    told(told) {
      if (told.event === 'presence') showPicture(told.data)
      else if (told.event === 'reset') refresher.everything()
      else if (told.event === 'signed-out') expireSession()
      else if (told.event === 'hello') void greet(queries)
      else if (told.event === 'changed' && told.data.ticketId === '') refresher.workspaceChanged()
      else if (told.event === 'changed') refresher.ticketChanged(told.data.ticketId)
    },
    state(state) {
      // For style sheets, and for whoever watches the page from outside.
      document.documentElement.dataset.connection = state
      if (link().state === state) return
      setLink({ state, since: Date.now() })
      if (state === 'online') tellBack()
    },
  })
  hurry = shared.hurry
  watchLeaving()
  addEventListener('online', hurry)
  addEventListener('online', tellBack)
  // An open stream may take most of a minute to notice.
  addEventListener('offline', shared.doubt)
  onUnreached(shared.doubt)
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) hurry()
  })
}

function tellBack(): void {
  for (const listener of [...backListeners]) listener()
}

/** There is a connection, and so a session: perhaps the one that somebody began in another tab. */
async function greet(queries: QueryClient): Promise<void> {
  announceAgain()
  if (!isSignedOut()) return
  const before = queries.getQueryData<SessionData>(queryKeys.session)
  await queries.refetchQueries({ queryKey: queryKeys.session })
  const now = queries.getQueryData<SessionData>(queryKeys.session)
  if (before?.agent.id === now?.agent.id) restoreSession()
  else leaveUnasked(() => location.reload())
}
