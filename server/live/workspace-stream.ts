import type { LogEvent } from '../database/tables/events.ts'
import type { Deps } from '../deps.ts'
import type { LoggedEvent } from '../events/events.ts'
import { createFeed } from './feed.ts'
import { type Announcement, type CustomerTyping, createPresence, type PresenceSnapshot } from './presence.ts'
import { eventText, type Frame, frameOf, type OpenPage, type Room } from './streams.ts'
import { createThrottle } from './throttle.ts'

/** A page that has missed more events reads everything again. */
const MAX_MISSED_EVENTS = 1_000
/** While it was loading. */
const MAX_EVENTS_OF_LOAD = 200
/** Presence is sent to every page, so it is sent less often when there are more pages. */
const MIN_PAUSE_MS = 100
const PAUSE_PER_PAGE_MS = 2

/** The events of the stream of agents and their data. */
export type LiveEvent =
  /** The newest event number. Data that is read after it is at least as new. */
  | { event: 'hello'; data: { number: number } }
  /** The page reads everything again, because it has missed too many events. */
  | { event: 'reset'; data: { number: number } }
  | { event: 'changed'; data: { type: LogEvent; ticketId: string } }
  | { event: 'presence'; data: PresenceSnapshot }
  /** What is known of the visitors who wrote these tickets has changed, such as the page they are on. */
  | { event: 'visitors'; data: { ticketIds: string[] } }
  /** The notifications of the page's agent have changed. */
  | { event: 'notified'; data: Record<string, never> }
  | { event: 'beat' | 'signed-out'; data: Record<string, never> }

/** An open page of an agent. */
export interface AgentPage extends OpenPage {
  agentId: string
  sessionId: string
  /** The id the page chose for its announcements, or empty. */
  pageId: string
}

/** Shows the open pages of one organization what changes in it, and which agents are there. */
export interface Workspace extends Room<AgentPage> {
  announce(announcement: Announcement): void
  showCustomerTyping(typing: CustomerTyping): void
  isFocused(agentId: string, ticketId: string): boolean
  /** The presence that was sent last. */
  presence(): PresenceSnapshot
}

/**
 * `onEmpty` is called when no page is open and no announcement is left, `onPresence` when agents begin or stop viewing or
 * replying.
 */
export function createWorkspace(
  deps: Deps,
  orgId: string,
  on: { empty: () => void; presence: (presence: PresenceSnapshot) => void },
): Workspace {
  const pages = new Set<AgentPage>()
  const members = new Set<AgentPage>()
  const presence = createPresence(deps.clock.monotonic)
  const throttle = createThrottle(
    deps,
    'presence',
    () => MIN_PAUSE_MS + pages.size * PAUSE_PER_PAGE_MS,
    sendPresence,
  )
  let sentText = ''
  let sent: PresenceSnapshot = { online: [], tickets: {} }
  let frame: Frame = liveFrame({ event: 'presence', data: sent })
  let cancelExpiry = () => {}

  const feed = createFeed<AgentPage>(deps, orgId, {
    show: (events) => sendToAll(changesFrame(events)),
    letIn(page, missed, start) {
      if (page.stream.isEnded()) return
      const most = 'lastMs' in start ? MAX_EVENTS_OF_LOAD : MAX_MISSED_EVENTS
      if (!missed || missed.length > most) page.stream.send(resetFrame())
      else if (missed.length > 0) page.stream.send(changesFrame(missed))
      const number = feed.position()
      page.stream.send(liveFrame({ event: 'hello', data: { number } }, number))
      members.add(page)
    },
    reset: () => sendToAll(resetFrame()),
  })

  function resetFrame(): Frame {
    const number = feed.position()
    return liveFrame({ event: 'reset', data: { number } }, number)
  }

  function sendToAll(frame: Frame): void {
    for (const { stream } of members) stream.send(frame)
  }

  function sendPresence(): void {
    const snapshot = presence.snapshot([...pages].map(({ agentId }) => agentId))
    const text = JSON.stringify(snapshot)
    if (text !== sentText) {
      sentText = text
      sent = snapshot
      frame = liveFrame({ event: 'presence', data: snapshot })
      for (const { stream } of pages) stream.send(frame)
      on.presence(snapshot)
    }
    cancelExpiry()
    const next = presence.nextExpiryAt()
    if (next !== undefined) cancelExpiry = deps.clock.after(next - deps.clock.monotonic(), throttle.wake)
    else if (pages.size === 0) on.empty()
  }

  return {
    pages,
    add(page, start) {
      pages.add(page)
      feed.join(page, start)
      page.stream.send(frame)
      throttle.wake()
    },
    remove(page) {
      pages.delete(page)
      members.delete(page)
      presence.closePage(page.agentId, page.pageId)
      throttle.wake()
    },
    wake: feed.wake,
    announce(announcement) {
      presence.announce(announcement)
      throttle.wake()
    },
    showCustomerTyping(typing) {
      presence.customerTyping(typing)
      throttle.wake()
    },
    isFocused: presence.isFocused,
    presence: () => sent,
    catchUp: () => [resetFrame(), frame],
    async stop() {
      cancelExpiry()
      await Promise.all([feed.stop(), throttle.stop()])
    },
  }
}

function changesFrame(events: LoggedEvent[]): Frame {
  // A change of a customer is in the events of their tickets, too.
  const shown = events.filter(({ type }) => !type.startsWith('customer.'))
  const texts = shown.map(({ number, type, ticketId }) =>
    liveText({ event: 'changed', data: { type, ticketId } }, number),
  )
  return frameOf(texts.join(''))
}

export function liveText({ event, data }: LiveEvent, number?: number): string {
  return eventText(event, data, number)
}

export function liveFrame(event: LiveEvent, number?: number): Frame {
  return frameOf(liveText(event, number))
}
