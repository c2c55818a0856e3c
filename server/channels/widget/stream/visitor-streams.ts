import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import type { Live } from '../../../live/live.ts'
import { openPageStream } from '../../../live/page-stream.ts'
import { createThrottle } from '../../../live/throttle.ts'
import { yieldToEventLoop } from '../../../loop.ts'
import { networkOf } from '../../../requests/address.ts'
import { areWidgetsActive } from '../visitors/active-widgets.ts'
import {
  findVisitorByHash,
  isBlocked,
  onVisitorsChanged,
  recheckVisitors,
  type SignedInVisitor,
} from '../visitors/visitors.ts'
import { type ConversationFeed, createConversationFeed, type VisitorStream } from './conversation-feed.ts'
import { createHeartbeats } from './heartbeats.ts'
import {
  VISITOR_BLOCKED,
  VISITOR_HEARTBEAT,
  VISITOR_SIGNED_OUT,
  visitorHelloFrame,
  visitorResetFrame,
} from './visitor-frames.ts'
import { createVisitorPresence } from './visitor-presence.ts'

const HEARTBEAT_EVERY_MS = 15_000
/** The pages of one browser share a stream, so it is one for each browser. */
const MAX_STREAMS_PER_VISITOR = 8
const MAX_STREAMS_PER_ADDRESS = 1_000
const MAX_STREAMS = 20_000
const RETRY_AFTER_SECONDS = '30'
/** A page that gets the newest number at least this often resumes without reading everything again. */
const MAX_EVENTS_BEHIND = 500
/** Who is still signed in is checked after changes, at most once per pause, and a few streams at a time. */
const CHECK_PAUSE_MS = 1_000
const CHECKED_AT_ONCE = 100

export interface VisitorStreams {
  /**
   * Opens the event stream of a page. With `isOnce`, it ends after the missed events. Throws 429 for too many streams,
   * and 503 while the server stops.
   */
  open(
    visitor: SignedInVisitor,
    page: { after: number | undefined; address: string; isOnce: boolean },
  ): ReadableStream<Uint8Array>
  /** Whether a page of this browser is open. */
  isConnected(tokenHash: string): boolean
  visitorTyping(typing: { orgId: string; ticketId: string; isTyping: boolean }): void
  /** Counts a message of a visitor. */
  countMessage(): void
  counts(): { streams: number; messages: number }
  /** Closes all streams. The pages reconnect to the next server. */
  stop(): Promise<void>
}

