import { and, eq, gt, inArray, isNull, or } from 'drizzle-orm'
import { matches } from '../../../database/matches.ts'
import { apiKeys } from '../../../database/tables/api-keys.ts'
import { widgets } from '../../../database/tables/widgets.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import type { Live } from '../../../live/live.ts'
import { createStreams, eventText, type Frame, frameOf, type Streams } from '../../../live/streams.ts'
import { yieldToEventLoop } from '../../../loop.ts'
import { networkOf } from '../../../requests/address.ts'
import {
  findVisitorByHash,
  isBlocked,
  onVisitorsChanged,
  recheckVisitors,
  type SignedInVisitor,
  type Visitor,
} from '../visitors/visitors.ts'
import { createConnectedVisitors } from './connected-visitors.ts'
import {
  addTo,
  type ConversationFeed,
  createConversationFeed,
  helloFrame,
  removeFrom,
  type VisitorPage,
} from './conversation-feed.ts'

/** The pages of one browser share a stream, so it is one for each browser. */
const MAX_STREAMS_PER_VISITOR = 8
const MAX_STREAMS_PER_ADDRESS = 1_000
const MAX_STREAMS = 20_000
const RETRY_AFTER_SECONDS = '30'
/** A page that gets the newest number at least this often resumes without reading everything again. */
const MAX_EVENTS_BEHIND = 500
/** Visitors that are checked before other work gets its turn. */
const CHECKED_AT_ONCE = 100

const HEARTBEAT = frameOf(': heartbeat\n\n')
const BLOCKED = frameOf(eventText('blocked', {}))
const SIGNED_OUT = frameOf(eventText('signed_out', {}))

export interface VisitorStreams {
  /**
   * Opens the event stream of a page. With `isOnce`, it ends after the missed events. Throws 429 for too many streams,
   * and 503 while the server stops.
   */
  open(
    visitor: SignedInVisitor,
    page: { after: number | undefined; address: string; isOnce: boolean },
  ): ReadableStream<Uint8Array>
  /** Whether a page of this browser is open, on any node. One that another node lost is so for 90 seconds. */
  isConnected(visitor: Pick<Visitor, 'tokenHash' | 'connectedUntil'>): boolean
  visitorTyping(typing: { orgId: string; ticketId: string; isTyping: boolean }): void
  /** Counts a message of a visitor. */
  countMessage(): void
  counts(): { streams: number; messages: number }
  /** Closes all streams. The pages reconnect to the next server. */
  stop(): Promise<void>
}

