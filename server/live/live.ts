import { agents } from '../database/tables/agents.ts'
import { sessions } from '../database/tables/sessions.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { openSessions, type SignedIn } from '../sessions/sessions.ts'
import { createClusterPresence } from './cluster-presence.ts'
import type { FeedStart } from './feed.ts'
import type { Announcement, CustomerTyping, PresenceSnapshot } from './presence.ts'
import { createStreams, frameOf, type Streams } from './streams.ts'
import { type AgentPage, createWorkspace, liveFrame, liveText, type Workspace } from './workspace-stream.ts'

const MAX_STREAMS_PER_AGENT = 20

/**
 * It contains an event, because a page can't see comments: a page that gets no event for too long knows that its
 * connection is lost.
 */
const HEARTBEAT = frameOf(`: heartbeat\n${liveText({ event: 'beat', data: {} })}`)
const NOTIFIED = liveFrame({ event: 'notified', data: {} })
const SIGNED_OUT = liveFrame({ event: 'signed-out', data: {} })

/** Of agents, or of tickets. A message to other nodes has at most 7,000 bytes. */
const IDS_AT_ONCE = 150

/** What pages on all nodes read again: the notifications of these agents, or the visitors of these tickets. */
interface Shown {
  what: 'notified' | 'visitors'
  orgId: string
  ids: string[]
}

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
  /** Shows agents that the customer of a ticket is typing, or has stopped. */
  showCustomerTyping(orgId: string, typing: CustomerTyping): void
  /** Whether an agent is looking at a ticket: a tab that has the focus shows it. */
  isFocused(orgId: string, at: { agentId: string; ticketId: string }): boolean
  /** Has the pages of these agents load their notifications again. */
  showNotified(orgId: string, agentIds: ReadonlySet<string>): void
  /** Tells pages to read again what they show of the visitors who wrote these tickets. */
  showVisitors(orgId: string, ticketIds: string[]): void
  /** The number of open streams. */
  streams(): number
  /** Closes all streams. The pages reconnect to the next server. */
  stop(): Promise<void>
}

/** Streams events and presence to the open pages of the agents of all organizations. */
export function createLive(deps: Deps): Live {
  const typingListeners = new Set<(orgId: string, ticketId: string) => void>()
  const presenceListeners = new Set<(orgId: string, presence: PresenceSnapshot) => void>()
  const presence = createClusterPresence(deps, (orgId, shown) => {
    streams.find(orgId)?.showPresence(shown)
    for (const call of presenceListeners) call(orgId, shown)
  })
  const streams: Streams<AgentPage, Workspace> = createStreams(deps, {
    createRoom(orgId) {
      const workspace = createWorkspace(deps, orgId, {
        presence: presence.of(orgId) ?? { online: [], tickets: {} },
        onEmpty: () => streams.close(workspace),
      })
      return workspace
    },
    heartbeat(page) {
      // A session can expire without a commit.
      streams.check([page])
      page.presence.repeat()
      return HEARTBEAT
    },
    onEnd: (page) => page.presence.close(),
    async endVoid(pages) {
      const open = await openSessions(deps, [...new Set(pages.map(({ sessionId }) => sessionId))])
      for (const { sessionId, stream } of pages) if (!open.has(sessionId)) stream.end(SIGNED_OUT)
    },
  })

  function showEverywhere(what: Shown['what'], orgId: string, ids: string[]): void {
    for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
      const shown: Shown = { what, orgId, ids: ids.slice(at, at + IDS_AT_ONCE) }
      showHere(shown)
      deps.cluster.bus.send('pages', JSON.stringify(shown))
    }
  }

  function showHere({ what, orgId, ids }: Shown): void {
    const frame = what === 'notified' ? NOTIFIED : liveFrame({ event: 'visitors', data: { ticketIds: ids } })
    for (const { agentId, stream } of streams.find(orgId)?.pages ?? []) {
      if (what === 'visitors' || ids.includes(agentId)) stream.send(frame)
    }
  }

  const stopListening = [
    deps.pulse.listen(() => streams.check(streams.pages()), [agents, sessions]),
    deps.cluster.bus.on('pages', (text) => showHere(JSON.parse(text))),
    deps.cluster.bus.onMissed(() => {
      for (const { stream } of streams.pages()) stream.send(NOTIFIED)
    }),
  ]

  return {
    open({ orgId, agentId, sessionId }, { pageId, start }) {
      const own = [...(streams.find(orgId)?.pages ?? [])].filter((page) => page.agentId === agentId)
      const before = own.find((page) => pageId !== '' && page.pageId === pageId)
      if (!before && own.length >= MAX_STREAMS_PER_AGENT) throw tooManyStreams()
      before?.stream.end()
      const toPage = (stream: AgentPage['stream']) => ({
        ...{ orgId, agentId, sessionId, pageId, stream },
        presence: presence.open(orgId, { agentId, pageId }),
      })
      return streams.open(orgId, start, toPage).stream.body
    },
    announce: presence.announce,
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
    presenceOf: presence.of,
    showCustomerTyping: presence.customerTyping,
    isFocused: presence.isFocused,
    showNotified: (orgId, agentIds) => showEverywhere('notified', orgId, [...agentIds]),
    showVisitors: (orgId, ticketIds) => showEverywhere('visitors', orgId, ticketIds),
    streams: () => streams.count(),
    async stop() {
      for (const stop of stopListening) stop()
      await streams.stop()
      await presence.stop()
    },
  }
}

function tooManyStreams(): AppError {
  const detail = `You have ${MAX_STREAMS_PER_AGENT} inbox pages open. Close some of them.`
  return new AppError(429, 'too_many_streams', detail, { headers: { 'retry-after': '30' } })
}
