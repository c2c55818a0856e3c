import { and, eq, inArray } from 'drizzle-orm'
import { matches } from '../../../database/matches.ts'
import { agents } from '../../../database/tables/agents.ts'
import type { LogEvent } from '../../../database/tables/events.ts'
import { widgetConversations } from '../../../database/tables/widgets.ts'
import type { Deps } from '../../../deps.ts'
import type { LoggedEvent } from '../../../events/events.ts'
import { createFeed, type FeedStart } from '../../../live/feed.ts'
import type { PresenceSnapshot } from '../../../live/presence.ts'
import { eventText, type Frame, frameOf, type OpenPage, type Room } from '../../../live/streams.ts'
import {
  conversationById,
  followedTickets,
  messagesSince,
  removedSince,
} from '../conversations/read-conversations.ts'
import { viewConversation, viewMessage } from '../conversations/views.ts'
import type { SignedInVisitor } from '../visitors/visitors.ts'

/**
 * Events of one visitor that are sent one by one, with their messages. A page that missed more reads everything again.
 */
const MAX_MISSED_EVENTS = 20
const MAX_MESSAGES_PER_FRAME = 100

const NONE_REMOVED = { seen: [], unseen: [] }

/** The open page of a visitor. */
export interface VisitorPage extends OpenPage {
  visitor: Pick<SignedInVisitor, 'id' | 'orgId' | 'userId' | 'widgetId' | 'tokenHash'>
  /** The IP address. */
  address: string
  /** Whether it ends once everything up to now was sent. */
  isOnce: boolean
  /** Tickets whose events it receives. */
  tickets: string[]
  /** The number in the newest `hello` of the page, which has every event up to it. */
  position: number
}

/**
 * Sends the events of one organization to the open pages of its visitors. Each event causes work for its own
 * conversation only: the conversation is read and rendered once for all pages that show it.
 */
export interface ConversationFeed extends Room<VisitorPage> {
  /** Shows visitors which agents are replying to them. */
  showPresence(presence: PresenceSnapshot): void
}

/**
 * `workspaceChanged` is called when settings have changed, which may have turned a widget off; `deleted` with the pages
 * that showed a deleted conversation, whose visitors may be deleted with it; `empty` when no page is open.
 */
