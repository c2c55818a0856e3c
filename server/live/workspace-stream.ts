import type { Deps } from '../deps.ts'
import { createFeed, type Feed, type Start } from './feed.ts'
import type { PageStream } from './page-stream.ts'
import { type Announcement, createPresence } from './presence.ts'
import { type Frame, presenceFrame } from './sse-frames.ts'
import { paced } from './throttle.ts'

/** A picture goes to every page, so the more there are the rarer it is drawn. */
const LEAST_REST_MS = 100
const REST_PER_PAGE_MS = 2

/** An open page. */
export interface OpenPage {
  agentId: string
  sessionId: string
  /** What the page calls itself in its announcements; empty when it did not say. */
  pageId: string
  stream: PageStream
}

/** The open pages of one organization: what they are told of the log, and of each other. */
export interface WorkspaceStream {
  readonly pages: ReadonlySet<OpenPage>
  feed: Feed
  enter(page: OpenPage, start: Start): void
  leave(page: OpenPage): void
  announce(said: Announcement): void
  /** What a page gets that read too slowly. */
  everything(): Frame[]
  stop(): Promise<void>
}

/** `onEmpty` is called when there is no page any more and nobody to remember. */
export function createWorkspaceStream(deps: Deps, orgId: string, onEmpty: () => void): WorkspaceStream {
  const pages = new Set<OpenPage>()
  const feed = createFeed(deps, orgId)
  const presence = createPresence(deps.clock.monotonic)
  const pace = paced(deps, 'presence', () => LEAST_REST_MS + pages.size * REST_PER_PAGE_MS, draw)
  let shown = ''
  let frame: Frame = presenceFrame({ online: [], tickets: {} })
  let cancelNext = () => {}

  function draw(): void {
    const picture = presence.picture([...pages].map(({ agentId }) => agentId))
    const text = JSON.stringify(picture)
    if (text !== shown) {
      shown = text
      frame = presenceFrame(picture)
      for (const { stream } of pages) stream.send(frame)
    }
    cancelNext()
    const next = presence.nextChangeAt()
    if (next !== undefined) cancelNext = deps.clock.after(next - deps.clock.monotonic(), pace.wake)
    else if (pages.size === 0) onEmpty()
  }

  return {
    pages,
    feed,
    enter(page, start) {
      pages.add(page)
      feed.join(page.stream, start)
      page.stream.send(frame)
      pace.wake()
    },
    leave(page) {
      pages.delete(page)
      feed.leave(page.stream)
      presence.closed(page.agentId, page.pageId)
      pace.wake()
    },
    announce(said) {
      presence.announce(said)
      pace.wake()
    },
    everything: () => [feed.resetFrame(), frame],
    async stop() {
      cancelNext()
      await Promise.all([feed.stop(), pace.stop()])
    },
  }
}
