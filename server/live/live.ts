import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { SignedIn } from '../sessions/sessions.ts'
import { openSessions } from '../sessions/sessions.ts'
import type { Start } from './feed.ts'
import { openPageStream } from './page-stream.ts'
import type { Announcement } from './presence.ts'
import { HEARTBEAT, SIGNED_OUT } from './sse-frames.ts'
import { paced } from './throttle.ts'
import { createWorkspaceStream, type OpenPage, type WorkspaceStream } from './workspace-stream.ts'

const HEARTBEAT_EVERY_MS = 15_000
const MOST_STREAMS_OF_AGENT = 20
/** Sessions are looked at after commits, at most this often. */
const SESSIONS_REST_MS = 1_000

export interface Live {
  /**
   * Opens a page's event stream. A page that opens a second one has lost the first: that is closed. Throws 429 when
   * the agent has too many open.
   */
  open(me: SignedIn, page: { pageId: string; start: Start }): ReadableStream<Uint8Array>
  announce(orgId: string, said: Announcement): void
  /** How many streams are open. */
  streams(): number
  /** Closes all streams at once; pages come back to the next server. */
  stop(): Promise<void>
}

/** Tells the open pages of all organizations what happens. */
export function createLive(deps: Deps): Live {
  const workspaces = new Map<string, WorkspaceStream>()
  const sessions = paced(deps, 'sessions', () => SESSIONS_REST_MS, endSignedOut)
  const stopListening = deps.pulse.listen(wake)
  let cancelHeartbeat = deps.clock.after(HEARTBEAT_EVERY_MS, beat)
  let isStopped = false

  function wake(): void {
    if (workspaces.size === 0) return
    for (const workspace of workspaces.values()) workspace.feed.wake()
    sessions.wake()
  }

  /** A session may also end by time alone. */
  function beat(): void {
    for (const { stream } of allPages()) stream.send(HEARTBEAT)
    if (workspaces.size > 0) sessions.wake()
    cancelHeartbeat = deps.clock.after(HEARTBEAT_EVERY_MS, beat)
  }

  async function endSignedOut(): Promise<void> {
    const open = await openSessions(deps, [...new Set(allPages().map(({ sessionId }) => sessionId))])
    for (const { sessionId, stream } of allPages()) if (!open.has(sessionId)) stream.end(SIGNED_OUT)
  }

  function allPages(): OpenPage[] {
    return [...workspaces.values()].flatMap(({ pages }) => [...pages])
  }

  function workspaceOf(orgId: string): WorkspaceStream {
    const known = workspaces.get(orgId)
    if (known) return known
    const made: WorkspaceStream = createWorkspaceStream(deps, orgId, () => {
      if (workspaces.get(orgId) === made) workspaces.delete(orgId)
    })
    workspaces.set(orgId, made)
    return made
  }

  return {
    open({ orgId, agentId, sessionId }, { pageId, start }) {
      if (isStopped) throw new AppError(503, 'stopping', 'The server is stopping. Try again in a moment.')
      const workspace = workspaceOf(orgId)
      const own = [...workspace.pages].filter((page) => page.agentId === agentId)
      const lost = own.find((page) => pageId !== '' && page.pageId === pageId)
      if (!lost && own.length >= MOST_STREAMS_OF_AGENT) throw tooManyStreams()
      lost?.stream.end()
      const stream = openPageStream({ catchUp: workspace.everything, onEnd: () => workspace.leave(page) })
      const page: OpenPage = { agentId, sessionId, pageId, stream }
      workspace.enter(page, start)
      return stream.body
    },
    announce(orgId, said) {
      if (!isStopped) workspaceOf(orgId).announce(said)
    },
    streams: () => allPages().length,
    async stop() {
      isStopped = true
      stopListening()
      cancelHeartbeat()
      for (const { stream } of allPages()) stream.end()
      await Promise.all([sessions.stop(), ...[...workspaces.values()].map((workspace) => workspace.stop())])
    },
  }
}

function tooManyStreams(): AppError {
  const detail = `You have ${MOST_STREAMS_OF_AGENT} pages of the inbox open. Close some of them.`
  return new AppError(429, 'too_many_streams', detail, { headers: { 'retry-after': '30' } })
}