export function createConversationFeed(
  deps: Deps,
  orgId: string,
  on: {
    workspaceChanged: (pages: VisitorPage[]) => void
    deleted: (pages: VisitorPage[]) => void
    empty: () => void
  },
): ConversationFeed {
  const pages = new Set<VisitorPage>()
  const byTicket = new Map<string, Set<VisitorPage>>()
  const byOwner = new Map<string, Set<VisitorPage>>()
  const typing = createTyping(deps, orgId, (ticketId, frame) => sendTo(ticketId, frame))
  const feed = createFeed<VisitorPage>(deps, orgId, {
    show,
    showMore: typing.update,
    letIn,
    reset() {
      const frame = resetFrame()
      for (const members of byOwner.values()) for (const { stream } of members) stream.send(frame)
    },
  })

  async function show(events: LoggedEvent[]): Promise<void> {
    await followOpened(events)
    if (events.some(({ type }) => type === 'workspace.changed')) on.workspaceChanged([...pages])
    for (const [ticketId, ofTicket] of Map.groupBy(events, (event) => event.ticketId)) {
      const members = byTicket.get(ticketId)
      if (!members) continue
      for (const frame of await framesOf(deps, { orgId, ticketId }, ofTicket)) sendTo(ticketId, frame)
      if (ofTicket.some(({ type }) => type === 'ticket.deleted')) {
        byTicket.delete(ticketId)
        on.deleted([...members])
      }
    }
  }

  /** A new conversation belongs to the open pages of its visitor. */
  async function followOpened(events: LoggedEvent[]): Promise<void> {
    const opened = events.filter(({ type }) => type === 'ticket.created').map(({ ticketId }) => ticketId)
    if (opened.length === 0 || byOwner.size === 0) return
    const { ticketId, visitorId: id, userId } = widgetConversations
    const rows = await deps.database.read
      .select({ ticketId, id, userId })
      .from(widgetConversations)
      .where(and(eq(widgetConversations.orgId, orgId), inArray(ticketId, opened)))
    for (const row of rows) {
      for (const page of byOwner.get(ownerKey(row)) ?? []) follow(page, row.ticketId)
    }
  }

  async function letIn(
    page: VisitorPage,
    missed: LoggedEvent[] | undefined,
    start: FeedStart,
  ): Promise<void> {
    const tickets = await followedTickets(deps, page.visitor)
    const frames = await missedFrames(tickets, missed)
    if (page.stream.isEnded()) return
    const position = feed.position()
    if ('after' in start && start.after !== undefined && frames.length > 0)
      page.stream.send(helloFrame(start.after))
    for (const frame of frames) page.stream.send(frame)
    page.stream.send(helloFrame(position))
    page.position = position
    addTo(byOwner, ownerKey(page.visitor), page)
    for (const ticketId of tickets) {
      follow(page, ticketId)
      const frame = typing.frameFor(ticketId)
      if (frame) page.stream.send(frame)
    }
    if (page.isOnce) page.stream.end()
  }

  async function missedFrames(tickets: string[], missed: LoggedEvent[] | undefined): Promise<Frame[]> {
    const own = missed?.filter(({ ticketId }) => tickets.includes(ticketId)) ?? []
    // A deleted conversation has no owner in the database anymore.
    const isDeleted = missed?.some(({ type }) => type === 'ticket.deleted')
    if (!missed || isDeleted || own.length > MAX_MISSED_EVENTS) return [resetFrame()]
    const frames: Frame[] = []
    for (const [ticketId, events] of Map.groupBy(own, (event) => event.ticketId)) {
      frames.push(...(await framesOf(deps, { orgId, ticketId }, events)))
    }
    return frames
  }

  function follow(page: VisitorPage, ticketId: string): void {
    if (!page.tickets.includes(ticketId)) page.tickets.push(ticketId)
    addTo(byTicket, ticketId, page)
  }

  function resetFrame(): Frame {
    const number = feed.position()
    return eventFrame('reset', { number }, number)
  }

  function sendTo(ticketId: string, frame: Frame): void {
    for (const { stream } of byTicket.get(ticketId) ?? []) stream.send(frame)
  }

  return {
    pages,
    add(page, start) {
      pages.add(page)
      feed.join(page, start)
    },
    remove(page) {
      pages.delete(page)
      removeFrom(byOwner, ownerKey(page.visitor), page)
      for (const ticketId of page.tickets) removeFrom(byTicket, ticketId, page)
      if (pages.size === 0) on.empty()
    },
    wake: feed.wake,
    catchUp: () => [resetFrame()],
    showPresence(presence) {
      typing.show(presence)
      feed.wake()
    },
    position: feed.position,
    stop: feed.stop,
  }
}

/** What visitors never learn of. */
const FOR_AGENTS: LogEvent[] = [
  'note.added',
  'suggestion.added',
  'suggestion.closed',
  'suggestion.used',
  'reply.waiting',
]

