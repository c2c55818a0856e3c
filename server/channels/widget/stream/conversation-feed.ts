import { and, eq, inArray } from 'drizzle-orm'
import { agents } from '../../../database/tables/agents.ts'
import { widgetConversations } from '../../../database/tables/widgets.ts'
import type { Deps } from '../../../deps.ts'
import { eventsAfter, type LoggedEvent, newestEvent } from '../../../events/events.ts'
import type { PageStream } from '../../../live/page-stream.ts'
import type { PresenceSnapshot } from '../../../live/presence.ts'
import { createThrottle } from '../../../live/throttle.ts'
import { yieldToEventLoop } from '../../../loop.ts'
import {
  conversationById,
  followedTickets,
  messagesSince,
  removedSince,
} from '../conversations/read-conversations.ts'
import type { SignedInVisitor } from '../visitors/visitors.ts'
import {
  conversationFrame,
  deletedFrame,
  messageFrame,
  removedFrame,
  typingFrame,
  visitorHelloFrame,
  visitorResetFrame,
} from './visitor-frames.ts'

const BATCH_SIZE = 200
/** Events committed during a pause are sent together. */
const PAUSE_MS = 25
/**
 * Events of the organization that are kept for pages that reconnect. A page that missed more reads everything again.
 */
const MAX_KEPT_EVENTS = 2_000
/**
 * Events of one visitor that are sent one by one, with their messages. A page that missed more reads everything again.
 */
const MAX_MISSED_EVENTS = 20
const MAX_MESSAGES_PER_FRAME = 100
/** How long pages can join before other work gets its turn. */
const JOIN_SLICE_MS = 8

const NONE_REMOVED = { seen: [], unseen: [] }

type Frame = Uint8Array

/** The open stream of a visitor's page. */
export interface VisitorStream {
  visitor: Pick<SignedInVisitor, 'id' | 'orgId' | 'userId' | 'widgetId' | 'tokenHash'>
  /** The IP address. */
  address: string
  /** Whether it ends once everything up to now was sent. */
  isOnce: boolean
  page: PageStream
  /** Tickets whose events it receives. */
  tickets: string[]
  /** The number in the newest `hello` of the page, which has every event up to it. */
  position: number
}

/**
 * Sends the events of one organization to the open pages of its visitors. Each event causes work for its own
 * conversation only: the conversation is read and rendered once for all pages that show it.
 */
export interface ConversationFeed {
  /** `after` is the number of the last event that the page has seen; undefined for a page that has just read everything. */
  join(stream: VisitorStream, after: number | undefined): void
  leave(stream: VisitorStream): void
  /** Checks for new events. */
  wake(): void
  /** Shows visitors which agents are replying to them. */
  showPresence(presence: PresenceSnapshot): void
  /** All events up to this number were sent. */
  position(): number
  stop(): Promise<void>
}

/**
 * `workspaceChanged` is called when settings have changed, which may have turned a widget off; `deleted` with the streams
 * that showed a deleted conversation, whose visitors may be deleted with it.
 */
