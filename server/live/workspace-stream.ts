import type { Deps } from '../deps.ts'
import { createFeed, type Feed, type FeedStart } from './feed.ts'
import type { PageStream } from './page-stream.ts'
import { type Announcement, createPresence, type PresenceSnapshot } from './presence.ts'
import { type Frame, presenceFrame } from './sse-frames.ts'
import { createThrottle } from './throttle.ts'

/** Presence is sent to every page, so it is sent less often when there are more pages. */
const MIN_PAUSE_MS = 100
const PAUSE_PER_PAGE_MS = 2

/** An open page. */
export interface OpenPage {
  agentId: string
  sessionId: string
  /** The id the page chose for its announcements, or empty. */
  pageId: string
  stream: PageStream
}

/** Streams events and presence to the open pages of one organization. */
export interface WorkspaceStream {
  readonly pages: ReadonlySet<OpenPage>
  feed: Feed
  addPage(page: OpenPage, start: FeedStart): void
  removePage(page: OpenPage): void
  announce(announcement: Announcement): void
  /** The tickets in which the customer is typing. */
  setTyping(ticketIds: string[]): void
  /** The presence that was sent last. */
  presence(): PresenceSnapshot
  /** The frames for a page whose frames were dropped. */
  catchUpFrames(): Frame[]
  stop(): Promise<void>
}

/**
 * `onEmpty` is called when no page is open and no announcement is left, `onPresence` when agents begin or stop viewing or
 * replying.
 */
export function createWorkspaceStream(
  deps: Deps,
  orgId: string,
  { onEmpty, onPresence }: { onEmpty: () => void; onPresence: (presence: PresenceSnapshot) => void },
): WorkspaceStream {
  const pages = new Set<OpenPage>()
  const feed = createFeed(deps, orgId)
  const presence = createPresence(deps.clock.monotonic)
  const throttle = createThrottle(
    deps,
    'presence',
    () => MIN_PAUSE_MS + pages.size * PAUSE_PER_PAGE_MS,
    sendPresence,
  )
  let sentText = ''
  let sent: PresenceSnapshot = { online: [], tickets: {} }
  let frame: Frame = presenceFrame(sent)
  let typing: string[] = []
  let cancelExpiry = () => {}

  function sendPresence(): void {
    const snapshot = {
      ...presence.snapshot([...pages].map(({ agentId }) => agentId)),
      ...(typing.length > 0 && { typing }),
    }
    const text = JSON.stringify(snapshot)
    if (text !== sentText) {
      sentText = text
      sent = snapshot
      frame = presenceFrame(snapshot)
      for (const { stream } of pages) stream.send(frame)
      onPresence(snapshot)
    }
    cancelExpiry()
    const next = presence.nextExpiryAt()
    if (next !== undefined) cancelExpiry = deps.clock.after(next - deps.clock.monotonic(), throttle.wake)
    else if (pages.size === 0) onEmpty()
  }

  return {
    pages,
    feed,
    addPage(page, start) {
      pages.add(page)
      feed.join(page.stream, start)
      page.stream.send(frame)
      throttle.wake()
    },
    removePage(page) {
      pages.delete(page)
      feed.leave(page.stream)
      presence.closePage(page.agentId, page.pageId)
      throttle.wake()
    },
    announce(announcement) {
      presence.announce(announcement)
      throttle.wake()
    },
    setTyping(ticketIds) {
      typing = ticketIds
      throttle.wake()
    },
    presence: () => sent,
    catchUpFrames: () => [feed.resetFrame(), frame],
    async stop() {
      cancelExpiry()
      await Promise.all([feed.stop(), throttle.stop()])
    },
  }
}
