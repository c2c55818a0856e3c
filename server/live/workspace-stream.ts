import type { LogEvent } from '../database/tables/events.ts'
import type { Deps } from '../deps.ts'
import type { LoggedEvent } from '../events/events.ts'
import type { PresentPage } from './cluster-presence.ts'
import { createFeed } from './feed.ts'
import type { PresenceSnapshot } from './presence.ts'
import { eventText, type Frame, frameOf, type OpenPage, type Room } from './streams.ts'

/** A page that has missed more events reads everything again. */
const MAX_MISSED_EVENTS = 1_000
/** While it was loading. */
const MAX_EVENTS_OF_LOAD = 200
/** Events are kept for so long after the last page has closed: it may be loading again. */
const KEPT_MS = 3_000

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
  presence: PresentPage
}

/** Shows the open pages of one organization what changes in it, and which agents are there. */
export interface Workspace extends Room<AgentPage> {
  showPresence(presence: PresenceSnapshot): void
}

/** `onEmpty` is called a while after the last page has closed. */
export function createWorkspace(
  deps: Deps,
  orgId: string,
  { presence, onEmpty }: { presence: PresenceSnapshot; onEmpty: () => void },
): Workspace {
  const pages = new Set<AgentPage>()
  const members = new Set<AgentPage>()
  let frame = liveFrame({ event: 'presence', data: presence })
  let cancelEmpty = () => {}

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

  return {
    pages,
    add(page, start) {
      cancelEmpty()
      pages.add(page)
      feed.join(page, start)
      page.stream.send(frame)
    },
    remove(page) {
      pages.delete(page)
      members.delete(page)
      if (pages.size === 0) cancelEmpty = deps.clock.after(KEPT_MS, onEmpty)
    },
    wake: feed.wake,
    position: feed.position,
    showPresence(presence) {
      frame = liveFrame({ event: 'presence', data: presence })
      for (const { stream } of pages) stream.send(frame)
    },
    catchUp: () => [resetFrame(), frame],
    async stop() {
      cancelEmpty()
      await feed.stop()
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