/** The frames for events of one ticket. */
async function framesOf(
  deps: Deps,
  of: { orgId: string; ticketId: string },
  events: LoggedEvent[],
): Promise<Frame[]> {
  const shown = events.filter(({ type }) => !FOR_AGENTS.includes(type))
  const last = shown.at(-1)
  if (!last) return []
  if (shown.some(({ type }) => type === 'ticket.deleted'))
    return [eventFrame('deleted', { conversationId: of.ticketId }, last.number)]
  // Messages came from another conversation or went to one.
  if (shown.some(({ changes }) => changes?.messages))
    return [eventFrame('reset', { number: last.number }, last.number)]
  const conversation = await conversationById(deps, of)
  // It has been deleted since, and the event that says so follows.
  if (!conversation) return []
  const sent = shown.find(({ type }) => type === 'message.sent')
  const changed = shown.find(({ type }) => type === 'message.updated')
  const limit = MAX_MESSAGES_PER_FRAME
  const { place } = conversation
  const messages = sent ? await messagesSince(deps, { ...place, time: sent.createdAt, limit }) : []
  const removed = changed ? await removedSince(deps, { ...place, time: changed.createdAt }) : NONE_REMOVED
  const view = viewConversation(conversation)
  const parts = [
    ...[...messages, ...removed.seen].map((message) => ({ event: 'message', message: viewMessage(message) })),
    ...removed.unseen.map((messageId) => ({ event: 'removed', messageId })),
  ]
  // Some messages are for agents only.
  if (parts.length === 0) return [eventFrame('conversation', { conversation: view }, last.number)]
  return parts.map(({ event, ...part }, at) =>
    eventFrame(
      event,
      { conversation: view, ...part },
      (at === parts.length - 1 ? last : (shown[0] ?? last)).number,
    ),
  )
}

/** Which agents are replying, by ticket. */
function createTyping(deps: Deps, orgId: string, send: (ticketId: string, frame: Frame) => void) {
  const replying = new Map<string, { agentId: string; agentName: string }>()
  let presence: PresenceSnapshot | undefined

  /** Sends what has changed. */
  async function update(): Promise<void> {
    const next = presence
    if (!next) return
    presence = undefined
    const now = new Map<string, string>()
    for (const [ticketId, viewers] of Object.entries(next.tickets)) {
      const agent = viewers.find(({ state }) => state === 'replying')
      if (agent) now.set(ticketId, agent.agentId)
    }
    for (const [ticketId, agent] of replying) {
      if (now.get(ticketId) === agent.agentId) continue
      replying.delete(ticketId)
      send(ticketId, typingFrame(ticketId, agent, false))
    }
    for (const [ticketId, agentId] of now) {
      if (replying.has(ticketId)) continue
      const agent = { agentId, agentName: await nameOf(agentId) }
      replying.set(ticketId, agent)
      send(ticketId, typingFrame(ticketId, agent, true))
    }
  }

  async function nameOf(agentId: string): Promise<string> {
    const [agent] = await deps.database.read
      .select({ name: agents.name })
      .from(agents)
      .where(matches(agents, { orgId, id: agentId }))
    return agent?.name ?? ''
  }

  return {
    show(next: PresenceSnapshot): void {
      presence = next
    },
    update,
    /** For a page that joins; undefined while no one replies. */
    frameFor(ticketId: string): Frame | undefined {
      const agent = replying.get(ticketId)
      return agent && typingFrame(ticketId, agent, true)
    },
  }
}

/** `number` is missing for what isn't in the event log. */
function eventFrame(event: string, data: object, number?: number): Frame {
  return frameOf(eventText(event, data, number))
}

/** The page has everything up to this event. */
export function helloFrame(number: number): Frame {
  return eventFrame('hello', { number })
}

function typingFrame(conversationId: string, { agentName }: { agentName: string }, isTyping: boolean): Frame {
  return eventFrame('typing', { conversationId, agentName, isTyping })
}

/** Who a conversation belongs to: a browser, or a verified user in every browser. */
function ownerKey({ id, userId }: { id: string; userId: string | null }): string {
  return userId === null ? `visitor ${id}` : `user ${userId}`
}

export function addTo<Member>(map: Map<string, Set<Member>>, key: string, member: Member): void {
  const members = map.get(key)
  if (members) members.add(member)
  else map.set(key, new Set([member]))
}

export function removeFrom<Member>(map: Map<string, Set<Member>>, key: string, member: Member): void {
  const members = map.get(key)
  members?.delete(member)
  if (members?.size === 0) map.delete(key)
}