export function createConversationFeed(
  deps: Deps,
  orgId: string,
  on: { workspaceChanged: () => void; deleted: (streams: VisitorStream[]) => void },
): ConversationFeed {
  /** Below 0 before the first read. */
  let position = -1
  let kept: LoggedEvent[] = []
  const byTicket = new Map<string, Set<VisitorStream>>()
  const byOwner = new Map<string, Set<VisitorStream>>()
  const joining = new Map<VisitorStream, number | undefined>()
  /** Names of the agents who are replying, by ticket. */
  const replying = new Map<string, { agentId: string; agentName: string }>()
  let presence: PresenceSnapshot | undefined
  const { read } = deps.database

  async function update(): Promise<void> {
    await sendNewEvents()
    await sendPresence()
    await letIn()
  }

  async function sendNewEvents(): Promise<void> {
    const newest = await newestEvent(read, orgId)
    if (position < 0) {
      kept = await eventsAfter(read, orgId, Math.max(newest - MAX_KEPT_EVENTS, 0), MAX_KEPT_EVENTS)
      position = newest
    }
    while (position < newest) {
      const found = await eventsAfter(read, orgId, position, BATCH_SIZE)
      const last = found.at(-1)?.number
      // Numbers have no gaps, except where old events were deleted.
      if (last === undefined || last !== position + found.length) return resetAll(newest)
      kept.push(...found)
      if (kept.length > 2 * MAX_KEPT_EVENTS) kept = kept.slice(-MAX_KEPT_EVENTS)
      await send(found)
      position = last
      await yieldToEventLoop()
    }
  }

  async function send(events: LoggedEvent[]): Promise<void> {
    await followOpened(events)
    if (events.some(({ ticketId }) => ticketId === '')) on.workspaceChanged()
    for (const [ticketId, ofTicket] of Map.groupBy(events, (event) => event.ticketId)) {
      const streams = byTicket.get(ticketId)
      if (!streams) continue
      const frames = await framesOf(ticketId, ofTicket)
      for (const frame of frames) for (const { page } of streams) page.send(frame)
      if (ofTicket.some(({ type }) => type === 'ticket.deleted')) {
        byTicket.delete(ticketId)
        on.deleted([...streams])
      }
    }
  }

  /** A new conversation belongs to the open pages of its visitor. */
  async function followOpened(events: LoggedEvent[]): Promise<void> {
    const opened = events.filter(({ type }) => type === 'ticket.created').map(({ ticketId }) => ticketId)
    if (opened.length === 0 || byOwner.size === 0) return
    const rows = await read
      .select({
        ticketId: widgetConversations.ticketId,
        id: widgetConversations.visitorId,
        userId: widgetConversations.userId,
      })
      .from(widgetConversations)
      .where(and(eq(widgetConversations.orgId, orgId), inArray(widgetConversations.ticketId, opened)))
    for (const row of rows) {
      for (const stream of byOwner.get(ownerKey(row)) ?? []) follow(stream, row.ticketId)
    }
  }

  /** The frames for events of one ticket. */
  async function framesOf(ticketId: string, events: LoggedEvent[]): Promise<Frame[]> {
    const shown = events.filter(({ type }) => type !== 'note.added' && type !== 'reply.waiting')
    const last = shown.at(-1)
    if (!last) return []
    if (shown.some(({ type }) => type === 'ticket.deleted')) return [deletedFrame(ticketId, last.number)]
    const conversation = await conversationById(deps, { orgId, ticketId })
    // It has been deleted since, and the event that says so follows.
    if (!conversation) return []
    const ofTicket = { orgId, ticketId }
    const sent = shown.find(({ type }) => type === 'message.sent')
    const changed = shown.find(({ type }) => type === 'ticket.updated')
    const time = sent?.createdAt
    const messages =
      time === undefined
        ? []
        : await messagesSince(deps, { ...ofTicket, time, limit: MAX_MESSAGES_PER_FRAME })
    const removed = changed
      ? await removedSince(deps, { ...ofTicket, time: changed.createdAt })
      : NONE_REMOVED
    const frames = [
      ...[...messages, ...removed.seen].map(
        (message) => (number: number) => messageFrame(conversation, message, number),
      ),
      ...removed.unseen.map((id) => (number: number) => removedFrame(conversation, id, number)),
    ]
    // Some messages are for agents only.
    if (frames.length === 0) return [conversationFrame(conversation, last.number)]
    return frames.map((frame, at) =>
      frame(at === frames.length - 1 ? last.number : (shown[0] ?? last).number),
    )
  }

  async function letIn(): Promise<void> {
    const startedAt = deps.clock.monotonic()
    for (const [stream, after] of joining) {
      const tickets = await followedTickets(deps, stream.visitor)
      // It may have been closed while they were read.
      if (!joining.has(stream)) continue
      stream.tickets = [...new Set([...stream.tickets, ...tickets])]
      const missed = await missedFrames(stream, after)
      if (!joining.delete(stream)) continue
      if (after !== undefined && missed.length > 0) stream.page.send(visitorHelloFrame(after))
      for (const frame of missed) stream.page.send(frame)
      stream.page.send(visitorHelloFrame(position))
      stream.position = position
      for (const ticketId of stream.tickets) {
        follow(stream, ticketId)
        const agent = replying.get(ticketId)
        if (agent) stream.page.send(typing(ticketId, agent, true))
      }
      if (stream.isOnce) stream.page.end()
      if (deps.clock.monotonic() - startedAt > JOIN_SLICE_MS) break
    }
    if (joining.size > 0) throttle.wake()
  }

  async function missedFrames({ tickets }: VisitorStream, after: number | undefined): Promise<Frame[]> {
    if (after === undefined || after === position) return []
    const all = kept.slice(firstAfter(after))
    const own = all.filter(({ ticketId }) => tickets.includes(ticketId))
    const isWhole = after < position && all.length === position - after
    // A deleted conversation has no owner in the database anymore.
    const isDeleted = all.some(({ type }) => type === 'ticket.deleted')
    if (!isWhole || isDeleted || own.length > MAX_MISSED_EVENTS) return [visitorResetFrame(position)]
    const frames: Frame[] = []
    for (const [ticketId, events] of Map.groupBy(own, (event) => event.ticketId)) {
      frames.push(...(await framesOf(ticketId, events)))
    }
    return frames
  }

  /** Index of the first kept event after a number. */
  function firstAfter(number: number): number {
    const [oldest] = kept
    return oldest ? Math.max(number - oldest.number + 1, 0) : 0
  }

  function follow(stream: VisitorStream, ticketId: string): void {
    if (!stream.tickets.includes(ticketId)) stream.tickets.push(ticketId)
    // One that is joining reads the log itself.
    if (!joining.has(stream)) addTo(byTicket, ticketId, stream)
  }

  function resetAll(newest: number): void {
    position = newest
    kept = []
    const frame = visitorResetFrame(newest)
    for (const streams of byOwner.values()) {
      for (const stream of streams) if (!joining.has(stream)) stream.page.send(frame)
    }
  }

  async function sendPresence(): Promise<void> {
    const wanted = presence
    if (!wanted) return
    presence = undefined
    const now = new Map<string, string>()
    for (const [ticketId, viewers] of Object.entries(wanted.tickets)) {
      const agent = viewers.find(({ state }) => state === 'replying')
      if (agent) now.set(ticketId, agent.agentId)
    }
    for (const [ticketId, agent] of replying) {
      if (now.get(ticketId) === agent.agentId) continue
      replying.delete(ticketId)
      sendTo(ticketId, typing(ticketId, agent, false))
    }
    for (const [ticketId, agentId] of now) {
      if (replying.has(ticketId)) continue
      const agent = { agentId, agentName: await nameOf(agentId) }
      replying.set(ticketId, agent)
      sendTo(ticketId, typing(ticketId, agent, true))
    }
  }

  function sendTo(ticketId: string, frame: Frame): void {
    for (const { page } of byTicket.get(ticketId) ?? []) page.send(frame)
  }

  async function nameOf(agentId: string): Promise<string> {
    const [agent] = await read
      .select({ name: agents.name })
      .from(agents)
      .where(and(eq(agents.orgId, orgId), eq(agents.id, agentId)))
    return agent?.name ?? ''
  }

  const throttle = createThrottle(deps, 'visitor_feed', () => PAUSE_MS, update)
  return {
    join(stream, after) {
      joining.set(stream, after)
      addTo(byOwner, ownerKey(stream.visitor), stream)
      throttle.wake()
    },
    leave(stream) {
      joining.delete(stream)
      removeFrom(byOwner, ownerKey(stream.visitor), stream)
      for (const ticketId of stream.tickets) removeFrom(byTicket, ticketId, stream)
    },
    wake: throttle.wake,
    showPresence(given) {
      presence = given
      throttle.wake()
    },
    position: () => position,
    stop: throttle.stop,
  }
}

/** Who a conversation belongs to: a browser, or a verified user in every browser. */
function ownerKey({ id, userId }: { id: string; userId: string | null }): string {
  return userId === null ? `visitor ${id}` : `user ${userId}`
}

function typing(conversationId: string, { agentName }: { agentName: string }, isTyping: boolean): Frame {
  return typingFrame({ conversationId, agentName, isTyping })
}

function addTo<Member>(map: Map<string, Set<Member>>, key: string, member: Member): void {
  const known = map.get(key)
  if (known) known.add(member)
  else map.set(key, new Set([member]))
}

function removeFrom<Member>(map: Map<string, Set<Member>>, key: string, member: Member): void {
  const known = map.get(key)
  known?.delete(member)
  if (known?.size === 0) map.delete(key)
}
