import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { SignedIn } from '../sessions/sessions.ts'
import { openSessions } from '../sessions/sessions.ts'
import type { FeedStart } from './feed.ts'
import { openPageStream } from './page-stream.ts'
import type { Announcement, PresenceSnapshot } from './presence.ts'
import { HEARTBEAT, SIGNED_OUT, visitorsFrame } from './sse-frames.ts'
import { createThrottle } from './throttle.ts'
import { createWorkspaceStream, type OpenPage, type WorkspaceStream } from './workspace-stream.ts'

const HEARTBEAT_EVERY_MS = 15_000
const MAX_STREAMS_PER_AGENT = 20
/** Sessions are checked after commits, at most once per pause. */
const SESSION_CHECK_PAUSE_MS = 1_000

export interface Live {
  /**
   * Opens the event stream of a page. A page that opens a second stream has lost the first, which is then closed.
   * Throws 429 when the agent has too many streams open.
   */
  open(me: SignedIn, page: { pageId: string; start: FeedStart }): ReadableStream<Uint8Array>
  announce(orgId: string, announcement: Announcement): void
  /** An agent is typing a reply. Pages repeat it every few seconds. */
  announceTyping(orgId: string, ticketId: string): void
  /** Calls back for each announcement of an agent who is typing. */
  onTyping(call: (orgId: string, ticketId: string) => void): () => void
  /** Calls back when agents begin or stop viewing or replying. */
  onPresence(call: (orgId: string, presence: PresenceSnapshot) => void): () => void
  /** Presence as it was last sent; undefined when no agent is there. */
  presenceOf(orgId: string): PresenceSnapshot | undefined
  /** Shows agents in which tickets the customer is typing now. */
  setTyping(orgId: string, ticketIds: string[]): void
  /** Tells pages to read again what they show of the visitors who wrote these tickets. */
  showVisitors(orgId: string, ticketIds: string[]): void
  /** The number of open streams. */
  streams(): number
  /** Closes all streams. The pages reconnect to the next server. */
  stop(): Promise<void>
}

/** Streams events and presence to the open pages of all organizations. */
export function createLive(deps: Deps): Live {
  const workspaces = new Map<string, WorkspaceStream>()
  const typingListeners = new Set<(orgId: string, ticketId: string) => void>()
  const presenceListeners = new Set<(orgId: string, presence: PresenceSnapshot) => void>()
  const sessionCheck = createThrottle(deps, 'sessions', () => SESSION_CHECK_PAUSE_MS, closeSignedOut)
  const stopListening = deps.pulse.listen(wake)
  let cancelHeartbeat = deps.clock.after(HEARTBEAT_EVERY_MS, sendHeartbeat)
  let isStopped = false

  function wake(): void {
    if (workspaces.size === 0) return
    for (const workspace of workspaces.values()) workspace.feed.wake()
    sessionCheck.wake()
  }

  /** Also checks sessions, because they can expire without a commit. */
  function sendHeartbeat(): void {
    for (const { stream } of allPages()) stream.send(HEARTBEAT)
    if (workspaces.size > 0) sessionCheck.wake()
    cancelHeartbeat = deps.clock.after(HEARTBEAT_EVERY_MS, sendHeartbeat)
  }

  async function closeSignedOut(): Promise<void> {
    // Excludes pages that open during the query, because their sessions aren't in its result.
    const pages = allPages()
    const open = await openSessions(deps, [...new Set(pages.map(({ sessionId }) => sessionId))])
    for (const { sessionId, stream } of pages) if (!open.has(sessionId)) stream.end(SIGNED_OUT)
  }

  function allPages(): OpenPage[] {
    return [...workspaces.values()].flatMap(({ pages }) => [...pages])
  }

  function workspaceOf(orgId: string): WorkspaceStream {
    const known = workspaces.get(orgId)
    if (known) return known
    const created: WorkspaceStream = createWorkspaceStream(deps, orgId, {
      onEmpty: () => {
        if (workspaces.get(orgId) === created) workspaces.delete(orgId)
      },
      onPresence: (presence) => {
        for (const call of presenceListeners) call(orgId, presence)
      },
    })
    workspaces.set(orgId, created)
    return created
  }

  return {
    open({ orgId, agentId, sessionId }, { pageId, start }) {
      if (isStopped)
        throw new AppError(503, 'stopping', 'The server is restarting. Try again in a few seconds.')
      const workspace = workspaceOf(orgId)
      const own = [...workspace.pages].filter((page) => page.agentId === agentId)
      const replaced = own.find((page) => pageId !== '' && page.pageId === pageId)
      if (!replaced && own.length >= MAX_STREAMS_PER_AGENT) throw tooManyStreams()
      replaced?.stream.end()
      const stream = openPageStream({
        catchUp: workspace.catchUpFrames,
        onEnd: () => workspace.removePage(page),
      })
      const page: OpenPage = { agentId, sessionId, pageId, stream }
      workspace.addPage(page, start)
      return stream.body
    },
    announce(orgId, announcement) {
      if (!isStopped) workspaceOf(orgId).announce(announcement)
    },
    announceTyping(orgId, ticketId) {
      for (const call of typingListeners) call(orgId, ticketId)
    },
    onTyping(call) {
      typingListeners.add(call)
      return () => typingListeners.delete(call)
    },
    onPresence(call) {
      presenceListeners.add(call)
      return () => presenceListeners.delete(call)
    },
    presenceOf: (orgId) => workspaces.get(orgId)?.presence(),
    setTyping: (orgId, ticketIds) => workspaces.get(orgId)?.setTyping(ticketIds),
    showVisitors(orgId, ticketIds) {
      const frame = visitorsFrame(ticketIds)
      for (const { stream } of workspaces.get(orgId)?.pages ?? []) stream.send(frame)
    },
    streams: () => allPages().length,
    async stop() {
      isStopped = true
      stopListening()
      cancelHeartbeat()
      for (const { stream } of allPages()) stream.end()
      await Promise.all([
        sessionCheck.stop(),
        ...[...workspaces.values()].map((workspace) => workspace.stop()),
      ])
    },
  }
}

function tooManyStreams(): AppError {
  const detail = `You have ${MAX_STREAMS_PER_AGENT} inbox pages open. Close some of them.`
  return new AppError(429, 'too_many_streams', detail, { headers: { 'retry-after': '30' } })
}