/** Streams the events of their conversations to the open pages of visitors. */
export function createVisitorStreams(deps: Deps, live: Live): VisitorStreams {
  const byToken = new Map<string, Set<VisitorPage>>()
  const byNetwork = new Map<string, Set<VisitorPage>>()
  const connected = createConnectedVisitors(deps)
  let messages = 0

  const streams: Streams<VisitorPage, ConversationFeed> = createStreams(deps, {
    createRoom(orgId) {
      const feed = createConversationFeed(deps, orgId, {
        workspaceChanged(pages) {
          endDisabled(deps, orgId, pages).catch((error) =>
            deps.log.warn('widgets_not_checked', { orgId, error }),
          )
        },
        deleted(pages) {
          recheckVisitors(
            deps,
            pages.map(({ visitor }) => visitor.tokenHash),
          )
        },
        empty() {
          streams.close(feed)
          void feed.stop()
        },
      })
      const agents = live.presenceOf(orgId)
      if (agents) feed.showPresence(agents)
      return feed
    },
    heartbeat(page): Frame {
      const position = streams.find(page.orgId)?.position() ?? 0
      if (page.position < 0 || position - page.position < MAX_EVENTS_BEHIND) return HEARTBEAT
      page.position = position
      return helloFrame(position)
    },
    onEnd(page) {
      removeFrom(byToken, page.visitor.tokenHash, page)
      if (!byToken.has(page.visitor.tokenHash)) connected.close(page.visitor)
      removeFrom(byNetwork, networkOf(page.address), page)
    },
    endVoid: (pages) => endVoid(deps, pages),
  })

  const stopListening = [
    live.onPresence((orgId, agents) => streams.find(orgId)?.showPresence(agents)),
    onVisitorsChanged(deps, (changed) => {
      if (changed === 'anyone') streams.check(streams.pages())
      else if (Array.isArray(changed))
        streams.check(changed.flatMap((hash) => [...(byToken.get(hash) ?? [])]))
      else streams.check(streams.find(changed.orgId)?.pages ?? [])
    }),
  ]

  function requireRoom(tokenHash: string, network: string): void {
    const own = byToken.get(tokenHash)?.size ?? 0
    const ofNetwork = byNetwork.get(network)?.size ?? 0
    const total = streams.count()
    if (own < MAX_STREAMS_PER_VISITOR && ofNetwork < MAX_STREAMS_PER_ADDRESS && total < MAX_STREAMS) return
    throw new AppError(429, 'too_many_streams', 'Too many connections are open. Try again in 30 s.', {
      headers: { 'retry-after': RETRY_AFTER_SECONDS },
    })
  }

  return {
    open({ id, orgId, userId, widgetId, tokenHash }, { after, address, isOnce }) {
      const network = networkOf(address)
      requireRoom(tokenHash, network)
      const visitor = { id, orgId, userId, widgetId, tokenHash }
      const page = streams.open(orgId, { after }, (stream) => ({
        ...{ orgId, visitor, address, isOnce, stream },
        tickets: [],
        position: -1,
      }))
      if (!byToken.has(tokenHash)) connected.open(visitor)
      addTo(byToken, tokenHash, page)
      addTo(byNetwork, network, page)
      return page.stream.body
    },
    isConnected({ tokenHash, connectedUntil }) {
      if (tokenHash === null) return false
      return byToken.has(tokenHash) || (connectedUntil ?? 0) > deps.clock.now()
    },
    visitorTyping: ({ orgId, ...typing }) => live.showCustomerTyping(orgId, typing),
    countMessage() {
      messages += 1
    },
    counts: () => ({ streams: streams.count(), messages }),
    async stop() {
      for (const stop of stopListening) stop()
      await streams.stop()
      await connected.stop()
    },
  }
}

/** Ends the streams of visitors who are signed out or blocked. */
async function endVoid(deps: Deps, pages: VisitorPage[]): Promise<void> {
  let checked = 0
  for (const [hash, own] of Map.groupBy(pages, ({ visitor }) => visitor.tokenHash)) {
    const visitor = await findVisitorByHash(deps, hash)
    const isVoid = !visitor || (await isBlocked(deps, visitor, own[0]?.address ?? ''))
    // A blocked page keeps its token: with a new one it could write again.
    if (isVoid) for (const { stream } of own) stream.end(visitor ? BLOCKED : SIGNED_OUT)
    checked += 1
    if (checked % CHECKED_AT_ONCE === 0) await yieldToEventLoop()
  }
}

/** Ends the streams of widgets that are turned off. The next request of each page tells it why. */
async function endDisabled(deps: Deps, orgId: string, pages: VisitorPage[]): Promise<void> {
  const active = await activeWidgets(deps, orgId, new Set(pages.map(({ visitor }) => visitor.widgetId)))
  for (const { visitor, stream } of pages) if (!active.has(visitor.widgetId)) stream.end()
}

/** Ids of the widgets that are turned on and have a valid key. */
async function activeWidgets(deps: Deps, orgId: string, ids: Set<string>): Promise<Set<string>> {
  const active = await deps.database.read
    .select({ id: widgets.id })
    .from(widgets)
    .innerJoin(apiKeys, matches(apiKeys, { id: widgets.keyId, orgId: widgets.orgId }))
    .where(
      and(
        eq(widgets.orgId, orgId),
        inArray(widgets.id, [...ids]),
        eq(widgets.state, 'active'),
        isNull(widgets.deletedAt),
        isNull(apiKeys.revokedAt),
        or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, deps.clock.now())),
      ),
    )
  return new Set(active.map(({ id }) => id))
}