/** Streams the events of their conversations to the open pages of visitors. */
export function createVisitorStreams(deps: Deps, live: Live): VisitorStreams {
  const feeds = new Map<string, { feed: ConversationFeed; streams: Set<VisitorStream> }>()
  const byToken = new Map<string, Set<VisitorStream>>()
  const perAddress = new Map<string, number>()
  const heartbeats = createHeartbeats(deps.clock, HEARTBEAT_EVERY_MS, sendHeartbeat)
  const presence = createVisitorPresence(deps.clock, (orgId) =>
    live.setTyping(orgId, presence.typingIn(orgId)),
  )
  const unchecked = new Set<string>()
  const check = createThrottle(deps, 'visitor_sessions', () => CHECK_PAUSE_MS, endVoid)
  let total = 0
  let messages = 0
  let isStopped = false

  const stopListening = [
    deps.pulse.listen(() => {
      for (const { feed } of feeds.values()) feed.wake()
    }),
    live.onPresence((orgId, agents) => feeds.get(orgId)?.feed.showPresence(agents)),
    onVisitorsChanged(deps, (changed) => {
      for (const hash of changed === 'anyone' ? byToken.keys() : changed) {
        if (byToken.has(hash)) unchecked.add(hash)
      }
      if (unchecked.size > 0) check.wake()
    }),
  ]

  function sendHeartbeat(stream: VisitorStream): void {
    const position = feeds.get(stream.visitor.orgId)?.feed.position() ?? 0
    const isBehind = stream.position >= 0 && position - stream.position >= MAX_EVENTS_BEHIND
    if (isBehind) stream.position = position
    stream.page.send(isBehind ? visitorHelloFrame(position) : VISITOR_HEARTBEAT)
  }

  /** Ends the streams of visitors who are signed out or blocked, and of widgets that are turned off. */
  async function endVoid(): Promise<void> {
    let checked = 0
    for (const hash of unchecked) {
      unchecked.delete(hash)
      const [first] = byToken.get(hash) ?? []
      if (!first) continue
      const visitor = await findVisitorByHash(deps, hash)
      const isVoid = !visitor || (await isBlocked(deps, visitor, first.address))
      // A blocked page keeps its token: with a new one it could write again.
      const last = visitor ? VISITOR_BLOCKED : VISITOR_SIGNED_OUT
      if (isVoid) for (const { page } of byToken.get(hash) ?? []) page.end(last)
      checked += 1
      if (checked % CHECKED_AT_ONCE === 0) await yieldToEventLoop()
    }
  }

  /** The next request of each page tells it why. */
  async function endDisabled(orgId: string): Promise<void> {
    const streams = [...(feeds.get(orgId)?.streams ?? [])]
    const active = await areWidgetsActive(
      deps,
      orgId,
      new Set(streams.map(({ visitor }) => visitor.widgetId)),
    )
    for (const { visitor, page } of streams) if (!active.has(visitor.widgetId)) page.end()
  }

  function feedOf(orgId: string) {
    const known = feeds.get(orgId)
    if (known) return known
    const feed = createConversationFeed(deps, orgId, {
      workspaceChanged() {
        endDisabled(orgId).catch((error) => deps.log.warn('widgets_not_checked', { orgId, error }))
      },
      deleted(streams) {
        recheckVisitors(
          deps,
          streams.map(({ visitor }) => visitor.tokenHash),
        )
      },
    })
    const agents = live.presenceOf(orgId)
    if (agents) feed.showPresence(agents)
    const created = { feed, streams: new Set<VisitorStream>() }
    feeds.set(orgId, created)
    return created
  }

  function requireRoom(visitor: SignedInVisitor, network: string): void {
    if (isStopped)
      throw new AppError(503, 'stopping', 'The server is restarting. Try again in a few seconds.')
    const own = byToken.get(visitor.tokenHash)?.size ?? 0
    const ofAddress = perAddress.get(network) ?? 0
    if (own < MAX_STREAMS_PER_VISITOR && ofAddress < MAX_STREAMS_PER_ADDRESS && total < MAX_STREAMS) return
    throw new AppError(429, 'too_many_streams', 'Too many connections are open. Try again in 30 s.', {
      headers: { 'retry-after': RETRY_AFTER_SECONDS },
    })
  }

  function close(stream: VisitorStream, network: string): void {
    const { orgId, tokenHash } = stream.visitor
    const organization = feeds.get(orgId)
    organization?.feed.leave(stream)
    organization?.streams.delete(stream)
    if (organization?.streams.size === 0) {
      feeds.delete(orgId)
      void organization.feed.stop()
    }
    heartbeats.remove(stream)
    const own = byToken.get(tokenHash)
    own?.delete(stream)
    if (own?.size === 0) byToken.delete(tokenHash)
    const ofAddress = (perAddress.get(network) ?? 1) - 1
    if (ofAddress === 0) perAddress.delete(network)
    else perAddress.set(network, ofAddress)
    total -= 1
  }

  return {
    open({ id, orgId, userId, widgetId, tokenHash, ...visitor }, { after, address, isOnce }) {
      const network = networkOf(address)
      requireRoom({ id, orgId, userId, widgetId, tokenHash, ...visitor }, network)
      const organization = feedOf(orgId)
      const page = openPageStream({
        catchUp: () => [visitorResetFrame(organization.feed.position())],
        onEnd: () => close(stream, network),
      })
      const stream: VisitorStream = {
        visitor: { id, orgId, userId, widgetId, tokenHash },
        address,
        isOnce,
        page,
        tickets: [],
        position: -1,
      }
      organization.streams.add(stream)
      const own = byToken.get(tokenHash) ?? new Set()
      byToken.set(tokenHash, own.add(stream))
      perAddress.set(network, (perAddress.get(network) ?? 0) + 1)
      total += 1
      heartbeats.add(stream)
      organization.feed.join(stream, after)
      return page.body
    },
    isConnected: (tokenHash) => byToken.has(tokenHash),
    visitorTyping: presence.setTyping,
    countMessage() {
      messages += 1
    },
    counts: () => ({ streams: total, messages }),
    async stop() {
      isStopped = true
      for (const stop of stopListening) stop()
      heartbeats.stop()
      presence.stop()
      const all = [...feeds.values()]
      for (const { streams } of all) for (const { page } of [...streams]) page.end()
      await Promise.all([check.stop(), ...all.map(({ feed }) => feed.stop())])
    },
  }
}
