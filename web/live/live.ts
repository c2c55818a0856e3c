import type { QueryClient } from '@tanstack/solid-query'
import { createSignal } from 'solid-js'
import { api, ask, onServerUnreached } from '../api/api.ts'
import { queryKeys } from '../api/query-keys.ts'
import type { SessionData } from '../api/session.ts'
import { expireSession, isSignedOut, restoreSession } from '../api/session-expiry.ts'
import { leaveWithoutWarning } from '../browser/unsaved-warning.ts'
import type { LiveEvent } from './event-source.ts'
import { createInvalidator } from './invalidate.ts'
import { reloadWhenIdle } from './reload-when-idle.ts'
import { type LinkState, shareStream } from './tab-leader.ts'

/** The state of the live connection, and since when (milliseconds since 1970). */
interface Connection {
  state: LinkState
  since: number
}

type Presence = Extract<LiveEvent, { event: 'presence' }>['data']
type PresentAgent = Presence['tickets'][string][number]

const REPEAT_EVERY_MS = 20_000
/** Telegram shows "typing…" a little longer. */
const TYPING_EVERY_MS = 4_000
/** A ticket shown for less time than this, such as while moving down the list, is not announced. */
const DEBOUNCE_MS = 300

const [presence, setPresence] = createSignal<Presence>({ online: [], tickets: {} })

/** Identifies this tab to the server. */
const PAGE_ID = crypto.getRandomValues(new Uint32Array(3)).join('-')

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
  return (presence().tickets[ticketId] ?? []).filter(({ agentId }) => agentId !== me)
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
      else if (message.event === 'notified') void queries.invalidateQueries({ queryKey: queryKeys.notified })
      else if (message.event === 'reset') invalidator.allChanged()
      else if (message.event === 'signed-out') expireSession()
      else if (message.event === 'hello') void onHello(queries)
      else if (message.event === 'changed' && message.data.ticketId === '') invalidator.workspaceChanged()
      else if (message.event === 'changed')
        invalidator.ticketChanged(message.data.ticketId, message.data.type === 'suggestion.added')
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
  reloadWhenIdle()
  if (!isSignedOut()) return
  const before = queries.getQueryData<SessionData>(queryKeys.session)
  await queries.refetchQueries({ queryKey: queryKeys.session })
  const now = queries.getQueryData<SessionData>(queryKeys.session)
  if (before?.agent.id === now?.agent.id) restoreSession()
  else leaveWithoutWarning(() => location.reload())
}

/** Ids of the agents who have Bellhop open. */
export const online = () => presence().online

/** Whether the visitor of the widget who opened the ticket is typing. */
export const isVisitorTyping = (ticketId: string): boolean => presence().typing?.includes(ticketId) ?? false

let current: { ticketId: string | null; state: PresentAgent['state'] } = { ticketId: null, state: 'viewing' }
let timer: ReturnType<typeof setTimeout> | undefined

/** Announces which ticket this tab shows, and whether the agent is replying. Repeats it until the next call. */
export function announcePresence(ticketId: string | null, state: PresentAgent['state']): void {
  const isChanged = ticketId !== current.ticketId || state !== current.state
  current = { ticketId, state }
  if (isChanged) announceIn(DEBOUNCE_MS)
}

let typedAt = Number.NEGATIVE_INFINITY

/** Shows the customer that the agent is typing a reply. Call it for each change of the text. */
export function announceTyping(ticketId: string): void {
  if (performance.now() - typedAt < TYPING_EVERY_MS) return
  typedAt = performance.now()
  void send({ ticketId, state: 'replying', isTyping: true })
}

/** Announces it again. A restarted server doesn't know it. */
function repeatPresence(): void {
  announceIn(0)
}

/** Announces at once when the page is closed, hidden or shown again. */
function watchVisibility(): void {
  addEventListener('pagehide', () => {
    if (current.ticketId !== null) void send({ ticketId: null, state: 'viewing' })
  })
  const announceAgain = () => {
    if (current.ticketId !== null) announceIn(0)
  }
  document.addEventListener('visibilitychange', announceAgain)
  addEventListener('focus', announceAgain)
  addEventListener('blur', announceAgain)
}

function announceIn(milliseconds: number): void {
  clearTimeout(timer)
  timer = setTimeout(announce, milliseconds)
}

function announce(): void {
  // A hidden tab doesn't count as viewing, but a started reply still counts as replying.
  const isPresent = !document.hidden || current.state === 'replying'
  void send(isPresent ? { ...current, isFocused: document.hasFocus() } : { ticketId: null, state: 'viewing' })
  announceIn(REPEAT_EVERY_MS)
}

/** With `keepalive`, the request outlives the page. If it fails, the next repetition corrects it. */
async function send(announcement: typeof current & { isTyping?: true; isFocused?: boolean }): Promise<void> {
  const sent = api.console.presence.post({ pageId: PAGE_ID, ...announcement }, { fetch: { keepalive: true } })
  await ask(sent).catch(() => {})
}
