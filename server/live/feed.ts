import type { Deps } from '../deps.ts'
import { eventsAfter, type LoggedEvent, newestEvent } from '../events/events.ts'
import type { PageStream } from './page-stream.ts'
import { changedFrame, type Frame, helloFrame, resetFrame } from './sse-frames.ts'
import { createThrottle } from './throttle.ts'

/** A page that has missed more events reads everything again. */
const MAX_MISSED_EVENTS = 1_000
const BATCH_SIZE = 200
/** Events committed during a pause are sent together. */
const PAUSE_MS = 25

/** The first event a page gets: the one after the last it has seen, or the first of the last milliseconds. */
export type FeedStart = { after: number } | { lastMs: number }

/** Reads the event log of one organization and sends every event to all of its open pages, in order, once. */
export interface Feed {
  join(page: PageStream, start: FeedStart): void
  leave(page: PageStream): void
  /** Checks for new events. */
  wake(): void
  /** Tells a page to read everything again. */
  resetFrame(): Frame
  stop(): Promise<void>
}

export function createFeed(deps: Deps, orgId: string): Feed {
  /** All events up to this number were sent to `members`. Below 0 before the first read. */
  let position = -1
  const members = new Set<PageStream>()
  const joining = new Map<PageStream, FeedStart>()
  const { read } = deps.database

  async function update(): Promise<void> {
    await sendNewEvents()
    for (const [page, start] of joining) {
      const missed = 'after' in start ? await eventsBetween(start.after) : await eventsOfLast(start.lastMs)
      // It may have been closed while the log was read.
      if (!joining.delete(page)) continue
      if (!missed) page.send(resetFrame(position))
      else if (missed.length > 0) page.send(changedFrame(missed))
      page.send(helloFrame(position))
      members.add(page)
    }
  }

  async function sendNewEvents(): Promise<void> {
    const newest = await newestEvent(read, orgId)
    if (position < 0) position = newest
    if (newest - position > MAX_MISSED_EVENTS) return resetAll(newest)
    while (position < newest) {
      const found = await eventsAfter(read, orgId, position, BATCH_SIZE)
      if (!isWithoutGap(found, position)) return resetAll(newest)
      position += found.length
      sendToAll(changedFrame(found))
    }
  }

  /** The events a page has missed, or undefined when there are too many or some were deleted. */
  async function eventsBetween(after: number): Promise<LoggedEvent[] | undefined> {
    const missing = position - after
    if (missing < 0 || missing > MAX_MISSED_EVENTS) return undefined
    if (missing === 0) return []
    const found = await eventsAfter(read, orgId, after, missing)
    return found.length === missing && isWithoutGap(found, after) ? found : undefined
  }

  /** The same for the last milliseconds. */
  async function eventsOfLast(lastMs: number): Promise<LoggedEvent[] | undefined> {
    if (lastMs === 0) return []
    const since = deps.clock.now() - lastMs
    const first = Math.max(position - BATCH_SIZE, 0)
    const found = (await eventsBetween(first)) ?? []
    const isWhole = first === 0 || (found[0]?.createdAt ?? since) < since
    return isWhole ? found.filter(({ createdAt }) => createdAt >= since) : undefined
  }

  function resetAll(newest: number): void {
    position = newest
    sendToAll(resetFrame(newest))
  }

  function sendToAll(frame: Frame): void {
    for (const page of members) page.send(frame)
  }

  const { wake, stop } = createThrottle(deps, 'feed', () => PAUSE_MS, update)
  return {
    join(page, start) {
      joining.set(page, start)
      wake()
    },
    leave(page) {
      joining.delete(page)
      members.delete(page)
    },
    wake,
    resetFrame: () => resetFrame(Math.max(position, 0)),
    stop,
  }
}

/** Event numbers have no gaps, except where old events were deleted. */
function isWithoutGap(found: LoggedEvent[], after: number): boolean {
  return found.length > 0 && found.at(-1)?.number === after + found.length
}
